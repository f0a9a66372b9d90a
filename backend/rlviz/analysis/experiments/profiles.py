"""Performance profiles of the variants of an experiment, over the same values."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from rlviz.analysis.arrays import Floats
from rlviz.analysis.experiments.made import AGARWAL, Frozen, Made, numbers
from rlviz.analysis.experiments.scores import resamples_for
from rlviz.analysis.statistics import performance_profile
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES
from rlviz.analysis.statistics.profiles import PROFILE_RESAMPLES

PROFILE_VALUES = 101
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
    """Performance profiles: the higher the curve, the better; where two cross, neither is better throughout."""

    value: list[float] = Field(description="Returns, ascending: the axis of all profiles.")
    variants: list[VariantProfile] = Field(description="From best to worst.")
    left_out: list[str] = Field(description="Ids of variants beyond the best 20.")


def profiles(scores: dict[str, Floats]) -> Profiles:
    """``scores``: by variant, each of shape (n,) with at least one, from the best variant to the worst."""
    ids = list(scores)
    if not ids:
        return Profiles(value=[], variants=[], left_out=[])
    resamples = resamples_for(sum(len(scores[one]) for one in ids[:MOST_PROFILES]), FEWEST_DRAWN, PROFILE_RESAMPLES)
    least, most = (end(np.concatenate(list(scores.values()))) for end in (np.min, np.max))
    margin = (most - least or max(abs(most), 1.0)) * 0.02
    value = np.linspace(least - margin, most + margin, PROFILE_VALUES)
    return Profiles(
        value=value.tolist(),
        variants=[_profile(variant, scores[variant], value, resamples) for variant in ids[:MOST_PROFILES]],
        left_out=ids[MOST_PROFILES:],
    )


def _profile(variant: str, scores: Floats, value: Floats, resamples: int) -> VariantProfile:
    found, n = performance_profile([scores], value, resamples=resamples), len(scores)
    drawn = n >= FEWEST_SCORES
    return VariantProfile(
        variant=variant,
        share=found.share.tolist(),
        low=numbers(found.low),
        high=numbers(found.high),
        made=Made(
            definition="Performance profile: for each return the share of seeds whose score is greater, with a band "
            "by bootstrap at each return by itself.",
            n=n,
            resamples=resamples if drawn else None,
            confidence=CONFIDENCE if drawn else None,
            source=AGARWAL,
        ),
    )
