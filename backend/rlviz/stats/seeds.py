"""Learning curves of several seeds as one: the interquartile mean at each step, with its interval.

Resamples of scores, as the bootstrap draws them, and scores as every statistic takes them.

Aggregates: one number from the scores of all tasks and seeds.

Intervals by stratified bootstrap: seeds are drawn anew within each task, so that no task weighs more in one
resample than in another.

Probability of improvement: how often one seed of the first does better than one seed of the second.

Performance profiles: which share of all scores lies above each value (Agarwal et al. 2021, section 4.2).

Rank test: how likely ranks are that lie as far apart as these, if both come from the same distribution.

Summary: several scores in the figures that a table shows.

Steps to a threshold over several seeds, some of which have not reached it: the Kaplan-Meier estimate.

Statistics over seeds, as Agarwal et al. recommend (2021, https://arxiv.org/abs/2108.13264).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb, erfc, lcm, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rlviz.stats.arrays import Floats, Indices
from rlviz.stats.number_text import brief

CHUNK_SCORES = 500_000
"""Scores drawn at a time, so that many resamples need little memory and stay in the processor's cache."""

PRODUCT_SIZE = 200_000
"""Multiplications of a matrix product at a time: OpenBLAS shares larger ones among threads, which wait for each other
much longer than such small products take."""


def checked(strata: Sequence[Floats]) -> list[Floats]:
    """The scores of each task as an array of shape (n,). Raises ValueError without scores, or if one is not finite."""
    found = [np.asarray(scores, dtype=np.float64) for scores in strata]
    if not found or any(scores.ndim != 1 or len(scores) == 0 for scores in found):
        raise ValueError("Every task needs at least one score.")
    if not all(np.isfinite(scores).all() for scores in found):
        raise ValueError("Scores have to be finite numbers.")
    return found


