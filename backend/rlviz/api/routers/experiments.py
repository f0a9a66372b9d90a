"""Experiments: create, list, show, stop, resume, delete."""

from typing import Annotated

from fastapi import Query

from rlviz.api.dependencies import App
from rlviz.api.experiment_views import view_estimate, view_experiment, view_summary
from rlviz.api.lanes import Lane, in_lane
from rlviz.api.problems import documented
from rlviz.api.router import Router
from rlviz.api.schemas.experiments import Experiment, ExperimentEstimate, ExperimentList
from rlviz.domain.errors import (
    ExperimentConflict,
    ExperimentNotFound,
    ExtraMissing,
    InvalidRequest,
    NewerVersion,
    NotEnoughDisk,
    RunFolderError,
)
from rlviz.domain.experiments import ExperimentSpec
from rlviz.domain.limits import DEFAULT_EXPERIMENTS_PER_PAGE, LIMITS

router = Router(prefix="/experiments", tag="experiments", lane=Lane.CHANGES)


@router.post("", status_code=201, responses=documented(InvalidRequest, NotEnoughDisk, ExtraMissing))
def create_experiment(body: ExperimentSpec, app: App) -> Experiment:
    """Train every variant with every seed, and score what comes out. It begins at once."""
    app.sinks.check(body.sinks)
    return view_experiment(app.experiments.create(body))


@router.post("/estimate", responses=documented(InvalidRequest))
def estimate_experiment(body: ExperimentSpec, app: App) -> ExperimentEstimate:
    """How many runs an experiment would train, and for how many steps. Nothing is begun."""
    return view_estimate(app.experiments.estimate(body))


@router.get("", responses=documented(InvalidRequest))
@in_lane(Lane.LISTS)
def list_experiments(
    app: App,
    q: Annotated[str | None, Query(max_length=LIMITS.search.maximum, description="Text in name or id.")] = None,
    limit: Annotated[int, Query(ge=1, le=LIMITS.experiments_per_page.maximum)] = DEFAULT_EXPERIMENTS_PER_PAGE,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
) -> ExperimentList:
    """Experiments without their trials, newest first."""
    found = app.experiments.list(q=q, limit=limit, cursor=cursor)
    return ExperimentList(
        experiments=[view_summary(one) for one in found.experiments],
        next_cursor=found.next_cursor,
        total=found.total,
        damaged=dict(app.experiment_scheduler.damaged()),
    )


@router.get("/{experiment_id}", responses=documented(ExperimentNotFound, RunFolderError))
@in_lane(Lane.READS)
def get_experiment(experiment_id: str, app: App) -> Experiment:
    """One experiment with each of its trials."""
    return view_experiment(app.experiments.get(experiment_id))


@router.post(
    "/{experiment_id}/stop", status_code=202, responses=documented(ExperimentNotFound, ExperimentConflict, NewerVersion)
)
@in_lane(None)
def stop_experiment(experiment_id: str, app: App) -> Experiment:
    """Begin nothing more, and pause what trains."""
    return view_experiment(app.experiments.stop(experiment_id))


@router.post(
    "/{experiment_id}/resume",
    status_code=202,
    responses=documented(ExperimentNotFound, ExperimentConflict, NewerVersion),
)
def resume_experiment(experiment_id: str, app: App) -> Experiment:
    """Go on with an experiment that was stopped, with each run where it was."""
    return view_experiment(app.experiments.resume(experiment_id))


@router.delete("/{experiment_id}", status_code=204, responses=documented(ExperimentNotFound))
def delete_experiment(experiment_id: str, app: App) -> None:
    """Delete the experiment, and stop what it trains; its runs stay."""
    app.experiments.delete(experiment_id)
