"""Experiments: their specification, trials and state.

From the state of an experiment to what the API shows of it.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.experiments import CellStatus, ExperimentSpec, ExperimentStatus
from rlviz.domain.ids import Instant
from rlviz.domain.recommended import RECOMMENDED
from rlviz.server.experiments import summaries
from rlviz.server.experiments.lengths import end_of
from rlviz.server.experiments.service import Estimate
from rlviz.server.experiments.summaries import ExperimentState
from rlviz.server.wire import Wire


class ExperimentVariant(Wire):
    id: str
    label: str
    algo: str
    env_id: str
    preset: str | None
    hyperparameters: dict[str, JsonValue] = Field(description="In the place of the preset's.")
    total_timesteps: int | None = Field(
        None, description="That a trial is created with; null: an older version did not note it."
    )
    end_step: int | None = Field(
        None, description="Step at which a trial ends: `total_timesteps` rounded up to whole rollouts; null likewise."
    )
    evaluation: EvaluationPlan | None = Field(None, description="While it trains; null likewise, or as in the preset.")


class ExperimentCell(Wire):
    """One trial: a variant with a seed."""

    trial: int
    variant: str
    seed: int
    status: CellStatus
    run_id: str | None = Field(description="Of its newest attempt.")
    attempt: int = Field(description="0: it was never begun.")
    score: float | None = Field(description="Mean return of its policy on fresh episodes.")
    cause: str | None = Field(description="Why it has no score, or was begun anew.")
    progress: float = Field(ge=0, le=1, description="1 once it has ended.")
    trained: float = Field(ge=0, le=1, description="Share of its steps that it has trained.")
    sparkline: list[float] = Field(
        description="Moving averages of its returns, evenly spaced over what it has trained: 32, or fewer of many "
        "trials, at least 8."
    )


class ExperimentSummary(Wire):
    id: str
    name: str
    created_at: Instant
    status: ExperimentStatus
    cause: str | None = Field(description="Why it failed, or left trials out.")
    problem: str | None = Field(description="What holds it up for now, such as a full disk.")
    trials: int = Field(description="Planned.")
    total_timesteps: int = Field(
        description="Environment steps that all its trials train for together, whole rollouts counted; at most, where "
        "trials of a search may differ."
    )
    least_timesteps: int = Field(0, description="The same, at least.")
    length_note: str | None = Field(
        None,
        description="Why the trials of a grid or a search are not as long as was asked for, or differ, and where they "
        "are too short to learn.",
    )
    counts: dict[CellStatus, int] = Field(description="Trials by status.")
    progress: float = Field(ge=0, le=1, description="Share of those steps.")
    seconds_left: float | None
    core_seconds: float
    searches: bool = Field(description="Whether it searches hyperparameters.")


class ExperimentEstimate(Wire):
    """What an experiment would train. Nothing is begun."""

    trials: int = Field(description="Runs: variants times seeds.")
    total_timesteps: int = Field(description="Environment steps of all trials together, at most.")
    least_timesteps: int = Field(description="The same, at least; less only where trials of a search may differ.")
    length_note: str | None = Field(
        description="Why the trials of a grid or a search are not as long as was asked for, or differ, and where they "
        "are too short to learn."
    )
    core_seconds: float | None = Field(
        description="Processor time at the pace of earlier runs; null where an algorithm was never trained there."
    )


class ExperimentList(Wire):
    experiments: list[ExperimentSummary]
    next_cursor: str | None = Field(None, description="Pass as `cursor` for the next page; null on the last.")
    total: int = Field(0, description="Of all pages.")
    damaged: dict[str, str] = Field(description="By id, what is wrong with those that cannot be read.")


class Experiment(ExperimentSummary):
    specification: ExperimentSpec
    variants: list[ExperimentVariant]
    seeds: list[int]
    cells: list[ExperimentCell]


def view_summary(summary: summaries.ExperimentSummary) -> ExperimentSummary:
    return ExperimentSummary(**_summary(summary))


def view_estimate(estimate: Estimate) -> ExperimentEstimate:
    return ExperimentEstimate(
        trials=estimate.trials,
        total_timesteps=estimate.steps,
        least_timesteps=estimate.least_steps,
        length_note=estimate.note,
        core_seconds=estimate.core_seconds,
    )


def view_experiment(state: ExperimentState) -> Experiment:
    return Experiment(
        **_summary(state),
        specification=state.spec,
        variants=[
            ExperimentVariant(
                id=variant.id,
                label=variant.label,
                algo=variant.run_spec.algo,
                env_id=variant.run_spec.env_id,
                preset=variant.trained.preset if variant.run_spec.preset == RECOMMENDED else variant.run_spec.preset,
                hyperparameters=variant.run_spec.hyperparameters,
                total_timesteps=variant.trained.total_timesteps,
                end_step=end_of(variant.trained),
                evaluation=variant.trained.evaluation,
            )
            for variant in state.variants
        ],
        seeds=list(state.seeds),
        cells=[ExperimentCell(**vars(cell)) for cell in state.cells],
    )


def _summary(state: summaries.ExperimentSummary) -> dict[str, Any]:
    return {
        "id": state.id,
        "name": state.name,
        "created_at": state.created_at,
        "status": state.status,
        "cause": state.cause,
        "problem": state.problem,
        "trials": state.planned,
        "total_timesteps": state.total_timesteps,
        "least_timesteps": state.least_timesteps,
        "length_note": state.length_note,
        "counts": dict(state.counts),
        "progress": state.progress,
        "seconds_left": state.seconds_left,
        "core_seconds": state.core_seconds,
        "searches": state.searches,
    }
