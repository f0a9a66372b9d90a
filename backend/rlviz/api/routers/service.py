"""Health, and what can be chosen."""

from __future__ import annotations

import shutil

from fastapi import APIRouter

from rlviz import __version__
from rlviz.algorithms import ALGORITHMS
from rlviz.api.dependencies import App
from rlviz.api.schemas import AlgorithmInfo, EnvironmentInfo, Health, Limits, MetricDefinitions
from rlviz.api.views import view_algorithm, view_environment, view_metric_definitions
from rlviz.domain.limits import LIMITS

router = APIRouter(tags=["service"])


@router.get("/health")
def health(app: App) -> Health:
    """Whether the service is up, and how busy it is."""
    active, queued = app.runs.load()
    return Health(
        version=__version__,
        launcher=app.settings.launcher,
        active_runs=active,
        queued_runs=queued,
        max_concurrent_runs=app.supervisor.limit,
        free_disk_bytes=shutil.disk_usage(app.settings.runs_dir).free,
    )


@router.get("/algorithms")
def list_algorithms() -> list[AlgorithmInfo]:
    """The algorithms, with each hyperparameter's bounds, default and help, and their general presets."""
    return [view_algorithm(algorithm) for algorithm in ALGORITHMS]


@router.get("/environments")
def list_environments(app: App) -> list[EnvironmentInfo]:
    """The environments, with their spaces, the algorithms that fit, and presets as they apply to each."""
    algorithms = list(ALGORITHMS)
    return [view_environment(environment, algorithms) for environment in app.environments.all()]


@router.get("/metric-definitions")
def list_metric_definitions() -> MetricDefinitions:
    """The metrics that runs log: what each is called, what it means, who logs it, and how it is best drawn."""
    return view_metric_definitions()


@router.get("/limits")
def get_limits() -> Limits:
    """The limits on what may be asked for, as they are enforced."""
    return LIMITS
