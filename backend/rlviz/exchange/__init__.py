"""Bundles, exports and imports of runs, and sinks, which send runs to other programs."""
