"""Recorded updates of every algorithm."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.server.metrics.service import read_anatomy
from tests.support.training import make_run

ALGORITHM_IDS = ALGORITHMS.names()


def anatomy(folder: RunFolder) -> list[UpdateAnatomy]:
    return read_anatomy(folder, 100)


@pytest.mark.parametrize("algo", ALGORITHM_IDS)
def test_each_algorithm_records_the_parts_it_has(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, anatomy=True)
    assert train_run(folder)
    update = anatomy(folder)[0]
    on_policy = algo in ("ppo", "a2c", "trpo")
    assert (update.advantages is not None) == on_policy
    assert (update.ratios is not None) == on_policy
    assert (update.clip_range is not None) == (algo == "ppo")
    assert (update.td_errors is not None) == (not on_policy)
    assert update.actions
    assert bool(update.layers) == (algo != "q-learning")
    with_gradients = [layer for layer in update.layers if layer.gradients is not None and layer.gradient_norm]
    assert len(with_gradients) == len(update.layers) or algo == "trpo"  # whose policy takes no gradient step
    assert bool(update.gradient_norm) == bool(with_gradients)
    assert not any("target" in layer.name for layer in update.layers)
    assert update.layer_count == len(update.layers)
    assert (update.components or 0) == len(update.actions)
    assert 0 < update.step <= 512


@pytest.mark.parametrize("algo", ["ppo", "a2c", "dqn"])
def test_the_last_update_is_always_recorded(tmp_path: Path, algo: str) -> None:
    """This holds however soon it follows the previous record: training is shorter than the recording interval."""
    folder = make_run(tmp_path, algo=algo, anatomy=True)
    assert train_run(folder)
    updates = anatomy(folder)
    assert len(updates) > 1
    assert updates[-1].step >= 512
