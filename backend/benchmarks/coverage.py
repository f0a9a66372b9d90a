"""Measures by simulation how often the 95 % interval of the interquartile mean contains the true value.

Scores are drawn from distributions with a known interquartile mean, one score for each seed of a comparison. The result
is the share of trials whose interval contains that mean. ``make bench`` checks the default interval; the second command
prints the table of docs/experiments.md.

    python -m benchmarks coverage
    python -m benchmarks.coverage
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np

from benchmarks.support import Figure, figure
from rlviz.stats.arrays import Floats
from rlviz.stats.seeds import Method, bootstrap_interval, iqm

TRIALS = 2_000
RESAMPLES = 2_000
SEEDS = (3, 5, 10, 20, 50)
POPULATION = 2_000_000

ENOUGH_SEEDS = 10
"""With this number of seeds or more, an interval contains the true value nearly as often as it claims."""

LEAST_COVERED = 92.0
"""Least per cent with that number of seeds: 94 was measured, and the simulation is accurate to one point."""

Draw = Callable[[np.random.Generator, int], Floats]

WORLDS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed (exponential)": lambda rng, n: rng.exponential(size=n),
    "one in five fails": lambda rng, n: np.where(rng.random(n) < 0.2, 0.0, 1.0) + rng.normal(0, 0.05, n),
}


def run() -> Iterator[Figure]:
    for name, world in WORLDS.items():
        truth = iqm(world(np.random.default_rng(0), POPULATION))
        for seeds in (5, ENOUGH_SEEDS, 20):
            share = 100 * _covered(world, truth, seeds, Method.PERCENTILE)
            least = LEAST_COVERED if seeds >= ENOUGH_SEEDS else None
            yield figure(f"95 % intervals with the truth in them, {name}, {seeds} seeds", share, "%", at_least=least)


def print_table() -> None:
    print(f"| scores | interval | {' | '.join(f'{n} seeds' for n in SEEDS)} |")
    print(f"| --- | --- | {' | '.join('---:' for _ in SEEDS)} |")
    for name, world in WORLDS.items():
        truth = iqm(world(np.random.default_rng(0), POPULATION))
        for method in Method:
            cells = [f"{100 * _covered(world, truth, n, method):.0f} %" for n in SEEDS]
            print(f"| {name} | {method.value} | {' | '.join(cells)} |", flush=True)
    error = NormalDist().inv_cdf(0.975) * np.sqrt(0.05 * 0.95 / TRIALS)
    print(f"\n{TRIALS:,} trials each: a true 95 % comes out within ± {100 * error:.0f} points.")


def _covered(world: Draw, truth: float, seeds: int, method: Method) -> float:
    held = 0
    for trial in range(TRIALS):
        scores = world(np.random.default_rng([trial, seeds]), seeds)
        found = bootstrap_interval([scores], method=method, resamples=RESAMPLES, seed=trial)
        assert found is not None
        held += found.low <= truth <= found.high
    return held / TRIALS


if __name__ == "__main__":
    print_table()
