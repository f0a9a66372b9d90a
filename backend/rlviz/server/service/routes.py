"""HTTP routes of the service's health, and of the choices for a new run: algorithms, environments, metrics, limits."""

from __future__ import annotations

import shutil
from typing import Annotated

from fastapi import Body, Depends, Request
from pydantic import JsonValue
from starlette.responses import Response

from rlviz import __version__
from rlviz.domain.errors import ArtifactNotFound, SettingLocked, UnknownName
from rlviz.domain.limits import LIMITS, Limits
from rlviz.domain.recording import Detail
from rlviz.domain.storage_profile import DEFAULT_PROFILES, StorageProfile
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.random_actions import RANDOM
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.custom import families
from rlviz.learning.environments.stills import still_path
from rlviz.server.dependencies import provided
from rlviz.server.files import ARTIFACT, POLICY, send_file
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.notifications.notifier import Notifier
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.runs.choices import (
    AlgorithmInfo,
    EnvironmentInfo,
    MetricDefinitions,
    view_algorithm,
    view_environment,
    view_metric_definitions,
)
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.service import RunService
from rlviz.server.service.models import Health, StorageProfileInfo
from rlviz.server.settings import SettingInfo, SettingsService
from rlviz.server.storage.service import StorageService
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.settings import Settings

Environments = Annotated[EnvironmentService, Depends(provided(EnvironmentService))]
NotifierAccess = Annotated[Notifier, Depends(provided(Notifier))]
OwnPresetsAccess = Annotated[OwnPresets, Depends(provided(OwnPresets))]
Runs = Annotated[RunService, Depends(provided(RunService))]
SettingsAccess = Annotated[Settings, Depends(provided(Settings))]
SettingsServiceAccess = Annotated[SettingsService, Depends(provided(SettingsService))]
Storage = Annotated[StorageService, Depends(provided(StorageService))]
SupervisorAccess = Annotated[Supervisor, Depends(provided(Supervisor))]

router = Router(tag="service")


@router.get("/health")
def health(
    runs: Runs, settings: SettingsAccess, supervisor: SupervisorAccess, storage: Storage, notifier: NotifierAccess
) -> Health:
    """Whether the service is up, and how busy it is."""
    active, queued = runs.load()
    titles = families()
    return Health(
        version=__version__,
        launcher=settings.launcher,
        active_runs=active,
        queued_runs=queued,
        max_concurrent_runs=supervisor.limit,
        max_sessions=settings.max_sessions,
        free_disk_bytes=shutil.disk_usage(settings.runs_dir).free,
        storage_warnings=storage.warnings(),
        settings_problem=settings.saved_problem,
        webhook=webhook.state if (webhook := notifier.webhook) is not None else None,
        storage={family: _profile(titles[family], settings.storage_profile(family)) for family in DEFAULT_PROFILES},
    )


def _profile(title: str, profile: StorageProfile) -> StorageProfileInfo:
    keeps = {detail: profile.keeps(detail) for detail in Detail}
    return StorageProfileInfo(title=title, keeps=keeps, **profile.model_dump())


STILL_SECONDS = 86_400
"""Seconds that a browser may cache a still."""


@router.get("/algorithms")
def list_algorithms() -> list[AlgorithmInfo]:
    """List the algorithms with their general presets and each hyperparameter's bounds, default and help. Random actions
    are listed as an algorithm too."""
    return [view_algorithm(algorithm) for algorithm in (*ALGORITHMS, RANDOM)]


@router.get("/environments")
@in_lane(Lane.LISTS)
def list_environments(own_presets: OwnPresetsAccess, environments: Environments) -> list[EnvironmentInfo]:
    """List the environments with their spaces, the algorithms that fit, and their presets."""
    algorithms = [*ALGORITHMS, RANDOM]
    own = own_presets.all()
    return [
        view_environment(one, algorithms, own, has_own_still=environments.still(one.id) is not None)
        for one in environments.all()
    ]


@router.head("/environments/{env_id:path}/still", include_in_schema=False)
@router.get(
    "/environments/{env_id:path}/still",
    response_class=Response,
    responses={
        200: {"description": "The picture", "content": {"image/webp": {}}},
        304: {"description": "The picture still has the ETag in If-None-Match"},
        **documented(ArtifactNotFound),
    },
)
def get_still(env_id: str, environments: Environments, request: Request) -> Response:
    """Download a small picture from an episode of an environment."""
    if (own := environments.still(env_id)) is not None:
        return Response(own, media_type="image/webp", headers={"Cache-Control": "no-cache", POLICY: ARTIFACT})
    if env_id not in ENVIRONMENTS.names() or not (still := still_path(env_id)).is_file():
        raise ArtifactNotFound(f"There is no picture of the environment {env_id[:120]!r}.")
    response = send_file(request, still.open("rb"), "image/webp")
    response.headers["Cache-Control"] = f"private, max-age={STILL_SECONDS}"
    return response


@router.get(
    "/environments/{env_id:path}/state-schema",
    responses=documented(ArtifactNotFound),
)
@in_lane(Lane.LISTS)
def get_state_schema(env_id: str, environments: Environments) -> dict[str, JsonValue]:
    """Return the JSON schema of the variables of a game, which each step returns by name in `info["taps"]`."""
    try:
        environment = environments.get(env_id)
    except UnknownName as error:
        raise ArtifactNotFound(str(error)) from error
    if environment.state_schema is None:
        cause = environment.unavailable_reason or "Only games return their variables by name."
        raise ArtifactNotFound(f"The environment {env_id[:120]!r} has no schema of its state. {cause}")
    return dict(environment.state_schema)


@router.get("/metric-definitions")
def list_metric_definitions() -> MetricDefinitions:
    """List the metrics that runs log, each with its title, meaning, source and chart type."""
    return view_metric_definitions()


@router.get("/settings")
def list_settings(service: SettingsServiceAccess) -> list[SettingInfo]:
    """Return the settings that the service runs with, where each was set, and how it can be changed."""
    return service.describe()


@router.patch("/settings", responses=documented(SettingLocked))
def patch_settings(body: Annotated[dict[str, JsonValue], Body()], service: SettingsServiceAccess) -> list[SettingInfo]:
    """Save values by setting in the runs folder, and use them; null removes a saved value. Flags, environment
    variables and `.env` still override them. Answers all settings."""
    service.change(body)
    return service.describe()


@router.get("/limits")
def get_limits() -> Limits:
    """Return the limits that the API enforces on requests."""
    return LIMITS
