"""Steps of the logged rows of each algorithm."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from tests.real.test_metric_steps import steps, train
from tests.support.training import rows


@pytest.mark.parametrize("algo", ALGORITHMS.names())
def test_steps_never_decrease_and_no_metric_has_two_values_at_one_step(tmp_path: Path, algo: str) -> None:
    folder = train(tmp_path, algo, 512)
    assert [row["step"] for row in rows(folder)] == sorted(row["step"] for row in rows(folder))
    for name in {name for row in rows(folder) for name in row["values"] if not name.startswith("episode/")}:
        assert len(steps(folder, name)) == len(set(steps(folder, name))), name
