"""The last rollout of each algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.watched import train_run
from tests.real.test_training_end import CASES
from tests.support.training import events, make_run


@pytest.mark.parametrize(("algo", "budget", "hyperparameters", "end"), CASES)
def test_training_ends_with_the_first_full_rollout_at_or_beyond_its_budget(
    tmp_path: Path, algo: str, budget: int, hyperparameters: dict[str, Any], end: int
) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=budget, hyperparameters=hyperparameters)
    assert train_run(folder)
    assert events(folder)[-1].step == end
    assert ALGORITHMS.get(algo).training_end(budget, folder.read_config().hyperparameters) == end
