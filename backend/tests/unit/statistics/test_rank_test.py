"""The rank test, compared with SciPy's and with an exact count of permutations."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rlviz.stats.arrays import Floats
from rlviz.stats.seeds import rank_test


def scipys(x: Floats, y: Floats, **how: Any) -> float:
    """SciPy's p-value. It is imported only here: each process that collects the tests would wait for it."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(x, y, **how).pvalue)


def drawn(seed: int, *sizes: int) -> list[Floats]:
    rng = np.random.default_rng(seed)
    return [rng.normal(0.4 * place, 1, size) for place, size in enumerate(sizes)]


@pytest.mark.parametrize("sizes", [(5, 5), (10, 10), (7, 12), (20, 20), (1, 30)])
def test_for_few_scores_it_equals_the_exact_test_of_scipy(sizes: tuple[int, int]) -> None:
    x, y = drawn(1, *sizes)
    assert rank_test([x], [y]) == pytest.approx(scipys(x, y, method="exact"))


@pytest.mark.parametrize("values", [None, 6])
def test_for_many_scores_it_equals_the_normal_test_of_scipy(values: int | None) -> None:
    x, y = drawn(2, 60, 50)
    if values is not None:
        x, y = np.round(x * values / 4), np.round(y * values / 4)
    expected = scipys(x, y, method="asymptotic", use_continuity=False)
    assert rank_test([x], [y]) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_with_ties_all_permutations_of_the_scores_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 5).astype(float), rng.integers(1, 5, 4).astype(float)
    assert rank_test([x], [y]) == pytest.approx(counted([x], [y]))


def test_over_tasks_the_mean_of_the_probabilities_counts() -> None:
    x, y = [np.array([1.0, 2, 4]), np.array([5.0, 5])], [np.array([0.0, 3, 3]), np.array([4.0, 5, 6])]
    assert rank_test(x, y) == pytest.approx(counted(x, y))


def test_a_task_with_equal_scores_and_contradicting_tasks_carry_no_evidence() -> None:
    high, low, level = np.arange(5.0) + 10, np.arange(5.0), np.ones(5)
    assert rank_test([high], [low]) == pytest.approx(2 / 252)
    assert rank_test([high, level], [low, level]) == pytest.approx(2 / 252)
    assert rank_test([high, high], [low, low]) == pytest.approx(2 / 252**2)
    assert rank_test([high, low], [low, high]) == pytest.approx(1)
    assert rank_test([level], [level]) == 1


def test_scores_from_the_same_distribution_are_rarely_significant() -> None:
    rng = np.random.default_rng(3)
    found = [rank_test([rng.normal(0, 1, 6)], [rng.normal(0, 1, 6)]) for _ in range(400)]
    assert np.mean(np.array(found) <= 0.05) <= 0.07


def test_both_sides_need_scores_of_the_same_tasks() -> None:
    with pytest.raises(ValueError, match="zip"):
        rank_test([np.ones(2)], [np.ones(2), np.ones(2)])
    with pytest.raises(ValueError, match="at least one score"):
        rank_test([np.ones(0)], [np.ones(2)])


def probability(first: list[Floats], second: list[Floats]) -> float:
    each = [((x[:, None] > y) + (x[:, None] == y) / 2).mean() for x, y in zip(first, second, strict=True)]
    return float(np.mean(each))


def counted(first: list[Floats], second: list[Floats]) -> float:
    """Return the exact p-value by enumerating all permutations of the scores within each task."""
    seen = abs(probability(first, second) - 0.5)
    every: list[list[tuple[Floats, Floats]]] = [[]]
    for x, y in zip(first, second, strict=True):
        pool = np.concatenate([x, y])
        ways = [np.isin(np.arange(len(pool)), chosen) for chosen in combinations(range(len(pool)), len(x))]
        every = [[*before, (pool[way], pool[~way])] for before in every for way in ways]
    far = [abs(probability([x for x, _ in one], [y for _, y in one]) - 0.5) >= seen - 1e-12 for one in every]
    return float(np.mean(far))
