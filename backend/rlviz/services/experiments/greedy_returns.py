"""GreedyReturns: the greedy evaluations of a run while it trains, for pruners."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import nan
from pathlib import Path

from cachetools import LRUCache

from rlviz.algorithms import ALGORITHMS
from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.domain.records import EVAL_REWARD
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import CountedRows

MOST_RUNS = 256


class GreedyReturns:
    """Each row of a journal is read once, unless its run goes back. For one thread."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: LRUCache[str, _Known] = LRUCache(MOST_RUNS)

    def of(self, run_id: str) -> Sequence[float]:
        """Mean returns of the evaluations that count, oldest first, NaN of a policy that had learned nothing yet; none
        where the run cannot be read."""
        try:
            if run_id not in self._known:
                self._known[run_id] = _Known(RunFolder(self._runs_dir, run_id))
            known = self._known[run_id]
        except (RunFolderError, ArtifactNotFound, OSError, ValueError):
            return []
        with suppress(RunFolderError, OSError):
            known.read()
        return known.returns


class _Known:
    """Raises RunFolderError, ArtifactNotFound, OSError or ValueError for a configuration that cannot be read."""

    def __init__(self, folder: RunFolder) -> None:
        config = folder.read_config()
        hyperparameters = ALGORITHMS.get(config.algo).hyperparameters.model_validate(config.hyperparameters)
        self._rows, self._first_update = CountedRows(folder), hyperparameters.first_update
        self.returns: list[float] = []

    def read(self) -> None:
        found = self._rows.read()
        if found.is_anew:
            self.returns.clear()
        for row in found.rows:
            value = row["values"].get(EVAL_REWARD)
            if isinstance(value, int | float):
                self.returns.append(float(value) if row["step"] > self._first_update else nan)
