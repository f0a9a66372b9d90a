"""Figures: the numbers that runs are compared by, and for each whether one run is best or the difference is within
chance, and what it amounts to over the seeds of one setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rlviz.analysis.comparison import STABILITY_EPISODES, RunMetrics
from rlviz.analysis.criterion import Criterion
from rlviz.analysis.group_figures import GroupFigure, SeedFigure, mean_of_seeds, median_of_seeds
from rlviz.analysis.numbers import brief, decimal, duration, listed

ERRORS = 2.0
"""Two means differ if their difference is at least this many standard errors of the difference."""

SHARE = 0.9
"""Steps, seconds and rates differ if the smaller is less than this share of the larger."""

STEADIER = 0.63
"""Standard deviations of 20 returns differ if their ratio is below this: 5 % significance in an F test with 19 and 19
degrees of freedom."""


class Better(StrEnum):
    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True)
class Greedy:
    """Mean return of the best policy on fresh episodes, its standard deviation, and how many there were."""

    mean: float
    std: float
    episodes: int

    @property
    def error(self) -> float | None:
        """Standard error of the mean."""
        return self.std / math.sqrt(self.episodes - 1) if self.episodes > 1 else None


@dataclass(frozen=True)
class ComparisonEntry:
    """A run to be compared. ``environment``: its environment with the options that matter; ``seconds``: how long it has
    trained, if that is known; ``group``: what it shares with runs that differ in their seed alone, with ``group_label``
    to call them by."""

    run_id: str
    label: str
    environment: str
    step: int
    ended: bool
    metrics: RunMetrics
    steps_per_second: float | None = None
    seconds: float | None = None
    greedy: Greedy | None = None
    group: str = ""
    group_label: str = ""


@dataclass(frozen=True)
class Figure:
    """``note``: how it is measured. ``values``: by run id, None where there is none. ``best``: the run that is clearly
    best, if one is; ``reason`` says why it is, or why none is. ``groups``: by group, of those with several runs."""

    id: str
    title: str
    note: str
    unit: str
    better: Better
    values: dict[str, float | None]
    best: str | None
    reason: str
    groups: dict[str, GroupFigure]


Value = Callable[[ComparisonEntry], float | None]


@dataclass(frozen=True)
class _Measure:
    """How to read a figure off a run, and when two of its values differ by more than chance.

    With ``error``, a standard error of the value: if they are ERRORS of them apart; otherwise if the smaller is less
    than ``share`` of the larger. With ``spent``, how long a run has trained, a run without the value has not got there
    yet: it is worse than another if it has trained for clearly longer than that one took. ``resolution``: by how much
    the value of a run may be too large, because it is evaluated only now and then.
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

    def of(self, run: ComparisonEntry) -> float:
        value = self.value(run)
        return math.nan if value is None else value

    def over_seeds(self, runs: Sequence[ComparisonEntry]) -> GroupFigure:
        """Of runs that differ in their seed alone."""
        spent, what = self.spent, f"{self.title[:1].lower()}{self.title[1:]} ({self.note})"
        if spent is None:
            return mean_of_seeds([SeedFigure(self.value(run)) for run in runs], what)
        return median_of_seeds([SeedFigure(self.value(run), spent(run)) for run in runs], what)

    def is_clear(self, first: ComparisonEntry, second: ComparisonEntry) -> bool:
        """Whether ``first``, whose value is the better one, is better by more than chance. With ``spent``, ``second``
        may have none yet."""
        values = self.of(first), self.of(second)
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
        goal = "nothing tells it alike of all" if criterion is None else f"until {criterion.names(threshold)}"
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
            "mean return of the best greedy policy on fresh episodes",
            lambda run: run.greedy.mean if run.greedy else None,
            error=lambda run: run.greedy.error if run.greedy else None,
            explained_by="the spread of the episodes",
        ),
        _Measure(
            "steps_to_threshold",
            "Steps to threshold",
            goal,
            lambda run: run.metrics.steps_to_threshold,
            better=Better.LOW,
            unit="steps",
            show=brief,
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
            "over the whole run; lately, for one that still trains",
            lambda run: run.steps_per_second,
            unit="steps/s",
            show=brief,
        ),
    )


