"""WarmWorkers: what a launcher keeps so that a worker need not import torch first, which takes seconds."""

from __future__ import annotations

from abc import ABC, abstractmethod

from rlviz.launchers.base import Worker


class WarmWorkers(ABC):
    """Processes that have imported everything. All calls come from one thread, and return at once."""

    @abstractmethod
    def tick(self) -> None:
        """Start what is missing and due. Called several times a second."""

    @abstractmethod
    def start(self, arguments: list[str]) -> Worker | None:
        """A worker that does the job of these arguments, or None if none can be had from here now."""

    @abstractmethod
    def close(self) -> None:
        """End what has no job; workers with a job go on."""
