"""Which of several settings is better, when each was trained with several seeds: only what their interval carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.numbers import decimal
from rlviz.analysis.statistics import probability_of_improvement, summarize

LEAST_SEEDS = 5
"""Of each, before one is called better: with fewer, intervals hold too seldom (docs/experiments.md)."""


@dataclass(frozen=True, eq=False)
class SeedScores:
    """``scores``: the final return of each seed, shape (n,); at least one."""

    label: str
    scores: Floats


def seed_verdict(groups: Sequence[SeedScores]) -> tuple[str, list[str]]:
    """A headline on the two with the highest interquartile means, and the reasons. Takes two groups at least."""
    ranked = sorted(groups, key=lambda group: summarize([group.scores], resamples=1).iqm, reverse=True)
    first, second = ranked[:2]
    ends = "; ".join(_told(group) for group in ranked)
    why = [f"Final return as interquartile mean over seeds [95 % interval]: {ends}."]
    fewest = min(len(first.scores), len(second.scores))
    if fewest < LEAST_SEEDS:
        needed = f"{LEAST_SEEDS} seeds of each are needed for an interval that can be trusted"
        return "Nothing can be said yet.", [f"{needed}; there {'is' if fewest == 1 else 'are'} {fewest}.", *why]
    found = probability_of_improvement([first.scores], [second.scores])
    low, high = found.interval.low, found.interval.high
    told = f"{found.probability:.2f} [{low:.2f}, {high:.2f}]"
    if low > 0.5:
        return f"{first.label} is better than {second.label} with probability {told}.", why
    chance = f"A seed of {first.label} does better than a seed of {second.label} with probability {told}."
    return "Nothing can be said yet.", [f"{chance} That may be chance.", *why]


def _told(group: SeedScores) -> str:
    found = summarize([np.asarray(group.scores)])
    interval = f" [{decimal(found.interval.low)}, {decimal(found.interval.high)}]" if found.count > 1 else ""
    return f"{group.label} {decimal(found.iqm)}{interval}, {found.count} seed{'s' if found.count > 1 else ''}"
