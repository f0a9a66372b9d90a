"""API models of experiments and their trials."""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.experiments import CellStatus, ExperimentSpec, ExperimentStatus
from rlviz.domain.ids import Instant
from rlviz.server.wire import Wire
from rlviz.stats.hints.outcomes import HintOutcome


class ExperimentVariant(Wire):
    id: str
    label: str
    algo: str
    env_id: str
    preset: str | None
    hyperparameters: dict[str, JsonValue] = Field(description="Values that replace those of the preset.")
    total_timesteps: int | None = Field(
        None, description="The value that trials are created with; null: an older version did not store it."
    )
    end_step: int | None = Field(
        None,
        description="Step at which a trial ends: `total_timesteps` rounded up to complete rollouts; null: not stored.",
    )
    evaluation: EvaluationPlan | None = Field(
        None, description="Evaluation during training; null: not stored, or as in the preset."
    )


class ExperimentCell(Wire):
    """One trial: a variant with a seed."""

    trial: int
    variant: str
    seed: int
    status: CellStatus
    run_id: str | None = Field(description="The run of its newest attempt.")
    attempt: int = Field(description="Number of the newest attempt; 0: never started.")
    score: float | None = Field(description="Mean return of its policy on new episodes.")
    cause: str | None = Field(description="Why it has no score, or was restarted.")
    progress: float = Field(ge=0, le=1, description="Share of its steps that are settled; 1 after it has ended.")
    trained: float = Field(ge=0, le=1, description="Share of its steps that are trained.")
    sparkline: list[float] = Field(
        description="Moving averages of its returns, evenly spaced over the trained steps: 32 points, or fewer if "
        "there are many trials, but at least 8."
    )


class ExperimentSummary(Wire):
    id: str
    name: str
    created_at: Instant
    status: ExperimentStatus
    cause: str | None = Field(description="Why it failed or skipped trials.")
    problem: str | None = Field(description="What blocks it at the moment, such as a full disk.")
    trials: int = Field(description="Planned.")
    total_timesteps: int = Field(
        description="Total environment steps of all trials, rounded up to complete rollouts; a maximum if trials of a "
        "search differ."
    )
    least_timesteps: int = Field(0, description="The same total as a minimum.")
    length_note: str | None = Field(
        None,
        description="Why trials of a grid or a search differ from the requested length or from each other, and "
        "whether they are too short to learn.",
    )
    counts: dict[CellStatus, int] = Field(description="Trials by status.")
    progress: float = Field(ge=0, le=1, description="Share of the total steps that is done.")
    seconds_left: float | None = Field(
        description="Estimated seconds of training left; null without an estimate and during the last scoring."
    )
    core_seconds: float
    searches: bool = Field(description="Whether it searches hyperparameters.")
    hint_test: HintOutcome | None = Field(None, description="Result of the hint that it tests; null: it tests none.")
    best_return: float | None = Field(
        None, description="Highest best average of its runs; null without one, or if they have several environments."
    )


class ExperimentEstimate(Wire):
    """What an experiment would train, without starting it."""

    trials: int = Field(description="Number of runs: variants times seeds.")
    total_timesteps: int = Field(description="Total environment steps of all trials, at most.")
    least_timesteps: int = Field(description="The same total as a minimum; smaller only if trials of a search differ.")
    length_note: str | None = Field(
        description="Why trials of a grid or a search differ from the requested length or from each other, and "
        "whether they are too short to learn."
    )
    core_seconds: float | None = Field(
        description="Processor time at the pace of earlier runs; null if an algorithm was never trained there."
    )


class ExperimentList(Wire):
    experiments: list[ExperimentSummary]
    next_cursor: str | None = Field(None, description="Pass as `cursor` for the next page; null on the last.")
    total: int = Field(0, description="Number of experiments on all pages.")
    damaged: dict[str, str] = Field(description="Experiments that cannot be read: the problem by id.")


class Experiment(ExperimentSummary):
    specification: ExperimentSpec
    variants: list[ExperimentVariant]
    seeds: list[int]
    cells: list[ExperimentCell]
