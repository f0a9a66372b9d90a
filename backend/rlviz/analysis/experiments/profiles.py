"""Performance profiles of the variants of an experiment, on one environment or several, over the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from rlviz.analysis.arrays import Floats
from rlviz.analysis.experiments.made import AGARWAL, Frozen, Made, numbers
from rlviz.analysis.experiments.scores import resamples_for
from rlviz.analysis.statistics import performance_profile
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, has_interval
from rlviz.analysis.statistics.profiles import PROFILE_RESAMPLES

PROFILE_VALUES = 101
"""At which profiles are taken, where there are more scores than these."""

MOST_PROFILES = 20
FEWEST_DRAWN = 500
"""Resamples of a band at least, however many scores all profiles have together."""


class VariantProfile(Frozen):
    variant: str
    share: list[float] = Field(description="Share of its scores that are greater than each value.")
    low: list[float | None] = Field(description="95 % band, at each value by itself; null for a single score.")
    high: list[float | None]
    made: Made


class Profiles(Frozen):
    """Performance profiles: the higher the curve, the better; where two cross, neither is better throughout. They are
    steps: a share holds until the next value."""

    value: list[float] = Field(
        description="Returns, or normalised scores of several environments, ascending: the axis of all profiles."
    )
    variants: list[VariantProfile] = Field(description="From best to worst.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 20.")


def profiles(scores: Mapping[str, Sequence[Floats]]) -> Profiles:
    """``scores``: by variant, from the best to the worst, on each environment of shape (n,) with at least one."""
    ids = list(scores)
    if not ids:
        return Profiles(value=[], variants=[], left_out=[])
    drawn = sum(len(task) for one in ids[:MOST_PROFILES] for task in scores[one])
    resamples = resamples_for(drawn, FEWEST_DRAWN, PROFILE_RESAMPLES)
    every = np.concatenate([task for tasks in scores.values() for task in tasks])
    least, most = every.min(), every.max()
    margin = (most - least or max(abs(most), 1.0)) * 0.02
    steps = np.unique(every)  # a profile falls at scores, and nowhere else
    ends = (least - margin, most + margin)
    value = np.linspace(*ends, PROFILE_VALUES) if len(steps) > PROFILE_VALUES else np.array([ends[0], *steps, ends[1]])
    return Profiles(
        value=value.tolist(),
        variants=[_profile(variant, scores[variant], value, resamples) for variant in ids[:MOST_PROFILES]],
        left_out=ids[MOST_PROFILES:],
    )


def _profile(variant: str, scores: Sequence[Floats], value: Floats, resamples: int) -> VariantProfile:
    found = performance_profile(scores, value, resamples=resamples)
    drawn = has_interval(scores)
    of = "return" if len(scores) == 1 else f"normalised score, over {len(scores)} environments,"
    return VariantProfile(
        variant=variant,
        share=found.share.tolist(),
        low=numbers(found.low),
        high=numbers(found.high),
        made=Made(
            definition=f"Performance profile: for each {of} the share of seeds whose score is greater, with a band "
            "by bootstrap at each value by itself.",
            n=sum(map(len, scores)),
            resamples=resamples if drawn else None,
            confidence=CONFIDENCE if drawn else None,
            source=AGARWAL,
        ),
    )
