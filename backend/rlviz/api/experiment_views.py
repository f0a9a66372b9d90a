"""From the state of an experiment to what the API shows of it."""

from __future__ import annotations

from typing import Any

from rlviz.api.schemas.experiments import (
    Experiment,
    ExperimentCell,
    ExperimentEstimate,
    ExperimentSummary,
    ExperimentVariant,
)
from rlviz.domain.recommended import RECOMMENDED
from rlviz.services.experiments import summaries
from rlviz.services.experiments.checking import Estimate
from rlviz.services.experiments.lengths import end_of
from rlviz.services.experiments.states import ExperimentState


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
