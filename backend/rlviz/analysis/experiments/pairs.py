"""Pairs: how often a seed of one variant does better than a seed of another, on one environment or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

from pydantic import Field

from rlviz.analysis.arrays import Floats
from rlviz.analysis.experiments.made import AGARWAL, Frozen, Made
from rlviz.analysis.experiments.scores import resamples_for
from rlviz.analysis.statistics import probability_of_improvement, rank_test
from rlviz.analysis.statistics.bootstrap import CONFIDENCE

MOST_COMPARED = 12
"""Variants that are compared in pairs, the best by interquartile mean: 66 pairs."""


class Pair(Frozen):
    """Whether ``first`` does better than ``second``. The other way round all probabilities are 1 minus these."""

    first: str = Field(description="Id of a variant, or of a method where they are compared over environments.")
    second: str
    seeds_first: int = Field(description="Scores on each environment: where there are several, the fewest.")
    seeds_second: int
    probability: float = Field(description="That a seed of the first does better than one of the second; ties half.")
    low: float | None = Field(description="Ends of its 95 % interval; null if one of the two has a single seed.")
    high: float | None
    joint_low: float | None = Field(
        description="Ends of the wider interval, likewise; those of all pairs together hold with 95 %."
    )
    joint_high: float | None
    chance: float = Field(
        description="p-value: how likely ranks at least as far apart were, in either direction, if both were the same "
        "(Mann-Whitney, exact up to 40 scores on an environment)."
    )
    made: Made

    @property
    def has_no_width(self) -> bool:
        """Whether no resample says anything else: everywhere all seeds of one did better, or all were level."""
        return self.joint_low is not None and self.joint_low == self.joint_high


class Improvements(Frozen):
    """Probability of improvement, for each pair of ``variants``."""

    variants: list[str] = Field(description="Ids, from best to worst: rows and columns of the matrix.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 12, which are not compared in pairs.")
    matrix: list[list[float | None]] = Field(description="Row against column; null on the diagonal.")
    pairs: list[Pair] = Field(description="Each pair once, the better ranked first.")


def improvements(scores: Mapping[str, Sequence[Floats]]) -> Improvements:
    """``scores``: by variant, from the best to the worst, on each environment of shape (n,) with at least one."""
    ids = list(scores)
    compared = ids[:MOST_COMPARED]
    count = max(comb(len(compared), 2), 1)
    pairs = [_pair(a, scores[a], b, scores[b], count) for a, b in combinations(compared, 2)]
    places = {variant: place for place, variant in enumerate(compared)}
    matrix: list[list[float | None]] = [[None] * len(compared) for _ in compared]
    for pair in pairs:
        matrix[places[pair.first]][places[pair.second]] = pair.probability
        matrix[places[pair.second]][places[pair.first]] = 1 - pair.probability
    return Improvements(variants=compared, left_out=ids[MOST_COMPARED:], matrix=matrix, pairs=pairs)


def _pair(first: str, ours: Sequence[Floats], second: str, theirs: Sequence[Floats], pairs: int) -> Pair:
    seeds = [(len(x), len(y)) for x, y in zip(ours, theirs, strict=True)]
    resamples = resamples_for(sum(n + m for n, m in seeds) * pairs)
    joint = 1 - (1 - CONFIDENCE) / pairs
    found = probability_of_improvement(ours, theirs, resamples=resamples)
    averaged = f" It is the mean of {len(seeds)} environments, each of which counts the same." if len(seeds) > 1 else ""
    interval, wide = found.interval, found.interval_of(joint)
    return Pair(
        first=first,
        second=second,
        seeds_first=min(n for n, _ in seeds),
        seeds_second=min(m for _, m in seeds),
        probability=found.probability,
        low=interval and interval.low,
        high=interval and interval.high,
        joint_low=wide and wide.low,
        joint_high=wide and wide.high,
        chance=rank_test(ours, theirs),
        made=Made(
            definition="Probability of improvement: of all pairs of a seed of the first and a seed of the second, the "
            f"share in which the first did better; ties count half.{averaged} The interval is the percentile interval "
            "of a bootstrap over the seeds of both.",
            n=sum(n * m for n, m in seeds),
            resamples=resamples if interval else None,
            confidence=CONFIDENCE if interval else None,
            source=AGARWAL,
        ),
    )
