"""What it costs to look into the updates while a run trains; measured as the throughput of training is."""

from benchmarks.throughput import anatomy as run

__all__ = ["run"]
