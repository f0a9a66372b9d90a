"""Runs side by side."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from rlviz.analysis.criterion import Source
from rlviz.analysis.experiments.made import Made
from rlviz.analysis.figures import Better
from rlviz.analysis.group_figures import GroupFigure
from rlviz.api.schemas.metrics import MetricCurve
from rlviz.api.schemas.runs import Run, Solved
from rlviz.api.schemas.wire import Wire


class ComparedRun(Wire):
    run: Run
    label: str = Field(description="The name; with the seed or the end of the id, if others have the same name.")
    environment: str = Field(description="Title of its group in `environments`.")
    threshold: float | None = Field(description="Return to reach: the one asked for, or its environment's.")
    solved: Solved | None = Field(description="When anything first showed that it reached that threshold.")
    y: list[float | None] = Field(description="Moving average of the return on the common axis; null outside.")
    curves: dict[str, MetricCurve] = Field(description="By name the `metrics` asked for that it has logged.")
    episodes: int
    best_moving_average: float | None
    best_moving_average_step: int | None
    final_moving_average: float | None
    steps_to_threshold: int | None = Field(description="Step at which it reached the threshold by the `criterion`.")
    seconds_to_threshold: float | None = Field(description="Seconds of training until then.")
    stability: float | None = Field(description="Standard deviation of the last 20 returns.")
    best_error: float | None = Field(description="Standard error of the best average.")
    final_error: float | None = Field(description="Standard error of the final moving average.")


class SeedCurve(Wire):
    """Compared runs that differ in their seed alone, as one curve of the return on the common axis."""

    group_id: str
    title: str
    run_ids: list[str] = Field(description="Runs that the curve is of.")
    iqm: list[float | None] = Field(description="Interquartile mean; null where not all of these runs have a value.")
    low: list[float | None] = Field(description="Its 95 % bootstrap interval; null for fewer than two runs.")
    high: list[float | None]
    count: list[int] = Field(description="Runs that the value is of; 0 where there is none.")
    note: str | None = Field(
        description="Says where the curve stops before some of its runs did, and which runs are not in it."
    )
    made: Made


class ConfigDifference(Wire):
    path: str = Field(description="JSON pointer into config.json.")
    group: str = Field(description="Part of the configuration, for instance hyperparameters; empty at the top.")
    name: str = Field(description="Name within the group.")
    values: dict[str, JsonValue] = Field(description="Value by run id; a run without this setting is left out.")


class RunGroup(Wire):
    """Runs that have something in common, for instance to share a colour or a panel."""

    title: str
    run_ids: list[str]
    threshold: float | None = Field(description="What they have to reach; null for groups of algorithms.")


class FigureComparison(Wire):
    """One figure of every run, and whether one run is best in it."""

    id: str
    title: str
    note: str = Field(description="How it is measured.")
    unit: str
    better: Better
    values: dict[str, float | None] = Field(description="By run id.")
    best: str | None = Field(description="Id of the run that is clearly best; null: none is.")
    reason: str = Field(description="Why it is best, or why the difference is too small to tell.")
    groups: dict[str, GroupFigure] = Field(description="By group, of those with several of the runs.")


class Verdict(Wire):
    headline: str
    why: list[str]
    cautions: list[str] = Field(description="What the figures cannot tell.")
    seed_caution: str | None = Field(description="The caution that training more seeds takes away; null: none.")


class Comparison(Wire):
    threshold: float | None = Field(description="The one asked for, or the one that all runs share.")
    criterion: Source | None = Field(
        description="What tells alike of all runs when they reached the threshold: the mean return of 100 episodes of "
        "training, or greedy evaluations while they train; null: nothing does."
    )
    window: int
    x: Literal["step", "seconds", "episode"]
    steps: list[float] = Field(description="Common axis of every `y`, in units of `x`.")
    runs: list[ComparedRun] = Field(description="In the order asked for.")
    logged: list[str] = Field(description="Metrics that any of the runs has logged.")
    seeds: list[SeedCurve]
    environments: list[RunGroup]
    algorithms: list[RunGroup] = Field(description="Titles are ids of algorithms.")
    figures: list[FigureComparison]
    verdict: Verdict | None = Field(description="Which run is better, and why; null with fewer than two runs.")
    config_diff: list[ConfigDifference]
