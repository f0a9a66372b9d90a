"""Figures of groups: what a figure amounts to over the seeds of one setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from pydantic import Field

from rlviz.analysis.experiments.made import AGARWAL, KAPLAN_MEIER, Frozen, Made
from rlviz.analysis.statistics import kaplan_meier, summarize
from rlviz.analysis.statistics.bootstrap import CONFIDENCE, FEWEST_SCORES, RESAMPLES


class GroupFigure(Frozen):
    """A figure over the seeds of one setting: their interquartile mean, or, of one that a seed may not have got to yet,
    the median by Kaplan and Meier."""

    value: float | None = Field(description="Null: no seed has it, or fewer than half got there.")
    low: float | None = Field(description="Ends of its 95 % interval; null: of one seed, or not within the training.")
    high: float | None
    count: int = Field(description="Seeds that have the figure.")
    seeds: int = Field(description="Seeds of the group that are compared.")
    made: Made


@dataclass(frozen=True)
class SeedFigure:
    """``value``: None where a seed has none. ``spent``: how long it has trained without getting there, in the figure's
    unit; None where that is not known."""

    value: float | None
    spent: float | None = None


def mean_of_seeds(seeds: Sequence[SeedFigure], what: str) -> GroupFigure:
    """The interquartile mean of those that have the figure. ``what``: how it is measured of one."""
    known = tuple(one.value for one in seeds if one.value is not None)
    has_interval = len(known) >= FEWEST_SCORES
    made = Made(
        definition=f"Interquartile mean over seeds of the {what}, with the percentile interval of a bootstrap over "
        "seeds.",
        n=len(known),
        resamples=RESAMPLES if has_interval else None,
        confidence=CONFIDENCE if has_interval else None,
        source=AGARWAL,
    )
    value, low, high = _summary(known) if known else (None, None, None)
    return GroupFigure(value=value, low=low, high=high, count=len(known), seeds=len(seeds), made=made)


def median_of_seeds(seeds: Sequence[SeedFigure], what: str) -> GroupFigure:
    """The median of how long it took, in which a seed that has not got there takes longer than it has trained. One that
    has not begun, or of which that is not known, is left out. ``what``: what took so long."""
    known = [one for one in seeds if one.value is not None or one.spent]
    value, low, high = None, None, None
    if known:
        spent = np.array([one.spent if one.value is None else one.value for one in known], dtype=np.float64)
        survival = kaplan_meier(spent, [one.value is not None for one in known])
        value, (low, high) = survival.median, survival.median_interval
    made = Made(
        definition=f"Median over seeds of the {what}. A seed that has not got there is censored: it takes more than it "
        "was trained for.",
        n=len(known),
        confidence=CONFIDENCE if len(known) >= FEWEST_SCORES else None,
        source=KAPLAN_MEIER,
    )
    reached = sum(one.value is not None for one in seeds)
    return GroupFigure(value=value, low=low, high=high, count=reached, seeds=len(seeds), made=made)


@lru_cache(maxsize=1_000)
def _summary(values: tuple[float, ...]) -> tuple[float, float | None, float | None]:
    """Kept, because the figures of runs that have ended are asked for again and again."""
    found = summarize([np.array(values)])
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return found.iqm, low, high
