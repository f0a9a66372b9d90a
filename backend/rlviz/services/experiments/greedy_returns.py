"""GreedyReturns: the greedy evaluations of a run while it trains, for pruners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cachetools import LRUCache

from rlviz.domain.errors import RunFolderError
from rlviz.domain.records import EVAL_REWARD
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import CountedRows

MOST_RUNS = 256


class GreedyReturns:
    """Each row of a journal is read once, unless its run goes back. For one thread."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: LRUCache[str, tuple[CountedRows, list[float]]] = LRUCache(MOST_RUNS)

    def of(self, run_id: str) -> Sequence[float]:
        """Mean returns of the evaluations that count, oldest first; none where the journal cannot be read."""
        if run_id not in self._known:
            self._known[run_id] = CountedRows(RunFolder(self._runs_dir, run_id)), []
        rows, returns = self._known[run_id]
        try:
            found = rows.read()
        except (RunFolderError, OSError):
            return returns
        if found.is_anew:
            returns.clear()
        values = (row["values"].get(EVAL_REWARD) for row in found.rows)
        returns += [float(value) for value in values if isinstance(value, int | float)]
        return returns
