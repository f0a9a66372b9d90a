"""Downsampling of curves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rlviz.stats.arrays import MIN_POINTS, Floats, downsample

NAN = float("nan")


def random_curve(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return steps with repetitions and jumps, and values with outliers and gaps."""
    n = int(rng.integers(1, 3000))
    x = np.cumsum(rng.choice([0, 1, 1, 7, 500], size=n)).astype(np.float64)
    y = np.cumsum(rng.normal(size=n)) + rng.choice([0, 0, 0, 0, 1e6], size=n) * rng.normal(size=n)
    kind = rng.integers(4)
    if kind == 1:
        y[rng.random(n) < rng.random()] = NAN
    elif kind == 2:
        start = int(rng.integers(n))
        y[start : start + int(rng.integers(1, n + 1))] = NAN
    elif kind == 3:
        y[rng.integers(n)] = NAN
    return x, y


def positions(x: Floats, y: Floats, fewer_x: Floats, fewer_y: Floats) -> list[int]:
    """Return the positions of the kept points; fail if a point is invented or moved."""
    found, start = [], 0
    for px, py in zip(fewer_x, fewer_y, strict=True):
        same = (x[start:] == px) & ((y[start:] == py) | (np.isnan(y[start:]) & np.isnan(py)))
        assert same.any(), f"({px}, {py}) is not in the curve, or out of order"
        start += int(np.argmax(same)) + 1
        found.append(start - 1)
    return found


def test_a_curve_of_few_points_is_unchanged() -> None:
    x, y = np.arange(50.0), np.full(50, NAN)
    for n in (0, 1, 49, 50):
        fewer_x, fewer_y = downsample(x[:n], y[:n], 50)
        assert np.array_equal(fewer_x, x[:n])
        assert np.array_equal(fewer_y, y[:n], equal_nan=True)


def test_a_curve_has_at_most_max_points_and_invents_none() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        x, y = random_curve(rng)
        max_points = int(rng.integers(MIN_POINTS, 200))
        fewer_x, fewer_y = downsample(x, y, max_points)
        assert len(fewer_x) == len(fewer_y) <= max_points
        positions(x, y, fewer_x, fewer_y)


def test_first_last_minimum_and_maximum_are_always_kept() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        x, y = random_curve(rng)
        fewer_x, fewer_y = downsample(x, y, int(rng.integers(MIN_POINTS, 100)))
        assert (fewer_x[0], fewer_x[-1]) == (x[0], x[-1])
        assert np.array_equal(fewer_y[[0, -1]], y[[0, -1]], equal_nan=True)
        if np.isfinite(y).any():
            assert np.nanmin(fewer_y) == np.nanmin(y)
            assert np.nanmax(fewer_y) == np.nanmax(y)


def test_every_bucket_keeps_its_minimum_and_maximum() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        x = np.cumsum(rng.choice([0, 1, 1, 7, 500], size=2000)).astype(np.float64)
        y = rng.normal(size=2000)
        buckets = int(rng.integers(1, 60))
        fewer_x, fewer_y = downsample(x, y, max(MIN_POINTS, 2 * buckets + 2))
        buckets = (max(MIN_POINTS, 2 * buckets + 2) - 2) // 2
        edges = [*np.linspace(x[0], x[-1], buckets, endpoint=False), np.inf]
        for left, right in itertools.pairwise(edges):
            inside, kept = y[(x >= left) & (x < right)], fewer_y[(fewer_x >= left) & (fewer_x < right)]
            if len(inside):
                assert kept.min() == inside.min()
                assert kept.max() == inside.max()


def test_a_line_breaks_exactly_at_nulls() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        _, y = random_curve(rng)
        x = np.arange(len(y), dtype=np.float64)
        fewer_x, fewer_y = downsample(x, y, int(rng.integers(7, 100)))
        kept = fewer_x.astype(int)
        for left, right in itertools.pairwise(kept):
            if np.isfinite(y[left]) and np.isfinite(y[right]):
                assert np.isfinite(y[left:right]).all(), f"a gap between {left} and {right} vanished"
        assert np.array_equal(fewer_y, y[kept], equal_nan=True)


def test_a_single_null_among_a_million_values_stays() -> None:
    y = np.sin(np.arange(1_000_000.0))
    y[123_456] = NAN
    fewer_x, fewer_y = downsample(np.arange(1_000_000.0), y, 500)
    assert len(fewer_x) <= 500
    assert fewer_x[np.isnan(fewer_y)].tolist() == [123_456]


def test_a_single_spike_among_a_million_values_stays() -> None:
    y = np.zeros(1_000_000)
    y[700_001], y[700_002] = 9.0, -9.0
    fewer_x, fewer_y = downsample(np.arange(1_000_000.0), y, 100)
    assert {(700_001.0, 9.0), (700_002.0, -9.0)} <= set(zip(fewer_x, fewer_y, strict=True))


def test_a_curve_of_nulls_stays_a_curve_of_nulls() -> None:
    fewer_x, fewer_y = downsample(np.arange(1000.0), np.full(1000, NAN), 20)
    assert (fewer_x[0], fewer_x[-1]) == (0, 999)
    assert np.isnan(fewer_y).all()


def test_infinity_is_a_gap_and_hides_no_extreme() -> None:
    y = np.sin(np.arange(1000.0))
    y[500:502], y[600:602] = [np.inf, 5], [-np.inf, -5]
    _, fewer_y = downsample(np.arange(1000.0), y, 50)
    assert (~np.isfinite(fewer_y)).sum() == 2
    assert fewer_y[np.isfinite(fewer_y)].max() == 5
    assert fewer_y[np.isfinite(fewer_y)].min() == -5


def test_a_constant_curve_spans_its_whole_range() -> None:
    fewer_x, fewer_y = downsample(np.arange(1000.0), np.full(1000, 3.5), 50)
    assert (fewer_x[0], fewer_x[-1]) == (0, 999)
    assert set(fewer_y) == {3.5}


def test_many_values_at_one_step_keep_their_extremes() -> None:
    fewer_x, fewer_y = downsample(np.full(1000, 64.0), np.sin(np.arange(1000.0)), 10)
    assert set(fewer_x) == {64}
    assert fewer_y.max() == np.sin(np.arange(1000.0)).max()
    assert fewer_y.min() == np.sin(np.arange(1000.0)).min()


@pytest.mark.parametrize("max_points", [-1, 0, 1, MIN_POINTS - 1])
def test_too_few_points_to_keep_every_extreme_are_refused(max_points: int) -> None:
    with pytest.raises(ValueError, match=f"at least {MIN_POINTS}"):
        downsample(np.arange(10.0), np.arange(10.0), max_points)


def test_arrays_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        downsample(np.arange(10.0), np.arange(9.0), 100)
