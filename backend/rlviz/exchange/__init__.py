"""Runs that leave or enter the runs folder: bundles, exports, imports, and sinks for other trackers."""
