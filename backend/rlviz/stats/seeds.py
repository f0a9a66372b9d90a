"""Statistics over seeds, as recommended by Agarwal et al. (2021, https://arxiv.org/abs/2108.13264).

In order: resampling, aggregates (such as the interquartile mean), stratified bootstrap intervals, paired differences,
curves over seeds with a band, probability of improvement, performance profiles, the rank test, summaries, and
Kaplan-Meier estimates of steps to a threshold. Scores come as one array per task ("stratum"); seeds are resampled
within each task, so that every resample weighs tasks equally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import atan, comb, cos, erfc, lcm, pi, sin, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rlviz.stats.arrays import Floats, Indices
from rlviz.stats.number_text import brief_number

CHUNK_SCORES = 500_000
"""Scores drawn at a time, so that many resamples need little memory and fit into the processor's cache."""

PRODUCT_SIZE = 200_000
"""Multiplications per matrix product: OpenBLAS splits larger ones among threads, whose synchronisation takes longer
than such small products."""


def check_scores(strata: Sequence[Floats]) -> list[Floats]:
    """Return the scores of each task as an array of shape (n,). Raises ValueError without scores, or if one is not
    finite."""
    found = [np.asarray(scores, dtype=np.float64) for scores in strata]
    if not found or any(scores.ndim != 1 or len(scores) == 0 for scores in found):
        raise ValueError("Every task needs at least one score.")
    if not all(np.isfinite(scores).all() for scores in found):
        raise ValueError("Scores must be finite numbers.")
    return found


