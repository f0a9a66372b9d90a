"""Performance profiles, improvement, survival and curves, compared with results computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rlviz.stats.seeds import (
    banded_curve,
    bootstrap_interval,
    explain_curve,
    kaplan_meier,
    mean,
    performance_profile,
    probability_of_improvement,
    select_far_enough,
)

NAN = float("nan")


def test_a_profile_counts_scores_above_a_value_and_not_those_equal_to_it() -> None:
    found = performance_profile([np.array([1.0, 2]), np.array([2.0, 3])], np.array([0.0, 1, 2, 3]))
    assert found.share.tolist() == [1.0, 0.75, 0.25, 0.0]


def test_improvement_counts_every_pair_and_a_tie_as_half_a_win() -> None:
    found = probability_of_improvement([np.array([1.0, 3])], [np.array([1.0, 2])])
    assert found.probability == (0.5 + 0 + 1 + 1) / 4


def test_tasks_count_the_same_in_improvement_however_many_seeds_they_have() -> None:
    found = probability_of_improvement([np.array([1.0]), np.zeros(9)], [np.array([0.0]), np.ones(9)])
    assert found.probability == 0.5


def test_improvement_needs_scores_of_the_same_tasks() -> None:
    with pytest.raises(ValueError, match="same tasks"):
        probability_of_improvement([np.ones(2)], [np.ones(2), np.ones(2)])


def test_a_seed_that_never_reached_the_threshold_is_neither_left_out_nor_counted_as_solved() -> None:
    """Two of four seeds reach it; the one that ended at 15 is censored."""
    found = kaplan_meier(np.array([10, 15, 20, 50]), [True, False, True, False])
    assert found.step.tolist() == [10, 20]
    assert found.at_risk.tolist() == [4, 2]
    assert found.waiting.tolist() == [0.75, 0.375]
    assert (found.median, found.reached, found.seeds) == (20, 2, 4)


def test_the_median_is_unknown_while_fewer_than_half_reached_the_threshold() -> None:
    found = kaplan_meier(np.array([10, 50, 50]), [True, False, False])
    assert found.median is None
    assert found.median_interval[1] is None


def test_without_a_seed_that_reached_the_threshold_the_curve_is_empty() -> None:
    found = kaplan_meier(np.array([50, 50]), [False, False])
    assert (len(found.step), found.median, found.median_interval) == (0, None, (None, None))


@pytest.mark.parametrize(("steps", "reached"), [([], []), ([1.0], [True, False]), ([-1.0], [True]), ([NAN], [True])])
def test_survival_refuses_invalid_steps(steps: list[float], reached: list[bool]) -> None:
    with pytest.raises(ValueError, match=r"[Ss]teps"):
        kaplan_meier(np.array(steps), reached)


def test_a_curve_stops_where_its_first_seed_stops_so_that_it_never_jumps() -> None:
    found = banded_curve(np.array([[NAN, 1.0, 2, 500, NAN], [3.0, 3, 4, NAN, NAN]]))
    assert found.count.tolist() == [0, 2, 2, 0, 0]
    np.testing.assert_array_equal(found.iqm, [NAN, 2, 3, NAN, NAN])
    np.testing.assert_array_equal(found.low, [NAN, 1, 2, NAN, NAN])
    np.testing.assert_array_equal(found.high, [NAN, 3, 4, NAN, NAN])


@pytest.mark.parametrize(
    ("name", "ends", "trains", "chosen"),
    [
        ("all have ended, the first of them early", [100, 1_000, 1_000], [0, 0, 0], [1, 1, 1]),
        ("all train at about the same pace", [900, 1_000, 950], [1, 1, 1], [1, 1, 1]),
        ("one has just begun", [1_000, 1_000, 50], [0, 0, 1], [1, 1, 0]),
        ("it is nearly there", [1_000, 1_000, 900], [0, 0, 1], [1, 1, 1]),
        ("most still train and are far", [1_000, 800, 850, 820], [0, 1, 1, 1], [1, 1, 1, 1]),
        ("one alone that trains", [10], [1], [1]),
        ("none", [], [], []),
    ],
)
def test_a_seed_that_just_started_does_not_hold_back_the_curve_of_the_others(
    name: str, ends: list[float], trains: list[int], chosen: list[int]
) -> None:
    assert select_far_enough(ends, [bool(one) for one in trains]).tolist() == [bool(one) for one in chosen]


def test_a_curve_of_only_some_seeds_or_steps_says_so() -> None:
    assert explain_curve(np.array([1_000.0, 990.0]), 0) == []
    assert explain_curve(np.array([1_000.0, 200.0, 500.0]), 1) == [
        "1 seed still trains and is left out until it has caught up.",
        "The curve stops at step 200, the last that all 3 seeds reached; 2 of them continue.",
    ]
    assert explain_curve(np.array([1_000.0, 200.0]), 2) == [
        "2 seeds still train and are left out until they have caught up.",
        "The curve stops at step 200, the last that all 2 seeds reached; one of them continues.",
    ]


def test_the_band_of_a_curve_is_the_interval_of_its_scores() -> None:
    scores = np.random.default_rng(5).normal(size=8)
    band = banded_curve(scores[:, None], resamples=20_000)
    interval = bootstrap_interval([scores], resamples=20_000)
    assert band.low[0] == pytest.approx(interval.low, abs=0.03)
    assert band.high[0] == pytest.approx(interval.high, abs=0.03)


def test_a_curve_requires_a_seed_and_an_interval_requires_a_resample() -> None:
    with pytest.raises(ValueError, match="at least one"):
        banded_curve(np.empty((0, 3)))
    with pytest.raises(ValueError, match="at least 1 resample"):
        bootstrap_interval([np.ones(2)], mean, resamples=0)
