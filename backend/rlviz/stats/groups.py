"""Figures for comparing runs and groups of runs: each says which run is best, or that the difference may be chance.

Runs that differ only in their seed form a group. Also here: box plots, rank correlation, and distinct labels for
runs with the same name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from pydantic import Field

from rlviz.domain.lazy_model import Frozen
from rlviz.stats.arrays import Floats
from rlviz.stats.comparison import STABILITY_EPISODES, RunMetrics
from rlviz.stats.criterion import Criterion
from rlviz.stats.experiments.trials import AGARWAL, KAPLAN_MEIER, Made
from rlviz.stats.number_text import brief_number, decimal, duration, join_words
from rlviz.stats.seeds import CONFIDENCE, FEWEST_SCORES, RESAMPLES, Summary, kaplan_meier, summarize


class GroupFigure(Frozen):
    """A figure over the seeds of one setting: the interquartile mean, or the Kaplan-Meier median for a time that some
    seeds have not reached."""

    value: float | None = Field(description="Null: no seed has a value, or fewer than half reached it.")
    low: float | None = Field(description="Lower end of its 95 % interval; null: one seed, or not reached.")
    high: float | None
    count: int = Field(description="Seeds with a value.")
    seeds: int = Field(description="Compared seeds of the group.")
    made: Made


@dataclass(frozen=True)
class SeedFigure:
    """The figure of one seed. ``value``: None if it has none. ``spent``: how long it has trained without reaching it,
    in the figure's unit; None if unknown."""

    value: float | None
    spent: float | None = None


def mean_of_seeds(seeds: Sequence[SeedFigure], what: str) -> GroupFigure:
    """Return the interquartile mean over the seeds with a value. ``what`` describes the figure of one seed."""
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
    """Return the Kaplan-Meier median of a duration: a seed that has not finished takes longer than it has trained.

    Seeds that have not started, or whose training time is unknown, are left out. ``what`` describes the duration.
    """
    known = [one for one in seeds if one.value is not None or one.spent]
    value, low, high = None, None, None
    if known:
        spent = np.array([one.spent if one.value is None else one.value for one in known], dtype=np.float64)
        survival = kaplan_meier(spent, [one.value is not None for one in known])
        value, (low, high) = survival.median, survival.median_interval
    made = Made(
        definition=f"Median over seeds of the {what}. A seed that has not reached it is censored: it takes longer "
        "than it was trained for.",
        n=len(known),
        confidence=CONFIDENCE if len(known) >= FEWEST_SCORES else None,
        source=KAPLAN_MEIER,
    )
    reached = sum(one.value is not None for one in seeds)
    return GroupFigure(value=value, low=low, high=high, count=reached, seeds=len(seeds), made=made)


@lru_cache(maxsize=1_000)
def _summary(values: tuple[float, ...]) -> tuple[float, float | None, float | None]:
    """Cached, because figures of finished runs are requested repeatedly."""
    found = summarize([np.array(values)])
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return found.iqm, low, high


ERRORS = 2.0
"""Two means differ if their difference is at least this many of its standard errors."""

SHARE = 0.9
"""Steps, seconds and rates differ if the smaller is less than this share of the larger."""

STEADIER = 0.63
"""Standard deviations of 20 returns differ if their ratio is below this: 5 % significance in an F test with 19 and 19
degrees of freedom."""


class Better(StrEnum):
    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True)
class BestReturn:
    """Mean return of the best policy on fresh episodes, with its standard deviation and the number of episodes.

    ``deterministic``: whether the policy took its most likely actions, or sampled them.
    """

    mean: float
    std: float
    episodes: int
    deterministic: bool = True

    @property
    def error(self) -> float | None:
        """Standard error of the mean."""
        return self.std / math.sqrt(self.episodes - 1) if self.episodes > 1 else None


@dataclass(frozen=True)
class ComparisonEntry:
    """A run to compare.

    Attributes:
        run_id: Its id.
        label: Its name in sentences.
        environment: Its environment, with the options that matter.
        step: Environment steps done.
        ended: Whether it has ended.
        metrics: Its figures.
        steps_per_second: Its speed, if known.
        seconds: Seconds of training, if known.
        best_policy: Result of its best policy, if there is one.
        group: Key shared by runs that differ only in their seed.
        group_label: Name of that group.
    """

    run_id: str
    label: str
    environment: str
    step: int
    ended: bool
    metrics: RunMetrics
    steps_per_second: float | None = None
    seconds: float | None = None
    best_policy: BestReturn | None = None
    group: str = ""
    group_label: str = ""


