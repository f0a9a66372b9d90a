"""API models of metrics, curves, events, hints, anatomy and comparisons, and the functions that build them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Annotated, Literal

from pydantic import Field

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.domain.evaluation import EvaluationStatus
from rlviz.domain.events import DivergedData, EventRecord, KnownData, RollbackData, UnknownData
from rlviz.domain.limits import Limits
from rlviz.domain.metrics import MetricRecord
from rlviz.domain.visits import EvaluatedPath
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.problems import Problem
from rlviz.server.runs.choices import AlgorithmInfo, EnvironmentInfo, MetricDefinitions, WorldInfo
from rlviz.server.runs.events import EventLog, describe, describe_evaluation
from rlviz.server.runs.models import Run, RunDetail, Solved
from rlviz.server.wire import Wire
from rlviz.stats import hints
from rlviz.stats.comparison import ConfigDifference
from rlviz.stats.criterion import Source
from rlviz.stats.experiments.trials import Made
from rlviz.stats.groups import FigureComparison
from rlviz.stats.hints import Review, RuleState, SuggestedChange
from rlviz.stats.hints.hint import LookedAt, Minimum
from rlviz.stats.hints.outcomes import HintOutcome
from rlviz.stats.verdict import Verdict


class MetricRows(Wire):
    run_id: str
    rows: list[MetricRecord]
    broken_lines: int = Field(description="Number of malformed lines that were skipped.")
    cursor: str = Field(description="Stream position after these rows.")


class SmoothedCurve(Wire):
    """Exponential moving average over all points of the run, omitted ones included."""

    y: list[float | None] = Field(description="At each point of the curve; null at a gap.")
    mean: float | None = Field(description="Mean after the last point; null before the first number.")
    weight: float = Field(
        description="Total weight of the numbers so far, 1 - smoothing^n, needed to continue the mean."
    )


class MetricCurve(Wire):
    x: list[float]
    y: list[float | None] = Field(description="null is a gap.")
    count: int = Field(description="Points before thinning.")
    smoothed: SmoothedCurve | None = Field(
        None, description="null without smoothing, or if no point was omitted, since it then follows from y."
    )


class EpisodesBefore(Wire):
    """The last episodes before a fork, which its means over several episodes include."""

    returns: list[float | None]
    lengths: list[float | None]


class MetricCurves(Wire):
    run_id: str
    x: Literal["step", "time", "seconds", "episode"]
    series: dict[str, MetricCurve]
    broken_lines: int = Field(description="Number of malformed lines of the journal that were skipped.")
    cursor: str = Field(description="Stream position after these points.")
    mean_episodes: int = Field(description="Episodes in the mean return and in the mean length.")
    before: EpisodesBefore | None = Field(None, description="null: not a fork, or unknown.")


class RunOpening(Wire):
    """Everything that the page of a run needs to draw its first curve."""

    run: RunDetail
    curves: MetricCurves | None = Field(
        description="As `GET /runs/{run_id}/metrics/curves` answers them; null: they take long to read, or cannot be "
        "read. Request them separately."
    )
    algorithm: AlgorithmInfo | None = Field(description="The run's entry of `GET /algorithms`; null: it has none.")
    environment: EnvironmentInfo | None = Field(
        description="The run's entry of `GET /environments`; null for custom environments, which may still be probed."
    )
    metric_definitions: MetricDefinitions
    limits: Limits


class GhostCurves(Wire):
    """Training that no longer counts, because the run was rolled back or came out differently when resumed."""

    attempt: int = Field(description="The later attempt whose rows count instead.")
    cause: Literal["rollback", "diverged"]
    from_step: int
    to_step: int
    series: dict[str, MetricCurve]


class AncestorCurves(Wire):
    """An ancestor of the run, up to the step of the fork."""

    run_id: str
    name: str
    to_step: int = Field(description="Step of the fork.")
    series: dict[str, MetricCurve]


class PastCurves(Wire):
    """Curves that are drawn behind those of a run and count in none of its figures."""

    run_id: str
    x: Literal["step", "time", "seconds", "episode"]
    ghosts: list[GhostCurves] = Field(description="Oldest first.")
    ghosts_left_out: int = Field(description="Number of older ones that are omitted.")
    mean_episodes: int = Field(description="As for the curves of the run.")
    ancestors: list[AncestorCurves] = Field(
        description="Oldest first; empty along a clock, since each run has its own; ends at a deleted run."
    )


class RunsMetricCurves(Wire):
    runs: list[MetricCurves] = Field(description="In the requested order, without those in `problems`.")
    problems: dict[str, Problem] = Field(description="Why a run has no curves, by run id.")


class EvaluationEnded(Wire):
    """A requested evaluation has ended. No journal contains this event."""

    kind: Literal["evaluation"] = "evaluation"
    evaluation_id: str
    status: Literal["completed", "failed"]


EventDetails = Annotated[KnownData | UnknownData | EvaluationEnded, Field(discriminator="kind")]


class RunEvent(Wire):
    seq: int | None = Field(description="Position in the journal, from 1; null for an evaluation.")
    time: float = Field(description="Unix time, seconds.")
    step: int | None = Field(description="Environment steps; null if the event belongs to no step.")
    kind: str = Field(
        description="As in events.jsonl: started, checkpoint, warning, …; a kind of a newer version; or evaluation."
    )
    level: Literal["info", "warning", "error"]
    message: str
    superseded: bool = Field(
        description="Whether it no longer counts: the run went back to an earlier step, or differed when resumed."
    )
    details: EventDetails


class RunEvents(Wire):
    run_id: str
    events: list[RunEvent] = Field(description="Oldest first; the newest 5,000 if there are more.")
    broken_lines: int = Field(description="Number of malformed lines that were skipped.")


class Hint(Wire):
    id: str = Field(description="The rule that found it, such as entropy-collapsed.")
    severity: Literal["info", "warning", "problem"]
    title: str
    metric: str = Field(description="The metric that shows it.")
    from_step: int = Field(description="Environment step at which it starts.")
    to_step: int
    evidence: str = Field(description="The evidence in numbers.")
    suggestion: str = Field(description="What to try: a hyperparameter and a value.")
    changes: list[SuggestedChange] = Field(
        description="The parts of the suggestion that you can try by forking the run, one at a time. Those that helped "
        "in tests come first."
    )
    testable: list[str] = Field(description="Names of the changes that can be tested with this run.")
    record: str | None = Field(
        description="What complete tests of this hint have shown with the run's algorithm and environment; null: none."
    )
    tests: list[HintOutcome] = Field(description="Tests of this hint with this run, newest first.")
    learn: str = Field(description="Anchor on the algorithm's page under Learn.")
    looked_at: LookedAt


class HintRule(Wire):
    """A rule and its result for this run."""

    id: str
    looks_for: str
    metrics: list[str] = Field(description="The rule uses the first of these that is logged.")
    minimum: Minimum
    state: RuleState = Field(description="not_logged; waiting for its minimum; silent; or found.")
    points: int = Field(description="Number of values so far.")


class RunHints(Wire):
    run_id: str
    hints: list[Hint] = Field(description="Most serious first; outcomes of tests can change the order.")
    rules: list[HintRule] = Field(description="Every rule that was evaluated.")


class RunAnatomy(Wire):
    run_id: str
    updates: list[UpdateAnatomy] = Field(
        description="Oldest first, evenly spaced over the recorded updates, including the newest."
    )


class MapCell(Wire):
    id: int = Field(description="Cells are counted from 0, row by row.")
    x: int = Field(description="Column, from the left.")
    y: int = Field(description="Row, from the top.")
    room: int = Field(description="Place of its room in `rooms`; 0 if the world is one room.")
    visits: int = Field(description="Steps that ended there, and episodes that began there.")


class FrontierCell(MapCell):
    weight: float = Field(description="Probability that an episode that begins in the archive begins there, 0 to 1.")


class RunMap(Wire):
    """Where the agent of a run has been."""

    run_id: str
    world: WorldInfo | None = Field(description="The cells of the environment; null: it has none.")
    rooms: list[str] = Field(description="Names of the rooms, row by row; empty if the world is one room.")
    is_recorded: bool = Field(description="Whether the run counts visits.")
    step: int | None = Field(description="Environment step of these visits; null: nothing was written yet.")
    steps: list[int] = Field(description="Steps that have a map, ascending, for `step`.")
    cells: list[MapCell] = Field(description="The visited cells.")
    path: EvaluatedPath | None = Field(
        description="Cells that the newest evaluated policy walked through; null: none was evaluated while training."
    )
    frontier: list[FrontierCell] = Field(
        description="The cells of the archive that were visited least, so that episodes begin there most often: "
        "at most 40, the largest weight first; empty without an archive, and at an earlier step."
    )


class ComparedRun(Wire):
    run: Run
    label: str = Field(description="Its name, with the seed or the end of the id if others have the same name.")
    environment: str = Field(description="Title of its group in `environments`.")
    threshold: float | None = Field(description="Return to reach: the requested one or that of its environment.")
    solved: Solved | None = Field(description="When it first proved to reach that threshold.")
    y: list[float | None] = Field(description="Moving average of the return on the common axis; null outside.")
    curves: dict[str, MetricCurve] = Field(description="Curves of the requested `metrics` that it logs, by name.")
    logged: list[str] = Field(description="Names of its metrics.")
    episodes: int
    best_moving_average: float | None
    best_moving_average_step: int | None
    final_moving_average: float | None
    steps_to_threshold: int | None = Field(description="Step at which it reached the threshold by the `criterion`.")
    seconds_to_threshold: float | None = Field(description="Training seconds by then.")
    stability: float | None = Field(description="Standard deviation of the last 20 returns.")
    best_error: float | None = Field(description="Standard error of the best average.")
    final_error: float | None = Field(description="Standard error of the final moving average.")


class SeedMetricCurve(Wire):
    """One metric over seeds, on its own axis. It stops at the last position that all of them reached."""

    x: list[float] = Field(description="In units of the request's `x`.")
    iqm: list[float | None] = Field(description="Interquartile mean; null where one of the runs has no value.")
    low: list[float | None] = Field(description="Its 95 % bootstrap interval; null for fewer than two runs.")
    high: list[float | None]
    count: list[int] = Field(description="Number of runs in the value; 0 where there is none.")


class SeedCurve(Wire):
    """Compared runs that differ only in their seed, as one return curve on the common axis."""

    group_id: str
    title: str
    run_ids: list[str] = Field(description="The runs of the curve.")
    iqm: list[float | None] = Field(description="Interquartile mean; null where one of the runs has no value.")
    low: list[float | None] = Field(description="Its 95 % bootstrap interval; null for fewer than two runs.")
    high: list[float | None]
    count: list[int] = Field(description="Number of runs in the value; 0 where there is none.")
    note: str | None = Field(
        description="Where the curve ends before some of its runs do, and which runs are not in it."
    )
    made: Made
    metrics: dict[str, SeedMetricCurve] = Field(
        description="By name the requested `seed_metrics` that were logged; those of episodes are moving averages."
    )


class RunGroup(Wire):
    """Runs with a common property, such as the same environment."""

    title: str
    run_ids: list[str]
    threshold: float | None = Field(description="Return to reach; null for groups of algorithms.")


class Comparison(Wire):
    threshold: float | None = Field(description="The requested threshold or the one that all runs share.")
    criterion: Source | None = Field(
        description="How it is decided, equally for all runs, when they reach the threshold: by the mean return of 100 "
        "training episodes or by evaluations during training; null: neither fits all runs."
    )
    window: int
    x: Literal["step", "seconds", "episode"]
    steps: list[float] = Field(description="Common axis of every `y`, in units of `x`.")
    runs: list[ComparedRun] = Field(description="In the requested order.")
    logged: list[str] = Field(description="Metrics that at least one run logs.")
    seeds: list[SeedCurve]
    environments: list[RunGroup]
    algorithms: list[RunGroup] = Field(description="Titles are ids of algorithms.")
    figures: list[FigureComparison]
    verdict: Verdict | None = Field(description="Which run is better, and why; null with fewer than two runs.")
    config_diff: list[ConfigDifference]


@dataclass(frozen=True)
class HintReport:
    """What can be done with a hint, and what its tests have shown. See ``Hint`` for the fields."""

    changes: list[SuggestedChange]
    testable: list[str]
    record: str | None
    tests: list[HintOutcome]


def view_hints(run_id: str, seen: Review, report: Callable[[hints.Hint], HintReport]) -> RunHints:
    """Return the API model of hints."""
    return RunHints(
        run_id=run_id,
        hints=[
            Hint(
                **{name: value for name, value in vars(hint).items() if name != "advice"},
                suggestion=hint.suggestion,
                **vars(report(hint)),
            )
            for hint in seen.hints
        ],
        rules=[
            HintRule(
                id=finding.rule.id,
                looks_for=finding.rule.looks_for,
                metrics=list(finding.rule.metrics),
                minimum=finding.rule.minimum,
                state=finding.state,
                points=finding.points,
            )
            for finding in seen.findings
        ],
    )


def list_events(log: EventLog, evaluations: Iterable[EvaluationRow]) -> list[RunEvent]:
    """Return the events of a run, oldest first: those of its journal, and its ended ``evaluations``, newest first."""
    cuts = [cut for event in log.events if (cut := _cut_of(event)) is not None]
    ended = [_view_ended(row, cuts) for row in reversed(list(evaluations)) if row.parsed().status.is_final]
    return list(merge((_view_event(event, cuts) for event in log.events), ended, key=lambda event: event.time))


def _cut_of(event: EventRecord) -> tuple[int, float] | None:
    """Return the last step that counts of what happened before ``event``, and its time; None if everything counts."""
    match event.data:
        case RollbackData():
            return event.step, event.time
        case DivergedData():
            return event.step - 1, event.time
    return None


def _is_superseded(step: int | None, time: float, cuts: Sequence[tuple[int, float]]) -> bool:
    return step is not None and any(time < at and step > last for last, at in cuts)


def _view_event(event: EventRecord, cuts: Sequence[tuple[int, float]]) -> RunEvent:
    """Return the API model of a journaled event."""
    described = describe(event)
    return RunEvent(
        seq=event.seq,
        time=event.time,
        step=described.step,
        kind=event.event,
        level=described.level,
        message=described.message,
        superseded=_is_superseded(described.step, event.time, cuts),
        details=event.data,
    )


def _view_ended(row: EvaluationRow, cuts: Sequence[tuple[int, float]]) -> RunEvent:
    """Return an ended evaluation as an event of its run."""
    record = row.parsed()
    described = describe_evaluation(record)
    time = (record.ended_at or record.created_at).timestamp()
    return RunEvent(
        seq=None,
        time=time,
        step=described.step,
        kind="evaluation",
        level=described.level,
        message=described.message,
        superseded=_is_superseded(described.step, time, cuts),
        details=EvaluationEnded(
            evaluation_id=record.id,
            status="completed" if record.status is EvaluationStatus.COMPLETED else "failed",
        ),
    )
