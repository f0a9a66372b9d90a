"""Everything that learns or plays: algorithms, environments, presets, training and its records."""