class FigureComparison(Frozen):
    """One figure of every run, and which run is best, if any."""

    id: str
    title: str
    note: str = Field(description="How it is measured.")
    unit: str
    better: Better
    values: dict[str, float | None] = Field(description="By run id.")
    best: str | None = Field(description="Id of the clearly best run; null: none.")
    reason: str = Field(description="Why it is best, or why the difference is too small to tell.")
    groups: dict[str, GroupFigure] = Field(description="By group, for groups with several runs.")


Value = Callable[[ComparisonEntry], float | None]


@dataclass(frozen=True)
class _Measure:
    """How to read a figure from a run, and when two values differ by more than chance.

    With ``error`` (standard error of the value), values differ if they are ERRORS of them apart; otherwise if the
    smaller is less than ``share`` of the larger. With ``spent`` (how long a run has trained), a run without a value
    is worse than another if it has trained clearly longer than that one took. ``resolution`` is how much too large a
    value may be, because runs are evaluated only now and then.
    """

    id: str
    title: str
    note: str
    value: Value
    better: Better = Better.HIGH
    unit: str = ""
    show: Callable[[float], str] = decimal
    error: Value | None = None
    explained_by: str = ""
    share: float = SHARE
    spent: Value | None = None
    resolution: Callable[[ComparisonEntry], float] = lambda _: 0.0

    def value_or_nan(self, run: ComparisonEntry) -> float:
        value = self.value(run)
        return math.nan if value is None else value

    def over_seeds(self, runs: Sequence[ComparisonEntry]) -> GroupFigure:
        """Return the figure over runs that differ only in their seed. A mean is that of the settled seeds."""
        spent, what = self.spent, f"{self.title[:1].lower()}{self.title[1:]} ({self.note})"
        if spent is None:
            settled = settled_seeds(runs)
            if len(settled) < len(runs):
                what += " of the seeds that have ended"
            return mean_of_seeds([SeedFigure(self.value(run) if run in settled else None) for run in runs], what)
        return median_of_seeds([SeedFigure(self.value(run), spent(run)) for run in runs], what)

    def is_clear(self, first: ComparisonEntry, second: ComparisonEntry) -> bool:
        """Whether ``first``, which has the better value, is better by more than chance. With ``spent``, ``second`` may
        have no value yet."""
        values = self.value_or_nan(first), self.value_or_nan(second)
        if self.spent is not None:
            has_it = self.value(second) is not None
            least = values[1] - self.resolution(second) if has_it else self.spent(second) or 0.0
            return values[0] < self.share * least
        if self.error is None:
            return min(values) < self.share * max(values)
        errors = self.error(first), self.error(second)
        if errors[0] is None or errors[1] is None:
            return False
        return abs(values[0] - values[1]) > ERRORS * math.hypot(errors[0], errors[1])


def _measures(window: int, threshold: float | None, criterion: Criterion | None) -> tuple[_Measure, ...]:
    every = 0 if criterion is None else criterion.resolution
    goal = "no common threshold"
    if threshold is not None:
        goal = (
            "no criterion applies equally to all runs" if criterion is None else f"until {criterion.names(threshold)}"
        )
    return (
        _Measure(
            "final_moving_average",
            "Final return",
            f"mean of the last {window} episodes",
            lambda run: run.metrics.final_moving_average,
            error=lambda run: run.metrics.final_error,
            explained_by=f"the spread of their last {window} episodes",
        ),
        _Measure(
            "best_moving_average",
            "Best average",
            f"highest mean return of {window} episodes in a row",
            lambda run: run.metrics.best_moving_average,
            error=lambda run: run.metrics.best_error,
            explained_by=f"the spread of these {window} episodes",
        ),
        _Measure(
            "best_policy",
            "Best policy",
            "mean return of the best policy on fresh episodes",
            lambda run: run.best_policy.mean if run.best_policy else None,
            error=lambda run: run.best_policy.error if run.best_policy else None,
            explained_by="the spread of the episodes",
        ),
        _Measure(
            "steps_to_threshold",
            "Steps to threshold",
            goal,
            lambda run: run.metrics.steps_to_threshold,
            better=Better.LOW,
            unit="steps",
            show=brief_number,
            spent=lambda run: run.step,
            resolution=lambda _: every,
        ),
        _Measure(
            "seconds_to_threshold",
            "Time to threshold",
            goal,
            lambda run: run.metrics.seconds_to_threshold,
            better=Better.LOW,
            unit="s",
            show=duration,
            spent=lambda run: run.seconds,
            resolution=lambda run: every / run.steps_per_second if run.steps_per_second else 0.0,
        ),
        _Measure(
            "stability",
            "Stability",
            f"spread of the last {STABILITY_EPISODES} returns; lower is steadier",
            lambda run: run.metrics.stability,
            better=Better.LOW,
            share=STEADIER,
        ),
        _Measure(
            "fps",
            "Steps per second",
            "over the whole run; for a run that still trains, recently",
            lambda run: run.steps_per_second,
            unit="steps/s",
            show=brief_number,
        ),
    )


