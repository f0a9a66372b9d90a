"""GreedyReturns: the greedy evaluations of a run while it trains, for pruners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cachetools import LRUCache

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail

METRIC = "eval/mean_reward"
MOST_RUNS = 256


class GreedyReturns:
    """Each row of a journal is read once. For one thread."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: LRUCache[str, tuple[JournalTail, list[float]]] = LRUCache(MOST_RUNS)

    def of(self, run_id: str) -> Sequence[float]:
        """Mean returns of all evaluations so far, oldest first; none where the journal cannot be read."""
        if run_id not in self._known:
            self._known[run_id] = JournalTail(RunFolder(self._runs_dir, run_id).metrics_path), []
        tail, returns = self._known[run_id]
        try:
            lines = tail.read()
        except (RunFolderError, OSError):
            return returns
        found = (line.record["values"].get(METRIC) for line in lines if line.record is not None)
        returns += [float(value) for value in found if value is not None]
        return returns
