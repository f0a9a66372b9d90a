"""Derived metrics, downsampling and comparison: pure functions on arrays."""