def compare_figures(
    runs: Sequence[ComparisonEntry],
    *,
    window: int,
    threshold: float | None,
    criterion: Criterion | None,
    shared: int = 0,
) -> list[FigureComparison]:
    """Return every figure of ``runs``, in reading order.

    Args:
        runs: The runs to compare.
        window: Episodes in the moving average.
        threshold: Reward threshold that all runs share; None for none.
        criterion: Detects when a run reached the threshold; None: not comparable.
        shared: Step up to which the runs were one run.
    """
    found, groups = [], split_groups(runs)
    for measure in _measures(window, threshold, criterion):
        best, reason = _best(runs, measure)
        if (incomparable := _not_compared(runs, measure, shared)) is not None:
            best, reason = None, incomparable
        found.append(
            FigureComparison(
                id=measure.id,
                title=measure.title,
                note=measure.note,
                unit=measure.unit,
                better=measure.better,
                values={run.run_id: measure.value(run) for run in runs},
                best=best,
                reason=reason,
                groups={name: measure.over_seeds(group) for name, group in groups.items() if len(group) > 1},
            )
        )
    return found


def split_groups(runs: Sequence[ComparisonEntry]) -> dict[str, list[ComparisonEntry]]:
    """Return the runs by group, in the order of the first run of each. A run without a group is its own group."""
    members: dict[str, list[ComparisonEntry]] = {}
    for run in runs:
        members.setdefault(run.group or run.run_id, []).append(run)
    return members


def settled_seeds(group: Sequence[ComparisonEntry]) -> list[ComparisonEntry]:
    """Return the runs of a group that have ended; all of them if none has.

    A seed that has just begun to train would otherwise be averaged with those that have learned.
    """
    return [run for run in group if run.ended] or list(group)


def reached_before_fork(runs: Sequence[ComparisonEntry], shared: int) -> int | None:
    """Return the step at which runs that were one run up to step ``shared`` reached the threshold; None if later or
    never."""
    steps = [run.metrics.steps_to_threshold for run in runs if run.metrics.steps_to_threshold is not None]
    return min(steps) if steps and min(steps) <= shared else None


def _not_compared(runs: Sequence[ComparisonEntry], measure: _Measure, shared: int) -> str | None:
    """Return why a figure cannot rank these runs; None if it can. ``shared``: up to this step they were one run."""
    if measure.id == "best_policy" and len({run.best_policy.deterministic for run in runs if run.best_policy}) > 1:
        return "Some runs were evaluated greedily, others with sampled actions."
    if shared and measure.id == "seconds_to_threshold":
        return "Each counts from its own start, but one is a fork of another."
    if measure.id == "steps_to_threshold" and (reached := reached_before_fork(runs, shared)) is not None:
        return f"It was reached at step {brief_number(reached)}, before the fork at step {brief_number(shared)}."
    return None


def is_clearly_higher(first: ComparisonEntry, second: ComparisonEntry, window: int) -> bool:
    """Whether the final mean return of ``first`` is higher by more than chance."""
    return _measure("final_moving_average", window).is_clear(first, second)


def first_to_reach(
    runs: Sequence[ComparisonEntry], threshold: float, criterion: Criterion | None
) -> ComparisonEntry | None:
    """Return the run that clearly reached the threshold first; None if there is none. A run that has not reached it
    counts as later only if it has trained clearly longer."""
    measure = _measure("steps_to_threshold", 1, threshold, criterion)
    reached = sorted((run for run in runs if measure.value(run) is not None), key=measure.value_or_nan)
    if not reached:
        return None
    first = reached[0]
    return first if all(measure.is_clear(first, run) for run in runs if run is not first) else None


def _measure(name: str, window: int, threshold: float | None = None, criterion: Criterion | None = None) -> _Measure:
    return next(one for one in _measures(window, threshold, criterion) if one.id == name)


