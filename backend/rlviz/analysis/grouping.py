"""What a measure of many runs amounts to, by group: figures with intervals, boxes, rank correlation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.statistics import Summary, summarize
from rlviz.analysis.statistics.bootstrap import FEWEST_SCORES, RESAMPLES

MOST_OUTLIERS = 20

DRAWN = 1_000_000
"""Scores that the bootstrap of one group draws: of many runs there are fewer resamples, and a narrower interval."""

FEWEST_RESAMPLES = 200

Key = tuple[str | None, ...]


@dataclass(frozen=True)
class Member:
    """A run in a group. ``value`` is None where it has none. ``stratum``: the bootstrap draws runs of one stratum for
    runs of that stratum, so that each environment keeps its share, if every stratum has several."""

    run_id: str
    value: float | None
    stratum: str = ""


@dataclass(frozen=True)
class Box:
    """Quartiles, and whiskers to the furthest values within 1.5 interquartile ranges of them (Tukey 1977).

    ``outliers``: the values beyond, the furthest from the median first, MOST_OUTLIERS at most of ``beyond``.
    """

    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    outliers: Sequence[Member]
    beyond: int


@dataclass(frozen=True)
class Group:
    """``key``: the value of each setting that is grouped by. ``count``: runs with a value, of ``runs``.

    ``summary`` and ``box`` are None where no run has a value.
    """

    key: Key
    runs: int
    count: int
    summary: Summary | None
    box: Box | None


def grouped(members: Mapping[Key, Sequence[Member]]) -> list[Group]:
    """The groups, from the greatest interquartile mean to the least; those without a value last."""
    groups = [_group(key, ours) for key, ours in members.items()]
    return sorted(groups, key=lambda one: (one.summary is None, -one.summary.iqm if one.summary else 0.0))


def rank_correlation(x: Iterable[float], y: Iterable[float]) -> float | None:
    """Spearman's: the correlation of the ranks, ties with their mean rank. None for fewer than three points, or where
    all are the same."""
    first, second = _ranks(np.array(list(x))), _ranks(np.array(list(y)))
    if len(first) < 3 or not first.std() or not second.std():
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _group(key: Key, members: Sequence[Member]) -> Group:
    known = [(one, one.value) for one in members if one.value is not None and np.isfinite(one.value)]
    if not known:
        return Group(key, len(members), 0, None, None)
    values = np.array([value for _, value in known])
    resamples = int(np.clip(DRAWN // len(values), FEWEST_RESAMPLES, RESAMPLES))
    strata: dict[str, list[float]] = {}
    for one, value in known:
        strata.setdefault(one.stratum, []).append(value)
    # Of a stratum with one run every resample is the same: an interval without a width would look like certainty.
    tasks = [values] if min(map(len, strata.values())) < FEWEST_SCORES else [np.array(one) for one in strata.values()]
    summary = summarize(tasks, resamples=resamples)
    return Group(key, len(members), len(known), summary, _box([one for one, _ in known], values))


def _box(members: Sequence[Member], values: Floats) -> Box:
    lower, median, upper = (float(one) for one in np.percentile(values, (25, 50, 75)))
    reach = 1.5 * (upper - lower)
    within = (values >= lower - reach) & (values <= upper + reach)
    beyond = sorted(np.flatnonzero(~within).tolist(), key=lambda place: -abs(values[place] - median))
    return Box(
        low=float(values[within].min()),
        lower_quartile=lower,
        median=median,
        upper_quartile=upper,
        high=float(values[within].max()),
        outliers=[members[place] for place in beyond[:MOST_OUTLIERS]],
        beyond=len(beyond),
    )


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])
