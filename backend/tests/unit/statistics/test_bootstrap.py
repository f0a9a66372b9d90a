"""Statistics over seeds: interquartile mean, bootstrap interval, summary."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.stats.seeds import bootstrap_interval, iqm, summarize

RNG = np.random.default_rng(11)


def test_the_interquartile_mean_ignores_the_outer_quarters() -> None:
    assert iqm(np.array([0.0, 1, 2, 3, 4, 5, 6, 1_000])) == 3.5
    assert iqm(np.array([5.0])) == 5.0
    assert iqm(np.array([1.0, 2.0, 9.0])) == 4.0


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 30])
def test_the_interquartile_mean_is_within_the_scores_and_scales_with_them(count: int) -> None:
    scores = RNG.normal(size=count)
    assert scores.min() <= iqm(scores) <= scores.max()
    assert iqm(scores + 7) == pytest.approx(iqm(scores) + 7)
    assert iqm(RNG.permutation(scores)) == pytest.approx(iqm(scores))


def test_one_bad_seed_of_eight_widens_the_interval_but_does_not_move_the_mean() -> None:
    scores = np.array([100.0, 480, 490, 500, 500, 500, 500, 500])
    interval = bootstrap_interval([scores])
    assert 300 < interval.low < iqm(scores) <= interval.high == 500


def test_an_interval_is_the_same_for_the_same_seed_and_narrower_for_more_scores() -> None:
    few, many = RNG.normal(size=8), RNG.normal(size=400)
    assert bootstrap_interval([few], seed=3) == bootstrap_interval([few], seed=3)
    wide, narrow = bootstrap_interval([few]), bootstrap_interval([many])
    assert narrow.high - narrow.low < wide.high - wide.low


def test_the_interval_covers_the_true_value_about_as_often_as_stated() -> None:
    """200 samples of 20 scores each; with so few scores, a percentile interval covers slightly less than 95 %."""
    covered = 0
    for trial in range(200):
        scores = np.random.default_rng(trial).normal(size=20)
        interval = bootstrap_interval([scores], resamples=500)
        covered += interval.low <= 0.0 <= interval.high
    assert 0.85 <= covered / 200 <= 0.99


def test_resampling_is_stratified_by_task() -> None:
    """The scores of each of the two tasks are constant, so that the mean of both is the same in every resample."""
    interval = bootstrap_interval([np.full(5, 0.0), np.full(5, 1.0)])
    assert (interval.low, interval.high) == (0.5, 0.5)
    mixed = bootstrap_interval([np.repeat([0.0, 1.0], 5)])
    assert mixed.low < 0.5 < mixed.high


def test_a_summary_contains_every_statistic() -> None:
    found = summarize([np.array([1.0, 2, 3, 10])])
    assert (found.count, found.iqm, found.median, found.mean) == (4, 2.5, 2.5, 4.0)
    assert found.std == pytest.approx(np.std([1, 2, 3, 10], ddof=1))
    assert found.interval.low <= found.iqm <= found.interval.high
    alone = summarize([np.array([3.0])])
    assert (alone.std, alone.interval) == (None, None)


@pytest.mark.parametrize("strata", [[], [np.empty(0)], [np.array([1.0]), np.empty(0)], [np.array([np.nan])]])
def test_scores_that_are_missing_or_not_finite_have_no_summary(strata: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"[Ss]core"):
        summarize(strata)
