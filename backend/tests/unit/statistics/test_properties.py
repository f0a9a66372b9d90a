"""Property-based tests of the statistics over seeds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlviz.stats.arrays import Floats
from rlviz.stats.seeds import (
    Method,
    banded_curve,
    bootstrap_interval,
    interquartile_mean,
    iqm,
    kaplan_meier,
    mean,
    median,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
    task_median,
)

numbers = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
tasks = st.lists(st.lists(numbers, min_size=1, max_size=8).map(np.array), min_size=1, max_size=4)
few = settings(max_examples=60, deadline=None)
STATISTICS = (interquartile_mean, mean, median, task_median)


@few
@given(tasks, st.sampled_from(STATISTICS), st.sampled_from(list(Method)))
def test_aggregates_and_their_intervals_are_within_the_scores(strata: list[Floats], statistic, method) -> None:  # type: ignore[no-untyped-def]
    scores = np.concatenate(strata)
    slack = 1e-9 * (1 + np.abs(scores).max())
    found = bootstrap_interval(strata, statistic, method=method, resamples=100)
    assert (found is None) == (len(scores) == len(strata))
    if found is not None:
        assert scores.min() - slack <= found.low <= found.high <= scores.max() + slack
    assert scores.min() - slack <= float(statistic(strata)) <= scores.max() + slack


@few
@given(tasks, st.sampled_from(STATISTICS), st.floats(0.5, 8.0), numbers)
def test_intervals_scale_with_the_scores(strata: list[Floats], statistic, scale, shift) -> None:  # type: ignore[no-untyped-def]
    before = bootstrap_interval(strata, statistic, resamples=50)
    after = bootstrap_interval([scores * scale + shift for scores in strata], statistic, resamples=50)
    if before is None or after is None:
        assert before is after
        return
    size = 1e-7 * (1 + abs(shift) + scale * max(np.abs(scores).max() for scores in strata))
    assert after.low == pytest.approx(before.low * scale + shift, abs=size)
    assert after.high == pytest.approx(before.high * scale + shift, abs=size)


@few
@given(tasks, numbers)
def test_an_optimality_gap_is_never_negative_and_zero_where_all_reach_the_goal(
    strata: list[Floats], goal: float
) -> None:
    gap = float(optimality_gap(goal)(strata))
    assert gap >= -1e-9 * abs(goal)
    assert (gap > 1e-9 * (1 + abs(goal))) <= any((scores < goal).any() for scores in strata)


@few
@given(tasks)
def test_a_profile_never_rises_and_its_band_contains_it(strata: list[Floats]) -> None:
    scores = np.concatenate(strata)
    found = performance_profile(strata, np.linspace(scores.min() - 1, scores.max(), 7), resamples=400)
    assert (found.share[0], found.share[-1]) == (1, 0)
    if len(scores) == len(strata):
        assert np.isnan([found.low, found.high]).all()
        return
    for curve in (found.share, found.low, found.high):
        assert (np.diff(curve) <= 1e-12).all()
    assert (found.low <= found.share + 1e-12).all()
    assert (found.share <= found.high + 1e-12).all()


@few
@given(st.data())
def test_the_probabilities_of_improvement_in_both_directions_add_up_to_one(data: st.DataObject) -> None:
    ours = data.draw(tasks)
    theirs = [np.array(data.draw(st.lists(numbers, min_size=1, max_size=8))) for _ in ours]
    forth, back = (probability_of_improvement(*pair, resamples=200) for pair in ((ours, theirs), (theirs, ours)))
    assert forth.probability + back.probability == pytest.approx(1)
    alone = any(all(len(scores) == 1 for scores in one) for one in (ours, theirs))
    assert (forth.interval is None) == alone
    if forth.interval is not None:
        assert 0 <= forth.interval.low <= forth.interval.high <= 1


@few
@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=1, max_size=20))
def test_survival_only_falls_and_is_the_plain_share_without_censoring(seeds: list[tuple[int, bool]]) -> None:
    steps, reached = (np.array(part) for part in zip(*seeds, strict=True))
    found = kaplan_meier(steps, list(reached))
    assert (np.diff(found.waiting, prepend=1) < 0).all()
    assert (found.low <= found.waiting + 1e-12).all()
    everyone = kaplan_meier(steps, [True] * len(steps))
    np.testing.assert_allclose(everyone.waiting, [(steps > step).mean() for step in everyone.step], atol=1e-12)


@few
@given(st.lists(st.lists(st.none() | numbers, min_size=5, max_size=5), min_size=1, max_size=6))
def test_a_curve_over_seeds_is_their_interquartile_mean_where_all_have_values(rows: list[list[float | None]]) -> None:
    values = np.array(rows, dtype=float)
    found = banded_curve(values, resamples=50)
    for column, there in enumerate(values.T):
        if not np.isfinite(there).all():
            assert found.count[column] == 0
            assert np.isnan([found.iqm[column], found.low[column], found.high[column]]).all()
            continue
        assert found.count[column] == len(there)
        assert found.iqm[column] == pytest.approx(iqm(there))
        assert np.isnan(found.low[column]) == np.isnan(found.high[column]) == (len(there) < 2)
        if len(there) > 1:
            assert there.min() - 1e-6 <= found.low[column] <= found.high[column] <= there.max() + 1e-6
