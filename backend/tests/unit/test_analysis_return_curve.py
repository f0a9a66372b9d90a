"""The incremental best moving average and sparkline of a run."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.stats.comparison import Episodes, run_metrics
from rlviz.stats.return_curve import SPARKLINE_POINTS, ReturnCurve
from rlviz.stats.returns import moving_average

RNG = np.random.default_rng(7)
LENGTHS = RNG.integers(1, 200, 3_000)
STEPS = np.cumsum(LENGTHS).astype(np.float64)
RETURNS = np.where(RNG.random(3_000) < 0.01, np.nan, np.sin(STEPS / 5e4) * 300 + RNG.normal(0, 50, 3_000))


def curve(*, batch: int, count: int = len(STEPS)) -> ReturnCurve:
    found = ReturnCurve(threshold=280)
    for start in range(0, count, batch):
        end = min(start + batch, count)
        found.extend(STEPS[start:end], STEPS[start:end] / 100, RETURNS[start:end], LENGTHS[start:end])
    return found


@pytest.mark.parametrize("batch", [1, 7, 19, 20, 500])
def test_the_curve_is_identical_to_the_last_digit_for_every_batching(batch: int) -> None:
    whole, parts = curve(batch=len(STEPS)), curve(batch=batch)
    assert (parts.best, parts.best_step, parts.sparkline()) == (whole.best, whole.best_step, whole.sparkline())
    assert whole.solved is not None
    assert (parts.mean, parts.mean_length, parts.solved) == (whole.mean, whole.mean_length, whole.solved)


def test_the_best_return_equals_that_of_a_comparison() -> None:
    figures = run_metrics(Episodes(STEPS, STEPS, RETURNS), window=20)
    found = curve(batch=100)
    assert found.best == pytest.approx(figures.best_moving_average)
    assert found.best_step == figures.best_moving_average_step


def test_there_is_no_best_return_before_twenty_episodes() -> None:
    found = ReturnCurve()
    found.extend(np.arange(19.0), np.arange(19.0), np.full(19, 500.0), np.ones(19))
    assert (found.best, found.best_step) == (None, None)
    found.extend([19.0], [19.0], [480.0], [1])
    assert (found.best, found.best_step) == (499.0, 19)


@pytest.mark.parametrize("count", [1, 2, 40, 3_000])
def test_a_sparkline_is_short_and_ends_with_the_newest_average(count: int) -> None:
    points = curve(batch=50, count=count).sparkline()
    averages = moving_average(RETURNS[:count], 20)
    newest = averages[np.isfinite(averages)][-1]
    assert 1 <= len(points) <= SPARKLINE_POINTS
    assert points[-1] == pytest.approx(newest, rel=1e-5)


def test_a_sparkline_is_evenly_spaced_over_the_steps() -> None:
    found = ReturnCurve()
    steps = np.concatenate([np.arange(1, 1_001), np.arange(10_000, 100_001, 10_000)]).astype(np.float64)
    found.extend(steps, steps, steps, np.ones(len(steps)))
    points = np.array(found.sparkline())
    assert len(points) > SPARKLINE_POINTS / 2
    assert np.count_nonzero(points < 1_001) <= 4, "many short episodes at the beginning take no more room than time"


def test_no_episodes_give_no_points() -> None:
    assert ReturnCurve().sparkline() == []


def test_a_journal_with_a_rollback_gives_the_same_sparkline_for_every_batching() -> None:
    steps, ones = [10.0, 4_000.0, 20.0, 30.0], np.ones(4)
    returns = np.arange(4.0)
    whole, pieces = ReturnCurve(), ReturnCurve()
    whole.extend(steps, ones, returns, ones)
    for step, value in zip(steps, returns, strict=True):
        pieces.extend([step], [1.0], [value], [1.0])
    assert whole.sparkline() == pieces.sparkline()
