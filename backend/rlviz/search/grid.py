"""Grid: every combination once, in an order that the seed shuffles. Imports Optuna: only a study loads it.

Optuna's own grid sampler ends the loop of its ``optimize``, so it cannot be asked and told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial


class Grid(RandomSampler):
    """The combination of a trial follows from how many were proposed before, so that none comes twice, whoever asks.

    ``unborn``: the attribute of trials that do not count.
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
