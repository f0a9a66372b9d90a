"""Speed and learning, measured. ``make bench`` runs the speed part; presets take longer and are run by hand."""
