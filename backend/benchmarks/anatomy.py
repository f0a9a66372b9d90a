"""Measures the cost of recording details of updates, in the same way as the throughput of training."""

from benchmarks.throughput import anatomy as run

__all__ = ["run"]