def chunk_sizes(resamples: int, scores: int) -> Iterator[int]:
    """Yield the sizes of the parts in which to draw ``resamples`` of ``scores`` each. Raises ValueError below 1."""
    if resamples < 1:
        raise ValueError(f"An interval needs at least 1 resample, not {resamples}.")
    size = max(1, CHUNK_SCORES // scores)
    for done in range(0, resamples, size):
        yield min(size, resamples - done)


def draw(strata: Sequence[Floats], resamples: int, rng: np.random.Generator) -> list[Floats]:
    """Draw resamples with replacement within each task; one array of shape (resamples, n) per task."""
    return [scores[rng.integers(len(scores), size=(resamples, len(scores)))] for scores in strata]


def draw_counts(count: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each of ``count`` scores is in each resample, shape (resamples, count)."""
    places = rng.integers(count, size=(resamples, count)) + count * np.arange(resamples)[:, None]
    return np.bincount(places.ravel(), minlength=resamples * count).reshape(resamples, count).astype(np.float64)


def multiply_counts(counts: Floats, values: Floats) -> Floats:
    """Return ``counts @ values`` for shapes (resamples, n) and (n, m)."""
    found = np.empty((len(counts), values.shape[1]))
    rows = max(1, PRODUCT_SIZE // max(values.size, 1))
    for start in range(0, len(counts), rows):
        np.matmul(counts[start : start + rows], values, out=found[start : start + rows])
    return found


def percentile_ends(drawn: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the bounds of the middle ``confidence`` share along the last axis of ``drawn``, interpolated linearly like
    ``np.percentile``."""
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
    """Return the mean of the middle half of all scores: of n scores, the lowest and highest n // 4 are left out."""
    scores = np.concatenate(drawn, axis=-1)  # a copy, sorted in place
    scores.sort(axis=-1)
    cut = scores.shape[-1] // 4
    return np.asarray(scores[..., cut : scores.shape[-1] - cut].mean(axis=-1))


def mean(drawn: Sequence[Floats]) -> Floats:
    """Return the mean of the tasks' means: every task weighs the same, however many seeds it has."""
    return np.asarray(np.mean([scores.mean(axis=-1) for scores in drawn], axis=0))


def median(drawn: Sequence[Floats]) -> Floats:
    """Return the median of all scores."""
    return _middle(np.concatenate(drawn, axis=-1))


def task_median(drawn: Sequence[Floats]) -> Floats:
    """Return the median of the tasks' means, which papers on many tasks call the median. With one task it is the
    mean."""
    return _middle(np.stack([scores.mean(axis=-1) for scores in drawn], axis=-1))


def optimality_gap(goal: float = 1.0) -> Statistic:
    """Return a statistic: how far scores fall short of ``goal`` on average. Scores above it do not compensate. Lower is
    better."""

    def gap(drawn: Sequence[Floats]) -> Floats:
        return np.asarray(goal - np.minimum(np.concatenate(drawn, axis=-1), goal).mean(axis=-1))

    return gap


def iqm(scores: Floats) -> float:
    """Return the interquartile mean of scores of shape (n,). Raises ValueError without scores."""
    return float(interquartile_mean(check_scores([scores])))


def _middle(values: Floats) -> Floats:
    """Return the median over the last axis. NumPy's own first imports masked arrays, which takes longer than everything
    else."""
    ordered = np.sort(values, axis=-1)
    half = ordered.shape[-1] // 2
    return np.asarray((ordered[..., half] + ordered[..., -half - 1]) / 2)


RESAMPLES = 10_000
CONFIDENCE = 0.95

FEWEST_SCORES = 2
"""Minimum scores per task for an interval: one score says nothing about others."""

_NORMAL = NormalDist()


class Method(StrEnum):
    """How to read an interval from the resamples.

    *percentile*: their percentiles. *bca*: bias-corrected and accelerated (Efron 1987), which shifts the percentiles
    if the statistic is biased or its spread depends on its value; needs more resamples.
    """

    PERCENTILE = "percentile"
    BCA = "bca"


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


def has_interval(strata: Sequence[Floats]) -> bool:
    """Whether the bootstrap can vary: with one score per task, all resamples are equal."""
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
    """Return the interval of ``statistic``; None if every task has only one score. The same ``seed`` gives the same
    interval.

    Args:
        strata: Scores of each task, arrays of shape (n,).
        statistic: Function of resampled scores.
        method: How to read the interval from the resamples.
        confidence: Confidence of the interval, such as 0.95.
        resamples: Number of resamples.
        seed: Seed of the random draws.

    Raises:
        ValueError: There are no scores, or one is not finite.
    """
    scores = check_scores(strata)
    if not has_interval(scores):
        return None
    found = resample_statistic(scores, statistic, resamples, np.random.default_rng(seed))
    if method is Method.PERCENTILE:
        low, high = percentile_ends(found, confidence)
    else:
        tail = (1 - confidence) / 2
        low, high = np.quantile(found, _bca_shares(scores, statistic, found, (tail, 1 - tail)))
    return Interval(float(low), float(high))


def resample_statistic(
    strata: Sequence[Floats], statistic: Statistic, resamples: int, rng: np.random.Generator
) -> Floats:
    """Return ``statistic`` of each resample, shape (resamples,)."""
    count = sum(map(len, strata))
    return np.concatenate([statistic(draw(strata, size, rng)) for size in chunk_sizes(resamples, count)])


def _bca_shares(
    strata: Sequence[Floats], statistic: Statistic, found: Floats, shares: tuple[float, float]
) -> tuple[float, float]:
    """Return the percentiles that BCa uses instead of ``shares`` (Efron and Tibshirani 1993, equation 14.10)."""
    estimate = float(statistic(strata))
    below = float(np.mean(found < estimate) + np.mean(found == estimate) / 2)
    if not 0 < below < 1:  # all resamples on one side: no correction is possible
        return shares
    bias, acceleration = _NORMAL.inv_cdf(below), _acceleration(strata, statistic)

    def moved(share: float) -> float:
        shifted = bias + _NORMAL.inv_cdf(share)
        return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))

    return moved(shares[0]), moved(shares[1])


def _acceleration(strata: Sequence[Floats], statistic: Statistic) -> float:
    """Return the acceleration from the jackknife within each task (Davison and Hinkley 1997, section 5.3.2). A task
    with one score has no influence, because it cannot be left out."""
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


@dataclass(frozen=True)
class PairedDifference:
    """The mean difference between two settings that were trained with the same seeds. ``interval``: None for one
    pair."""

    pairs: int
    mean: float
    interval: Interval | None

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.interval is not None and (self.interval.low > 0 or self.interval.high < 0)


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, confidence: float = CONFIDENCE
) -> PairedDifference:
    """Return the mean of ``second - first`` with Student's interval (Student 1908).

    The bootstrap cannot be used for a few pairs: with three, its 95 % interval is the range of the three differences,
    which excludes zero by chance in a quarter of cases. Student's interval is exact if the differences are normally
    distributed, and wide if there are few.

    Args:
        first: Score of each seed with the first setting, shape (n,).
        second: Score of the same seeds with the second, shape (n,).
        confidence: Confidence of the interval.

    Raises:
        ValueError: There are no scores, their numbers differ, or one is not finite.
    """
    ours, theirs = check_scores([np.asarray(first), np.asarray(second)])
    if len(ours) != len(theirs):
        raise ValueError(f"Pairs need as many scores on both sides, not {len(ours)} and {len(theirs)}.")
    differences = theirs - ours
    count, middle = len(differences), float(differences.mean())
    if count < FEWEST_SCORES:
        return PairedDifference(count, middle, None)
    error = float(differences.std(ddof=1)) / sqrt(count)
    reach = student_quantile((1 + confidence) / 2, count - 1) * error
    return PairedDifference(count, middle, Interval(middle - reach, middle + reach))