def figures(
    runs: Sequence[ComparisonEntry],
    *,
    window: int,
    threshold: float | None,
    criterion: Criterion | None,
    shared: int = 0,
) -> list[Figure]:
    """Every figure of ``runs``, in reading order. ``threshold`` is the reward threshold, if all runs share one;
    ``criterion`` tells when each has reached it; ``shared``: up to that step they were one run."""
    found, groups = [], groups_of(runs)
    for measure in _measures(window, threshold, criterion):
        best, reason = _best(runs, measure)
        if (incomparable := _not_compared(runs, measure, shared)) is not None:
            best, reason = None, incomparable
        found.append(
            Figure(
                measure.id,
                measure.title,
                measure.note,
                measure.unit,
                measure.better,
                values={run.run_id: measure.value(run) for run in runs},
                best=best,
                reason=reason,
                groups={name: measure.over_seeds(group) for name, group in groups.items() if len(group) > 1},
            )
        )
    return found


def groups_of(runs: Sequence[ComparisonEntry]) -> dict[str, list[ComparisonEntry]]:
    """By group, in the order of the first run of each; a run that is in none is one by itself."""
    members: dict[str, list[ComparisonEntry]] = {}
    for run in runs:
        members.setdefault(run.group or run.run_id, []).append(run)
    return members


def reached_before_they_parted(runs: Sequence[ComparisonEntry], shared: int) -> int | None:
    """The step at which runs that were one up to step ``shared`` reached the threshold, if they did by then."""
    steps = [run.metrics.steps_to_threshold for run in runs if run.metrics.steps_to_threshold is not None]
    return min(steps) if steps and min(steps) <= shared else None


def _not_compared(runs: Sequence[ComparisonEntry], measure: _Measure, shared: int) -> str | None:
    """Why a figure says nothing about which of runs with a common history is better."""
    if shared and measure.id == "seconds_to_threshold":
        return "Each counts from its own start, and one was forked from another."
    if measure.id == "steps_to_threshold" and (reached := reached_before_they_parted(runs, shared)) is not None:
        return f"It was reached at step {brief(reached)}, before they parted at step {brief(shared)}."
    return None


def is_clearly_higher(first: ComparisonEntry, second: ComparisonEntry, window: int) -> bool:
    """Whether the final mean return of ``first`` is higher by more than chance."""
    return _measure("final_moving_average", window).is_clear(first, second)


def first_to_reach(
    runs: Sequence[ComparisonEntry], threshold: float, criterion: Criterion | None
) -> ComparisonEntry | None:
    """The run that reached the threshold clearly before every other, if one did. One that has not reached it counts as
    later only if it has trained for clearly longer."""
    measure = _measure("steps_to_threshold", 1, threshold, criterion)
    reached = sorted((run for run in runs if measure.value(run) is not None), key=measure.of)
    if not reached:
        return None
    first = reached[0]
    return first if all(measure.is_clear(first, run) for run in runs if run is not first) else None


def _measure(name: str, window: int, threshold: float | None = None, criterion: Criterion | None = None) -> _Measure:
    return next(one for one in _measures(window, threshold, criterion) if one.id == name)


def _best(runs: Sequence[ComparisonEntry], measure: _Measure) -> tuple[str | None, str]:
    """The run that is best, with the reason; or None, with the reason why none is."""
    if len(runs) < 2:
        return None, "There is no other run."
    environments = list(dict.fromkeys(run.environment for run in runs))
    if len(environments) > 1:
        return None, f"Not comparable across environments: {listed(environments)}."
    known = [run for run in runs if measure.value(run) is not None]
    ranked = sorted(known, key=measure.of, reverse=measure.better is Better.HIGH)
    if not ranked:
        return None, "No run has it."
    first, value = ranked[0], measure.show(measure.of(ranked[0]))
    behind = [run for run in runs if run not in ranked] if measure.spent is not None else []
    in_time = [run.label for run in behind if not measure.is_clear(first, run)]
    if in_time:
        verb = "has" if len(in_time) == 1 else "have"
        return None, f"{first.label} took {value}; {listed(in_time)} {verb} not trained for clearly longer."
    if len(ranked) < 2:
        return (first.run_id if measure.spent is not None else None), f"Only {first.label} has it: {value}."
    second = ranked[1]
    level = [run.label for run in ranked if measure.of(run) == measure.of(first)]
    if len(level) > 1:
        return None, f"{listed(level)} are level at {value}."
    clear = measure.is_clear(first, second)
    return (first.run_id if clear else None), (
        f"{first.label} {value}, {second.label} {measure.show(measure.of(second))}: {_because(measure, clear=clear)}."
    )


def _because(measure: _Measure, *, clear: bool) -> str:
    if measure.error is not None:
        return f"more than {measure.explained_by} explains" if clear else f"within {measure.explained_by}"
    return "clearly apart" if clear else "too close to tell apart"
