"""From the state of an experiment to what the API shows of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rlviz.api.schemas.experiments import Experiment, ExperimentCell, ExperimentSummary, ExperimentVariant
from rlviz.services.experiments.states import ExperimentState


def view_summary(state: ExperimentState) -> ExperimentSummary:
    return ExperimentSummary(**_summary(state))


def view_experiment(state: ExperimentState) -> Experiment:
    return Experiment(
        **_summary(state),
        specification=state.spec,
        variants=[
            ExperimentVariant(
                id=variant.id,
                label=variant.label,
                algo=variant.wishes.algo,
                env_id=variant.wishes.env_id,
                preset=variant.wishes.preset,
                hyperparameters=variant.wishes.hyperparameters,
            )
            for variant in state.variants
        ],
        seeds=list(state.seeds),
        cells=[ExperimentCell(**vars(cell)) for cell in state.cells],
    )


def _summary(state: ExperimentState) -> dict[str, Any]:
    return {
        "id": state.id,
        "name": state.name,
        "created_at": state.created_at,
        "status": state.status,
        "cause": state.cause,
        "problem": state.problem,
        "trials": state.planned,
        "counts": Counter(cell.status for cell in state.cells),
        "progress": min(1.0, state.progress),
        "seconds_left": state.seconds_left,
        "core_seconds": state.core_seconds,
        "searches": state.spec.sweep is not None,
    }