def student_quantile(share: float, freedom: int) -> float:
    """Return the value below which ``share`` (at least one half) of Student's distribution with ``freedom`` degrees of
    freedom lies, by bisection."""
    low, high = 0.0, 1.0
    while (1 + _student_middle(high, freedom)) / 2 < share:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        if (1 + _student_middle(middle, freedom)) / 2 < share:
            low = middle
        else:
            high = middle
    return high


def _student_middle(t: float, freedom: int) -> float:
    """Return the share of Student's distribution between ``-t`` and ``t`` (Abramowitz and Stegun 1964, equations 26.7.3
    and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    total, term = 0.0, 1.0 if freedom % 2 == 0 else cos(angle)
    for place in range(freedom % 2, freedom - 1, 2):
        total += term
        term *= cos(angle) ** 2 * (place + 1) / (place + 2)
    if freedom % 2 == 0:
        return sin(angle) * total
    return 2 / pi * (angle + sin(angle) * total)


AS_LONG = 0.98
"""A run that trained for at least this share of another's steps counts as equally long: runs end with whole
rollouts."""

BAND_RESAMPLES = 500
"""Resamples of a band: enough for drawing, where lines move by less than a pixel or two."""


@dataclass(frozen=True, eq=False)
class BandedCurve:
    """Arrays of shape (m,) over the grid of the curves; NaN where not all seeds have a value.

    ``low`` and ``high``: pointwise interval of ``iqm``, NaN for fewer than two seeds. ``count``: number of seeds in
    the value, 0 where there is none.
    """

    iqm: Floats
    low: Floats
    high: Floats
    count: Indices


def banded_curve(
    values: Floats, *, confidence: float = CONFIDENCE, resamples: int = BAND_RESAMPLES, seed: int = 0
) -> BandedCurve:
    """Combine the curves of n seeds on one grid.

    The result stops where the first seed does: with fewer seeds it would jump to the level of the remaining ones.
    The same seeds are drawn at every step, because the bootstrap resamples whole curves.

    Args:
        values: Shape (n, m), NaN where a seed has no value.
        confidence: Confidence of the band.
        resamples: Number of resamples.
        seed: Seed of the random draws.

    Raises:
        ValueError: There are no seeds.
    """
    if len(values) == 0:
        raise ValueError("A curve over seeds needs at least one seed.")
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
        for size in chunk_sizes(len(columns), resamples * count):
            part = slice(done, done + size)
            found = interquartile_mean([curves.T[part][:, drawn]])
            low[columns[part]], high[columns[part]] = percentile_ends(found, confidence)
            done += size
    return BandedCurve(iqm, low, high, np.where(known, count, 0))


def explain_curve(
    ends: Floats,
    left_out: int,
    place: Callable[[float], str] = lambda step: f"step {brief_number(step)}",
    one: str = "seed",
) -> list[str]:
    """Return sentences that say why a curve leaves out seeds, or stops before some of them.

    Args:
        ends: Last step of each seed in the curve, shape (n,).
        left_out: Number of seeds that still train and are not far enough.
        place: Formats a step.
        one: Word for one of them.
    """
    sentences = []
    if left_out:
        train, they_have = (f"{one} still trains and is", "it has")
        if left_out > 1:
            train, they_have = f"{one}s still train and are", "they have"
        sentences.append(f"{left_out} {train} left out until {they_have} caught up.")
    longer = int((AS_LONG * ends > ends.min()).sum()) if len(ends) else 0
    if longer:
        more = "one of them continues" if longer == 1 else f"{longer} of them continue"
        sentences.append(
            f"The curve stops at {place(float(ends.min()))}, the last that all {len(ends)} {one}s reached; {more}."
        )
    return sentences


def select_far_enough(ends: Sequence[float], trains: Sequence[bool]) -> NDArray[np.bool_]:
    """Return which seeds make up one curve, shape (n,): all that have ended, and those that still train and are far
    enough.

    A curve stops where its first seed does, so a seed that has just started would leave almost nothing. Seeds are
    left out if the curve is larger without them, measured as seeds × steps.

    Args:
        ends: Last step of each seed, shape (n,).
        trains: Whether each still trains, shape (n,).
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
    """A probability of improvement.

    Attributes:
        probability: Mean over the tasks.
        each: Probability on each task, shape (tasks,).
        drawn: ``probability`` in each resample, shape (resamples,); None if a side has only one score per task.
        confidence: Confidence of ``interval``.
    """

    probability: float
    each: Floats
    drawn: Floats | None
    confidence: float

    @property
    def interval(self) -> Interval | None:
        return self.interval_of(self.confidence)

    def interval_of(self, confidence: float) -> Interval | None:
        """Return the interval for another confidence, from the same resamples."""
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
    """Return P(X > Y) + P(X = Y) / 2 for one score of each on the same task, averaged over the tasks.

    This is the Mann-Whitney U divided by the number of pairs (Agarwal et al. 2021, section 4.3); its percentile
    interval resamples both sides.

    Raises ValueError without scores, or if the numbers of tasks differ.
    """
    ours, theirs = check_scores(first), check_scores(second)
    if len(ours) != len(theirs):
        raise ValueError(f"Both need scores of the same tasks, but they have {len(ours)} and {len(theirs)} tasks.")
    wins = [_wins(x, y) for x, y in zip(ours, theirs, strict=True)]
    each = np.array([table.mean() for table in wins])
    probability = float(each.mean())
    if not (has_interval(ours) and has_interval(theirs)):
        return Improvement(probability, each, None, confidence)
    rng = np.random.default_rng(seed)
    largest = sum(len(x) + len(y) for x, y in zip(ours, theirs, strict=True))
    drawn = np.concatenate(
        [np.mean([_drawn(table, size, rng) for table in wins], axis=0) for size in chunk_sizes(resamples, largest)]
    )
    return Improvement(probability, each, drawn, confidence)


