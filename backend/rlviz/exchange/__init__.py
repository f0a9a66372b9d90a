"""Runs that leave the runs folder and come into it: bundles, and other trackers' formats."""
