"""Digests of runs: solved steps and thinned curves."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.stats.comparison import Episodes
from rlviz.stats.experiments.results import make_digest
from rlviz.stats.solved import Evaluated, find_solved

NONE = (np.empty(0), np.empty(0))


def episodes(count: int, seed: int = 0) -> Episodes:
    rng = np.random.default_rng(seed)
    step = np.cumsum(rng.integers(1, 30, count)).astype(np.float64)
    return Episodes(step, step / 10, np.linspace(0, 100, count) + rng.normal(0, 20, count))


@pytest.mark.parametrize("threshold", [-50.0, 3.0, 30.0, 71.5, 88.0, 500.0])
def test_a_digest_gives_the_solved_step_for_any_threshold(threshold: float) -> None:
    run = episodes(600)
    fresh = [Evaluated(4_000, 400.0, 55.0), Evaluated(5_000, 500.0, 40.0), Evaluated(6_000, 600.0, 90.0)]
    asked = [Evaluated(2_000, 200.0, 80.0), Evaluated(2_500, 250.0, -np.inf)]
    theirs = find_solved(run.step, run.time, run.reward, threshold, [*fresh, *asked])
    found = make_digest(run, NONE, fresh)
    ours = found.reached(threshold, asked)
    assert ours == (None if theirs is None else theirs.step)
    alone = find_solved(run.step, run.time, run.reward, threshold, asked)
    assert found.reached(threshold, asked, by_own_evaluations=False) == (None if alone is None else alone.step)


def test_fewer_than_a_hundred_episodes_reach_no_threshold() -> None:
    assert make_digest(episodes(99), NONE, []).reached(-1_000.0) is None


def test_curves_are_thinned_and_missing_ones_are_none() -> None:
    found = make_digest(episodes(5_000), (np.array([100.0, 200.0]), np.array([1.0, 2.0])), [])
    assert found.training is not None
    assert found.greedy is not None
    assert len(found.training.step) <= 200
    assert found.greedy.value.tolist() == [1.0, 2.0]
    assert found.every == 100.0
    empty = make_digest(episodes(0), NONE, [])
    assert (empty.training, empty.greedy, empty.reached(0.0), empty.every) == (None, None, None, None)