def _wins(ours: Floats, theirs: Floats) -> Floats:
    """Return 1 where ours is higher, 1/2 where they are equal, else 0; shape (n, m)."""
    return np.asarray((ours[:, None] > theirs) + (ours[:, None] == theirs) / 2)


def _drawn(wins: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return the probability on one task in each resample, shape (resamples,)."""
    ours, theirs = wins.shape
    x, y = draw_counts(ours, resamples, rng), draw_counts(theirs, resamples, rng)
    return np.asarray(np.einsum("ri,ri->r", multiply_counts(x, wins), y) / wins.size)


PROFILE_RESAMPLES = 2_000


@dataclass(frozen=True, eq=False)
class Profile:
    """A performance profile; arrays of shape (m,). ``share``: share of scores greater than ``value``; ``low`` and
    ``high``: its pointwise band, NaN for one score per task."""

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
    """Return the profile at ``values``, with percentile bands by stratified bootstrap (Agarwal et al. 2021, section
    4.2). Raises ValueError without scores."""
    tasks = check_scores(strata)
    count = sum(map(len, tasks))
    above = [(scores[:, None] > values).astype(np.float64) for scores in tasks]
    share = np.concatenate(above).mean(axis=0)
    if not has_interval(tasks):
        return Profile(values, share, np.full_like(share, np.nan), np.full_like(share, np.nan))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            sum(multiply_counts(draw_counts(len(task), size, rng), task) for task in above) / count
            for size in chunk_sizes(resamples, max(count, len(values)))
        ]
    )
    low, high = percentile_ends(drawn.T, confidence)
    return Profile(values, share, low, high)


MOST_EXACT = 40
"""Maximum scores of both sides on one task for the exact test. With more, the statistic is practically normal."""

MOST_STEPS = 20_000
"""Maximum number of values that the sum over all tasks can take; tasks of different sizes have many."""


def rank_test(first: Sequence[Floats], second: Sequence[Floats]) -> float:
    """Return the two-sided p-value of the Mann-Whitney test (1947), with ties, for the probability of improvement
    averaged over tasks.

    It is the share of all ways to assign the scores of each task to the two sides for which the statistic is at
    least as far from one half. Exact for up to 40 scores per task; beyond, from the normal distribution with a
    variance corrected for ties.

    Args:
        first: Scores of each task, shape (n,).
        second: The same for the other side.

    Raises:
        ValueError: There are no scores, or the numbers of tasks differ.
    """
    ours, theirs = check_scores(first), check_scores(second)
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
    """Return twice the number of pairs in which x is higher; a tie counts one."""
    return int(2 * (x[:, None] > y).sum() + (x[:, None] == y).sum())


def _twice_u_shares(x: Floats, y: Floats) -> Floats:
    """Return the share of all assignments of scores to sides that gives each value of ``_twice_u``, shape (2 n m +
    1,)."""
    n, m = len(x), len(y)
    _, ties = np.unique(np.concatenate([x, y]), return_counts=True)
    ways = np.zeros((n + 1, 2 * n * m + 1))
    ways[0, 0] = 1
    dealt = 0
    for tied in ties.tolist():  # from the lowest score up: earlier ones lie below
        after = np.zeros_like(ways)
        for had in range(max(0, dealt - m), min(n, dealt) + 1):
            for more in range(max(0, dealt + tied - m - had), min(tied, n - had) + 1):
                gain = more * (2 * (dealt - had) + tied - more)
                after[had + more, gain:] += comb(tied, more) * ways[had, : ways.shape[1] - gain]
        ways, dealt = after, dealt + tied
    return np.asarray(ways[n] / comb(n + m, n))


def _spread(shares: Floats, apart: int) -> Floats:
    """Return the same shares with ``apart`` steps between neighbours."""
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
    """Summary of scores. ``interval`` is that of the interquartile mean, ``std`` of the sample (n - 1); both are None
    for one score."""

    count: int
    iqm: float
    interval: Interval | None
    median: float
    mean: float
    std: float | None


def summarize(strata: Sequence[Floats], *, resamples: int = RESAMPLES, seed: int = 0) -> Summary:
    """Summarise the scores of one or more tasks. Raises ValueError without scores, or if one is not finite."""
    tasks = check_scores(strata)
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
    """A Kaplan-Meier estimate: arrays of shape (m,), one entry per step at which a seed reached the threshold,
    ascending.

    Attributes:
        step: These steps.
        waiting: Estimated share of seeds that have not reached it after that step; 1 before the first.
        low: Pointwise interval by Greenwood's formula on the log-log scale.
        high: Its upper end; NaN where no seed is left.
        at_risk: Seeds that had neither reached it nor ended before that step.
        seeds: Number of seeds.
        reached: Number of seeds that reached it.
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
        """Steps until half of the seeds have reached it; None if fewer have."""
        return self._first_at_half(self.waiting)

    @property
    def median_interval(self) -> tuple[float | None, float | None]:
        """Steps whose interval contains one half (Brookmeyer and Crowley 1982); None: not reached, or only one seed."""
        if self.seeds < FEWEST_SCORES:
            return None, None
        return self._first_at_half(self.low), self._first_at_half(self.high)

    def _first_at_half(self, share: Floats) -> float | None:
        half = np.flatnonzero(share <= 0.5 + 1e-12)  # tolerance for rounding in a product of fractions
        return float(self.step[half[0]]) if len(half) else None


def kaplan_meier(steps: Floats, reached: Sequence[bool], *, confidence: float = CONFIDENCE) -> Survival:
    """Estimate the steps to a threshold.

    Args:
        steps: For each seed, the steps until it reached the threshold, or that it was trained for; shape (n,).
        reached: Whether each seed reached it, shape (n,). A seed that ended at the step where another reached it
            still counts there.
        confidence: Confidence of the intervals.

    Raises:
        ValueError: There are no seeds, or steps are negative or not finite.
    """
    times, events = np.asarray(steps, dtype=np.float64), np.asarray(reached, dtype=bool)
    if times.ndim != 1 or len(times) == 0 or times.shape != events.shape:
        raise ValueError("Give steps, and whether the threshold was reached, for each seed, and at least one seed.")
    if not (np.isfinite(times).all() and (times >= 0).all()):
        raise ValueError("Steps must be finite numbers from 0.")
    when, solved = np.unique(times[events], return_counts=True)
    at_risk = (times[:, None] >= when).sum(axis=0).astype(np.float64)
    waiting = np.cumprod(1 - solved / at_risk)
    low, high = _log_log(waiting, at_risk, solved.astype(np.float64), confidence)
    return Survival(when, waiting, low, high, at_risk, seeds=len(times), reached=int(events.sum()))


def _log_log(waiting: Floats, at_risk: Floats, solved: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return a pointwise interval between 0 and 1 (Kalbfleisch and Prentice 2002, section 1.4)."""
    quantile = NormalDist().inv_cdf((1 + confidence) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.cumsum(solved / (at_risk * (at_risk - solved)))
        width = quantile * np.sqrt(variance) / np.abs(np.log(waiting))
        low, high = waiting ** np.exp(width), waiting ** np.exp(-width)
    return np.where(waiting > 0, low, 0.0), np.where(waiting > 0, high, np.nan)
