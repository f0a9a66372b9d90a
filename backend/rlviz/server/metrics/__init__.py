"""Metrics: curves, events, hints, anatomy of updates and comparisons."""
