"""Makes Optuna's journal storage robust, and defines a grid sampler. Imports Optuna, so only a study imports it.

Optuna's own backend appends to an incomplete line, which makes the journal unreadable, and waits thirty seconds for the
lock of a killed process. The grid proposes every combination once, shuffled by the seed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import RandomSampler
from optuna.storages.journal import JournalFileBackend
from optuna.study import Study
from optuna.trial import FrozenTrial

from rlviz.rundir.journal import last_newline


class Grid(RandomSampler):
    """Proposes the combination whose position is the number of trials so far, so that none is proposed twice.

    Trials with the attribute ``unborn`` do not count.
    """

    def __init__(self, grid: Mapping[str, Sequence[Any]], seed: int, unborn: str) -> None:
        super().__init__(seed=seed)
        combinations = list(product(*grid.values()))
        order = np.random.default_rng(seed).permutation(len(combinations))
        self._unborn = unborn
        self._combinations = [dict(zip(grid, combinations[place], strict=True)) for place in order]

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        earlier = study.get_trials(deepcopy=False)[: trial.number]
        return self._combinations[sum(self._unborn not in one.user_attrs for one in earlier)][param_name]


LOCK_SUFFIX = ".lock"


class OwnedJournal(JournalFileBackend):
    """The journal of the only process that writes to the folder. Others can read it with Optuna's own backend."""

    def __init__(self, path: Path) -> None:
        path.with_name(path.name + LOCK_SUFFIX).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            _cut_torn_line(path)
        super().__init__(str(path))
        self._path = path

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Append all ``logs`` or none. Raises OSError."""
        before = self._path.stat().st_size
        try:
            super().append_logs(logs)
        except OSError:
            os.truncate(self._path, before)
            raise


def _cut_torn_line(path: Path) -> None:
    """Cut off an incomplete line at the end. Raises OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        whole = last_newline(file, size)
    if whole < size:
        os.truncate(path, whole)
