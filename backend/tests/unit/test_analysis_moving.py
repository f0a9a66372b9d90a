"""Moving averages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.stats.arrays import Floats
from rlviz.stats.returns import exponential_average, moving_average

SHARED_WITH_THE_BROWSER: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "moving_average.json").read_text()
)


def plainly(values: Floats, window: int) -> Floats:
    return np.array([values[max(0, i - window + 1) : i + 1].mean() for i in range(len(values))])


def test_the_moving_average_covers_the_last_window_values_and_fewer_at_the_start() -> None:
    assert moving_average(np.array([1.0, 3.0, 5.0, 10.0]), 3).tolist() == [1, 2, 3, 6]


def test_the_moving_average_equals_the_plain_mean_for_every_length_and_window() -> None:
    rng = np.random.default_rng(6)
    for _ in range(300):
        values = rng.normal(size=int(rng.integers(0, 300)))
        window = int(rng.integers(1, 120))
        np.testing.assert_allclose(moving_average(values, window), plainly(values, window), atol=1e-12)


def test_a_null_clears_the_mean_of_exactly_the_windows_that_contain_it() -> None:
    values = np.arange(20.0)
    values[7] = np.nan
    missing = np.isnan(moving_average(values, 5))
    assert np.flatnonzero(missing).tolist() == [7, 8, 9, 10, 11]
    np.testing.assert_allclose(moving_average(values, 5), plainly(values, 5))


def test_one_huge_return_does_not_reduce_the_precision_of_later_means() -> None:
    values = np.full(100, 0.1)
    values[3] = 1e18
    np.testing.assert_allclose(moving_average(values, 10)[13:], 0.1, rtol=1e-12)


def test_the_window_may_be_longer_than_the_run() -> None:
    assert moving_average(np.array([2.0, 4.0]), 10**9).tolist() == [2, 3]
    assert moving_average(np.empty(0), 10).shape == (0,)


def test_the_input_values_are_unchanged() -> None:
    values = np.arange(10.0)
    moving_average(values, 3)
    assert values.tolist() == list(range(10))


@pytest.mark.parametrize("window", [0, -3])
def test_an_empty_window_is_refused(window: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        moving_average(np.arange(3.0), window)


@pytest.mark.parametrize("case", SHARED_WITH_THE_BROWSER, ids=lambda case: str(case["name"]))
def test_the_exponential_average_equals_that_of_the_browser(case: dict[str, Any]) -> None:
    found = exponential_average(np.array(case["values"], dtype=np.float64), case["smoothing"])
    np.testing.assert_allclose(found.values, np.array(case["averages"], dtype=np.float64), rtol=1e-12)
    np.testing.assert_allclose(found.mean, np.nan if case["mean"] is None else case["mean"], rtol=1e-12)
    np.testing.assert_allclose(found.weight, case["weight"], rtol=1e-12)


@pytest.mark.parametrize("smoothing", [0.01, 0.5, 0.9, 0.99])
def test_the_exponential_average_is_exact_across_blocks(smoothing: float) -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=60_000) * 10.0 ** rng.integers(-6, 6, size=60_000)
    values[rng.integers(0, len(values), size=500)] = np.nan
    total = weight = 0.0
    plain = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        if not np.isnan(value):
            total, weight = total * smoothing + value, weight * smoothing + 1
            plain[place] = total / weight
    np.testing.assert_allclose(exponential_average(values, smoothing).values, plain, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_a_smoothing_outside_its_range_is_refused(smoothing: float) -> None:
    with pytest.raises(ValueError, match="below 1"):
        exponential_average(np.arange(3.0), smoothing)