def _best(runs: Sequence[ComparisonEntry], measure: _Measure) -> tuple[str | None, str]:
    """Return the best run and the reason; or None and the reason why there is none."""
    if len(runs) < 2:
        return None, "There is no other run."
    environments = list(dict.fromkeys(run.environment for run in runs))
    if len(environments) > 1:
        return None, f"Not comparable across environments: {join_words(environments)}."
    known = [run for run in runs if measure.value(run) is not None]
    ranked = sorted(known, key=measure.value_or_nan, reverse=measure.better is Better.HIGH)
    if not ranked:
        return None, "No run has a value."
    first, value = ranked[0], measure.show(measure.value_or_nan(ranked[0]))
    behind = [run for run in runs if run not in ranked] if measure.spent is not None else []
    in_time = [run.label for run in behind if not measure.is_clear(first, run)]
    if in_time:
        verb = "has" if len(in_time) == 1 else "have"
        return None, f"{first.label} took {value}; {join_words(in_time)} {verb} not trained for clearly longer."
    if len(ranked) < 2:
        return (first.run_id if measure.spent is not None else None), f"Only {first.label} has a value: {value}."
    second = ranked[1]
    level = [run.label for run in ranked if measure.value_or_nan(run) == measure.value_or_nan(first)]
    if len(level) > 1:
        return None, f"{join_words(level)} are equal: {value}."
    clear = measure.is_clear(first, second)
    return (first.run_id if clear else None), (
        f"{first.label} {value}, {second.label} {measure.show(measure.value_or_nan(second))}: "
        f"{_because(measure, clear=clear)}."
    )


def _because(measure: _Measure, *, clear: bool) -> str:
    if measure.error is not None:
        return f"the difference exceeds {measure.explained_by}" if clear else f"within {measure.explained_by}"
    return "clearly apart" if clear else "too close to tell apart"


MOST_OUTLIERS = 20

DRAWN = 1_000_000
"""Scores that the bootstrap of one group draws: groups of many runs use fewer resamples."""

FEWEST_RESAMPLES = 200

Key = tuple[str | None, ...]


@dataclass(frozen=True)
class Member:
    """A run in a group. ``value`` is None if it has none.

    The bootstrap replaces runs only by runs of the same ``stratum``, so each environment keeps its share, if every
    stratum has several runs.
    """

    run_id: str
    value: float | None
    stratum: str = ""


@dataclass(frozen=True)
class Box:
    """Box plot: quartiles, and whiskers to the furthest values within 1.5 interquartile ranges (Tukey 1977).

    ``outliers`` are the values beyond, furthest from the median first, at most MOST_OUTLIERS of ``beyond`` in all.
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
    """A group of runs. ``key``: the values of the settings that define it; ``count``: runs with a value, out of
    ``runs``.

    ``summary`` and ``box`` are None if no run has a value.
    """

    key: Key
    runs: int
    count: int
    summary: Summary | None
    box: Box | None


def make_groups(members: Mapping[Key, Sequence[Member]]) -> list[Group]:
    """Return the groups by descending interquartile mean; those without a value come last."""
    groups = [_group(key, ours) for key, ours in members.items()]
    return sorted(groups, key=lambda one: (one.summary is None, -one.summary.iqm if one.summary else 0.0))


def rank_correlation(x: Iterable[float], y: Iterable[float]) -> float | None:
    """Return Spearman's rank correlation, ties with their mean rank; None for fewer than three points, or constant
    values."""
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
    # In a stratum with one run all resamples are equal; an interval of width 0 would look like certainty.
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


SHORT_ID = 4


@dataclass(frozen=True)
class Named:
    id: str
    name: str
    seed: int


def distinct_labels(runs: Sequence[Named]) -> list[str]:
    """Return a unique label for each run: the name if unique, else with the seed, else with the end of the id."""
    names = Counter(run.name for run in runs)
    seeds = Counter((run.name, run.seed) for run in runs)
    labels = []
    for run in runs:
        if names[run.name] == 1:
            labels.append(run.name)
        elif seeds[run.name, run.seed] == 1:
            labels.append(f"{run.name} (seed {run.seed})")
        else:
            labels.append(f"{run.name} ({_end(run, runs)})")
    return labels if len(set(labels)) == len(labels) else [f"{run.name} ({run.id})" for run in runs]


def _end(run: Named, runs: Sequence[Named]) -> str:
    """Return the shortest end of the id that no other id shares."""
    others = [other.id for other in runs if other.id != run.id]
    for length in range(SHORT_ID, len(run.id)):
        end = run.id[-length:]
        if not any(other.endswith(end) for other in others):
            return end
    return run.id