def chunks(resamples: int, scores: int) -> Iterator[int]:
    """Sizes of the parts in which ``resamples`` of that many ``scores`` each are drawn. Raises ValueError below 1."""
    if resamples < 1:
        raise ValueError(f"An interval needs at least 1 resample, not {resamples}.")
    size = max(1, CHUNK_SCORES // scores)
    for done in range(0, resamples, size):
        yield min(size, resamples - done)


def draw(strata: Sequence[Floats], resamples: int, rng: np.random.Generator) -> list[Floats]:
    """Resamples with replacement within each task, shapes (resamples, n)."""
    return [scores[rng.integers(len(scores), size=(resamples, len(scores)))] for scores in strata]


def draw_counts(count: int, resamples: int, rng: np.random.Generator) -> Floats:
    """How often each of ``count`` scores is in each resample, shape (resamples, count)."""
    places = rng.integers(count, size=(resamples, count)) + count * np.arange(resamples)[:, None]
    return np.bincount(places.ravel(), minlength=resamples * count).reshape(resamples, count).astype(np.float64)


def product(counts: Floats, values: Floats) -> Floats:
    """``counts @ values`` of shapes (resamples, n) and (n, m)."""
    found = np.empty((len(counts), values.shape[1]))
    rows = max(1, PRODUCT_SIZE // max(values.size, 1))
    for start in range(0, len(counts), rows):
        np.matmul(counts[start : start + rows], values, out=found[start : start + rows])
    return found


def percentile_ends(drawn: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Between which values the middle ``confidence`` of the last axis of ``drawn`` lies, as ``np.percentile`` has it
    by linear interpolation."""
    ordered = np.sort(drawn, axis=-1)
    last = ordered.shape[-1] - 1

    def at(share: float) -> Floats:
        place = share * last
        below = int(place)
        low, high = ordered[..., below], ordered[..., min(below + 1, last)]
        return np.asarray(low + (high - low) * (place - below))

    tail = (1 - confidence) / 2
    return at(tail), at(1 - tail)


Statistic = Callable[[Sequence[Floats]], Floats]


def interquartile_mean(drawn: Sequence[Floats]) -> Floats:
    """The mean of the middle half of all scores; of n scores the lowest and the highest n // 4 are left out."""
    scores = np.concatenate(drawn, axis=-1)  # a copy, to be sorted in place
    scores.sort(axis=-1)
    cut = scores.shape[-1] // 4
    return np.asarray(scores[..., cut : scores.shape[-1] - cut].mean(axis=-1))


def mean(drawn: Sequence[Floats]) -> Floats:
    """The mean of the tasks' means: every task counts the same, however many seeds it has."""
    return np.asarray(np.mean([scores.mean(axis=-1) for scores in drawn], axis=0))


def median(drawn: Sequence[Floats]) -> Floats:
    """The median of all scores."""
    return _middle(np.concatenate(drawn, axis=-1))


def task_median(drawn: Sequence[Floats]) -> Floats:
    """The median of the tasks' means, which the literature on many tasks calls the median. Of one task it is the
    mean."""
    return _middle(np.stack([scores.mean(axis=-1) for scores in drawn], axis=-1))


def optimality_gap(goal: float = 1.0) -> Statistic:
    """By how much scores fall short of ``goal`` on average; what lies above it makes up for nothing. Lower is
    better."""

    def gap(drawn: Sequence[Floats]) -> Floats:
        return np.asarray(goal - np.minimum(np.concatenate(drawn, axis=-1), goal).mean(axis=-1))

    return gap


def iqm(scores: Floats) -> float:
    """Interquartile mean of scores of shape (n,). Raises ValueError without scores."""
    return float(interquartile_mean(checked([scores])))


def _middle(values: Floats) -> Floats:
    """The median over the last axis. NumPy's own imports its masked arrays first, which takes longer than all else."""
    ordered = np.sort(values, axis=-1)
    half = ordered.shape[-1] // 2
    return np.asarray((ordered[..., half] + ordered[..., -half - 1]) / 2)


RESAMPLES = 10_000
CONFIDENCE = 0.95

FEWEST_SCORES = 2
"""Of one task, for an interval: one score says nothing about what others would be."""

_NORMAL = NormalDist()


class Method(StrEnum):
    """How an interval is read off the resamples.

    *percentile*: between their percentiles. *bca*: bias-corrected and accelerated (Efron 1987), which shifts these
    percentiles for a statistic that is biased or whose spread depends on its value; it takes more resamples to settle.
    """

    PERCENTILE = "percentile"
    BCA = "bca"


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


def has_interval(strata: Sequence[Floats]) -> bool:
    """Whether the bootstrap has anything to draw from: with one score a task, every resample is the same."""
    return any(len(scores) >= FEWEST_SCORES for scores in strata)


def bootstrap_interval(
    strata: Sequence[Floats],
    statistic: Statistic = interquartile_mean,
    *,
    method: Method = Method.PERCENTILE,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Interval of ``statistic`` over the scores of each task, arrays of shape (n,); None of tasks with one score each.

    The same ``seed`` gives the same interval. Raises ValueError without scores, or if one is not finite.
    """
    scores = checked(strata)
    if not has_interval(scores):
        return None
    found = resampled(scores, statistic, resamples, np.random.default_rng(seed))
    if method is Method.PERCENTILE:
        low, high = percentile_ends(found, confidence)
    else:
        tail = (1 - confidence) / 2
        low, high = np.quantile(found, _bca_shares(scores, statistic, found, (tail, 1 - tail)))
    return Interval(float(low), float(high))


def resampled(strata: Sequence[Floats], statistic: Statistic, resamples: int, rng: np.random.Generator) -> Floats:
    """``statistic`` of each resample, shape (resamples,)."""
    count = sum(map(len, strata))
    return np.concatenate([statistic(draw(strata, size, rng)) for size in chunks(resamples, count)])


def _bca_shares(
    strata: Sequence[Floats], statistic: Statistic, found: Floats, shares: tuple[float, float]
) -> tuple[float, float]:
    """The percentiles that BCa takes in place of ``shares`` (Efron and Tibshirani 1993, equation 14.10)."""
    estimate = float(statistic(strata))
    below = float(np.mean(found < estimate) + np.mean(found == estimate) / 2)
    if not 0 < below < 1:  # every resample is on one side: there is nothing to correct by
        return shares
    bias, acceleration = _NORMAL.inv_cdf(below), _acceleration(strata, statistic)

    def moved(share: float) -> float:
        shifted = bias + _NORMAL.inv_cdf(share)
        return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))

    return moved(shares[0]), moved(shares[1])


def _acceleration(strata: Sequence[Floats], statistic: Statistic) -> float:
    """From the jackknife within each task (Davison and Hinkley 1997, section 5.3.2). A task with one score has no
    influence: without it there is no task."""
    cubes = squares = 0.0
    for place, scores in enumerate(strata):
        count = len(scores)
        if count < 2:
            continue
        rest = np.broadcast_to(scores, (count, count))[~np.eye(count, dtype=bool)].reshape(count, count - 1)
        others = [np.broadcast_to(other, (count, len(other))) for other in strata]
        left_out = statistic([*others[:place], rest, *others[place + 1 :]])
        influence = (count - 1) * (left_out.mean() - left_out)
        cubes += float(np.sum(influence**3)) / count**3
        squares += float(np.sum(influence**2)) / count**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


AS_LONG = 0.98
"""What trained for at least this share of the steps of another trained for as long: runs end with whole rollouts."""

BAND_RESAMPLES = 500
"""Enough to draw by: a line of the band moves by less than a pixel or two."""


@dataclass(frozen=True, eq=False)
class BandedCurve:
    """Arrays of shape (m,) over the grid of the curves; NaN where not all seeds have a value.

    ``low`` and ``high``: pointwise interval of ``iqm``, NaN for fewer than two seeds. ``count``: seeds that the value
    is of, 0 where there is none.
    """

    iqm: Floats
    low: Floats
    high: Floats
    count: Indices


def banded_curve(
    values: Floats, *, confidence: float = CONFIDENCE, resamples: int = BAND_RESAMPLES, seed: int = 0
) -> BandedCurve:
    """One curve from the curves of n seeds on one grid.

    It stops where the first seed does: of fewer seeds it would leap to what those that are left have reached. The same
    seeds are drawn at every step, as a bootstrap of whole curves does.

    Args:
        values: Shape (n, m), NaN where a seed has no value.
        confidence: Of the interval.
        resamples: Of the bootstrap.
        seed: Of its draws.

    Raises:
        ValueError: Without seeds.
    """
    if len(values) == 0:
        raise ValueError("A curve over seeds needs at least one.")
    known = np.isfinite(values).all(axis=0)
    columns = np.flatnonzero(known)
    iqm, low, high = np.full((3, values.shape[1]), np.nan)
    curves = values[:, columns]
    count = len(curves)
    if len(columns):
        iqm[columns] = interquartile_mean([curves.T])
    if count >= FEWEST_SCORES and len(columns):
        drawn = np.random.default_rng(seed).integers(count, size=(resamples, count))
        done = 0
        for size in chunks(len(columns), resamples * count):
            part = slice(done, done + size)
            found = interquartile_mean([curves.T[part][:, drawn]])
            low[columns[part]], high[columns[part]] = percentile_ends(found, confidence)
            done += size
    return BandedCurve(iqm, low, high, np.where(known, count, 0))


def why_not_all(
    ends: Floats,
    left_out: int,
    place: Callable[[float], str] = lambda step: f"step {brief(step)}",
    one: str = "seed",
) -> list[str]:
    """Sentences that say why a curve is not of all seeds, or stops before some of its seeds do.

    Args:
        ends: The last step of each seed that the curve is of, shape (n,).
        left_out: Seeds that still train and have not come far enough.
        place: Says where a step is.
        one: What one of them is called.
    """
    sentences = []
    if left_out:
        train, them = (f"{one} still trains and is", "it") if left_out == 1 else (f"{one}s still train and are", "them")
        sentences.append(f"{left_out} {train} left out until the curve would not be shorter with {them}.")
    longer = int((AS_LONG * ends > ends.min()).sum()) if len(ends) else 0
    if longer:
        more = "one of them goes" if longer == 1 else f"{longer} of them go"
        sentences.append(
            f"The curve stops at {place(float(ends.min()))}, the last that all {len(ends)} {one}s reached; {more} on."
        )
    return sentences


def far_enough(ends: Sequence[float], trains: Sequence[bool]) -> NDArray[np.bool_]:
    """Which seeds make up one curve, shape (n,): all that have ended, and of those that still train the ones that have
    come far enough not to hold the others back.

    As a curve stops where the first of its seeds does, a seed that has just begun would leave nothing of it. So those
    are left out with which the curve would be of less: fewer seeds times steps.

    Args:
        ends: The last step of each seed, shape (n,).
        trains: Whether it still trains, shape (n,).
    """
    steps, still = np.asarray(ends, dtype=np.float64), np.asarray(trains, dtype=bool)
    furthest_first = np.flatnonzero(still)[np.argsort(-steps[still], kind="stable")]
    best, most = ~still, -1.0
    for taken in range(len(furthest_first) + 1):
        chosen = ~still
        chosen[furthest_first[:taken]] = True
        if chosen.any() and (area := float(chosen.sum() * steps[chosen].min())) >= most:
            best, most = chosen, area
    return best


@dataclass(frozen=True, eq=False)
class Improvement:
    """``each``: the probability on each task, shape (tasks,), whose mean is ``probability``. ``drawn``: the latter in
    each resample, shape (resamples,); None where one of the two has one score a task. ``confidence``: of ``interval``.
    """

    probability: float
    each: Floats
    drawn: Floats | None
    confidence: float

    @property
    def interval(self) -> Interval | None:
        return self.interval_of(self.confidence)

    def interval_of(self, confidence: float) -> Interval | None:
        """From the same resamples, for another confidence."""
        if self.drawn is None:
            return None
        low, high = percentile_ends(self.drawn, confidence)
        return Interval(float(low), float(high))


def probability_of_improvement(
    first: Sequence[Floats],
    second: Sequence[Floats],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Improvement:
    """P(X > Y) + P(X = Y) / 2 for one score of each on the same task, averaged over the tasks (Agarwal et al. 2021,
    section 4.3: the Mann-Whitney U over the number of pairs); its percentile interval draws both anew.

    Raises ValueError without scores, or if the two have different numbers of tasks.
    """
    ours, theirs = checked(first), checked(second)
    if len(ours) != len(theirs):
        raise ValueError(f"Both need scores of the same tasks, not of {len(ours)} and {len(theirs)}.")
    wins = [_wins(x, y) for x, y in zip(ours, theirs, strict=True)]
    each = np.array([table.mean() for table in wins])
    probability = float(each.mean())
    if not (has_interval(ours) and has_interval(theirs)):
        return Improvement(probability, each, None, confidence)
    rng = np.random.default_rng(seed)
    largest = sum(len(x) + len(y) for x, y in zip(ours, theirs, strict=True))
    drawn = np.concatenate(
        [np.mean([_drawn(table, size, rng) for table in wins], axis=0) for size in chunks(resamples, largest)]
    )
    return Improvement(probability, each, drawn, confidence)


def _wins(ours: Floats, theirs: Floats) -> Floats:
    """1 where ours is higher, 1/2 where they are level, shape (n, m)."""
    return np.asarray((ours[:, None] > theirs) + (ours[:, None] == theirs) / 2)


def _drawn(wins: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """The probability on one task in each resample, shape (resamples,)."""
    ours, theirs = wins.shape
    x, y = draw_counts(ours, resamples, rng), draw_counts(theirs, resamples, rng)
    return np.asarray(np.einsum("ri,ri->r", product(x, wins), y) / wins.size)


PROFILE_RESAMPLES = 2_000


@dataclass(frozen=True, eq=False)
class Profile:
    """Arrays of shape (m,). ``share``: of the scores that are greater than ``value``; ``low`` and ``high``: its band,
    at each value by itself, NaN for one score a task."""

    value: Floats
    share: Floats
    low: Floats
    high: Floats


def performance_profile(
    strata: Sequence[Floats],
    values: Floats,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = PROFILE_RESAMPLES,
    seed: int = 0,
) -> Profile:
    """The profile at ``values``, with percentile bands by stratified bootstrap. Raises ValueError without scores."""
    tasks = checked(strata)
    count = sum(map(len, tasks))
    above = [(scores[:, None] > values).astype(np.float64) for scores in tasks]
    share = np.concatenate(above).mean(axis=0)
    if not has_interval(tasks):
        return Profile(values, share, np.full_like(share, np.nan), np.full_like(share, np.nan))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            sum(product(draw_counts(len(task), size, rng), task) for task in above) / count
            for size in chunks(resamples, max(count, len(values)))
        ]
    )
    low, high = percentile_ends(drawn.T, confidence)
    return Profile(values, share, low, high)


MOST_EXACT = 40
"""Scores of both on one task. With more the statistic is as good as normal."""

MOST_STEPS = 20_000
"""Values that the sum over all tasks can take: those of tasks with different numbers of scores are many."""


def rank_test(first: Sequence[Floats], second: Sequence[Floats]) -> float:
    """The two-sided p-value of Mann and Whitney (1947), with ties, of the probability of improvement averaged over the
    tasks: the share of all ways to deal the scores of each task to the two in which it lies as far from one half.

    ``first``, ``second``: for each task scores of shape (n,). Exact for up to 40 scores a task, from the normal
    distribution, with its variance corrected for ties, above. Raises ValueError without scores, or if the two have
    different numbers of tasks.
    """
    ours, theirs = checked(first), checked(second)
    tasks = list(zip(ours, theirs, strict=True))
    steps = lcm(*(2 * len(x) * len(y) for x, y in tasks))
    if max(len(x) + len(y) for x, y in tasks) > MOST_EXACT or steps * len(tasks) > MOST_STEPS:
        return _by_normal(tasks)
    wins = sum(_twice_u(x, y) * (steps // (2 * len(x) * len(y))) for x, y in tasks)
    shares = np.ones(1)
    for x, y in tasks:
        shares = np.convolve(shares, _spread(_twice_u_shares(x, y), steps // (2 * len(x) * len(y))))
    middle = steps * len(tasks) / 2
    far = np.abs(np.arange(len(shares)) - middle) >= abs(wins - middle)
    return min(1.0, float(shares[far].sum()))


def _twice_u(x: Floats, y: Floats) -> int:
    """Twice the number of pairs in which x is higher; a tie counts one."""
    return int(2 * (x[:, None] > y).sum() + (x[:, None] == y).sum())


def _twice_u_shares(x: Floats, y: Floats) -> Floats:
    """Of all ways to deal the scores to the two the share that has each value of ``_twice_u``, shape (2 n m + 1,)."""
    n, m = len(x), len(y)
    _, ties = np.unique(np.concatenate([x, y]), return_counts=True)
    ways = np.zeros((n + 1, 2 * n * m + 1))
    ways[0, 0] = 1
    dealt = 0
    for tied in ties.tolist():  # from the lowest score on: those dealt before lie below
        after = np.zeros_like(ways)
        for had in range(max(0, dealt - m), min(n, dealt) + 1):
            for more in range(max(0, dealt + tied - m - had), min(tied, n - had) + 1):
                gain = more * (2 * (dealt - had) + tied - more)
                after[had + more, gain:] += comb(tied, more) * ways[had, : ways.shape[1] - gain]
        ways, dealt = after, dealt + tied
    return np.asarray(ways[n] / comb(n + m, n))


def _spread(shares: Floats, apart: int) -> Floats:
    """The same with ``apart`` steps from one to the next."""
    wide = np.zeros((len(shares) - 1) * apart + 1)
    wide[::apart] = shares
    return wide


def _by_normal(tasks: Sequence[tuple[Floats, Floats]]) -> float:
    away, variance = 0.0, 0.0
    for x, y in tasks:
        n, m = len(x), len(y)
        _, ties = np.unique(np.concatenate([x, y]), return_counts=True)
        away += _twice_u(x, y) / (2 * n * m) - 0.5
        variance += (n + m + 1 - float((ties**3 - ties).sum()) / ((n + m) * (n + m - 1))) / (12 * n * m)
    return erfc(abs(away) / sqrt(2 * variance)) if variance > 0 else 1.0


@dataclass(frozen=True)
class Summary:
    """``interval``: of the interquartile mean. ``std``: of the sample (n - 1). Both are None for a single score."""

    count: int
    iqm: float
    interval: Interval | None
    median: float
    mean: float
    std: float | None


def summarize(strata: Sequence[Floats], *, resamples: int = RESAMPLES, seed: int = 0) -> Summary:
    """Sum up the scores of one task or of several. Raises ValueError without scores, or if one is not finite."""
    tasks = checked(strata)
    scores = np.concatenate(tasks)
    return Summary(
        count=len(scores),
        iqm=float(interquartile_mean(tasks)),
        interval=bootstrap_interval(tasks, resamples=resamples, seed=seed),
        median=float(median(tasks)),
        mean=float(mean(tasks)),
        std=float(scores.std(ddof=1)) if len(scores) > 1 else None,
    )


@dataclass(frozen=True, eq=False)
class Survival:
    """Arrays of shape (m,), one entry for each step at which a seed reached the threshold, ascending.

    ``waiting``: estimated share of seeds that have not reached it after that step; before the first it is 1. ``low``
    and ``high``: pointwise interval by Greenwood's formula on the log-log scale; ``high`` is NaN where none is left.
    ``at_risk``: seeds that had neither reached it nor ended before that step.
    """

    step: Floats
    waiting: Floats
    low: Floats
    high: Floats
    at_risk: Floats
    seeds: int
    reached: int

    @property
    def median(self) -> float | None:
        """Steps until half of the seeds have reached it; None if fewer have, as far as they were trained."""
        return self._first_at_half(self.waiting)

    @property
    def median_interval(self) -> tuple[float | None, float | None]:
        """The steps whose interval contains one half (Brookmeyer and Crowley 1982); None: not within the training, or
        of a single seed."""
        if self.seeds < FEWEST_SCORES:
            return None, None
        return self._first_at_half(self.low), self._first_at_half(self.high)

    def _first_at_half(self, share: Floats) -> float | None:
        half = np.flatnonzero(share <= 0.5 + 1e-12)  # a product of fractions may miss one half by its last digit
        return float(self.step[half[0]]) if len(half) else None


def kaplan_meier(steps: Floats, reached: Sequence[bool], *, confidence: float = CONFIDENCE) -> Survival:
    """Of each seed the steps until it ``reached`` the threshold, or, where it did not, the steps that it was trained
    for; both of shape (n,). One that ended at a step at which another reached it still counts there.

    Raises ValueError without seeds, or for steps below 0 or not finite.
    """
    times, events = np.asarray(steps, dtype=np.float64), np.asarray(reached, dtype=bool)
    if times.ndim != 1 or len(times) == 0 or times.shape != events.shape:
        raise ValueError("Give for each seed its steps, and whether it reached the threshold; at least for one.")
    if not (np.isfinite(times).all() and (times >= 0).all()):
        raise ValueError("Steps have to be finite numbers from 0.")
    when, solved = np.unique(times[events], return_counts=True)
    at_risk = (times[:, None] >= when).sum(axis=0).astype(np.float64)
    waiting = np.cumprod(1 - solved / at_risk)
    low, high = _log_log(waiting, at_risk, solved.astype(np.float64), confidence)
    return Survival(when, waiting, low, high, at_risk, seeds=len(times), reached=int(events.sum()))


def _log_log(waiting: Floats, at_risk: Floats, solved: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Pointwise interval that stays between 0 and 1 (Kalbfleisch and Prentice 2002, section 1.4)."""
    quantile = NormalDist().inv_cdf((1 + confidence) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.cumsum(solved / (at_risk * (at_risk - solved)))
        width = quantile * np.sqrt(variance) / np.abs(np.log(waiting))
        low, high = waiting ** np.exp(width), waiting ** np.exp(-width)
    return np.where(waiting > 0, low, 0.0), np.where(waiting > 0, high, np.nan)
