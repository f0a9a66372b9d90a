"""HTTP endpoints of runs: create, list, show, label, start, stop and delete them.

Also their families and tags, the trash, and the user's presets with measured curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.responses import PlainTextResponse

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import (
    AnalyticsBusy,
    AnalyticsUnusable,
    ArtifactNotFound,
    Conflict,
    CurveNotFound,
    ExtraMissing,
    IllegalTransition,
    InvalidRequest,
    NewerVersion,
    NotControlled,
    NotEnoughDisk,
    NotQueued,
    PresetNotFound,
    RunFolderError,
    RunIsActive,
    RunNotFound,
    SpecificationNotFound,
)
from rlviz.domain.limits import DEFAULT_RUNS_PER_PAGE, LIMITS
from rlviz.domain.presets import MeasuredCurve, OwnPreset
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms.updates import warn_of_few_updates
from rlviz.learning.environments.custom import learned_rewards
from rlviz.learning.presets.catalog import known_curves, specification_text
from rlviz.rundir.files import open_file
from rlviz.rundir.folder import folder_gone
from rlviz.server.analytics.service import AnalyticsService
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import SORTS, RunQuery
from rlviz.server.dependencies import provided
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.files import send_file
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.metrics.service import MetricsService
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.runs.configuration import NewRun
from rlviz.server.runs.family import FamilyService
from rlviz.server.runs.groups import GroupService, SeedRequest
from rlviz.server.runs.models import (
    GroupCreate,
    GroupRuns,
    MemoryNeeded,
    QueueMove,
    Run,
    RunCreate,
    RunDetail,
    RunDrift,
    RunFamily,
    RunPage,
    RunPatch,
    SeedsAdd,
    TagCount,
    TagList,
    TrashList,
    view_evaluation,
    view_group,
    view_run,
)
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.queue import Place
from rlviz.server.runs.service import RunAdoptionService, RunService
from rlviz.server.runs.trash import TrashService
from rlviz.server.snapshots.damage import DamageService
from rlviz.server.trust.service import TrustService

Analytics = Annotated[AnalyticsService, Depends(provided(AnalyticsService))]
Damage = Annotated[DamageService, Depends(provided(DamageService))]
Deleted = Annotated[TrashService, Depends(provided(TrashService))]
Evaluations = Annotated[EvaluationService, Depends(provided(EvaluationService))]
Family = Annotated[FamilyService, Depends(provided(FamilyService))]
Groups = Annotated[GroupService, Depends(provided(GroupService))]
Metrics = Annotated[MetricsService, Depends(provided(MetricsService))]
OwnPresetsAccess = Annotated[OwnPresets, Depends(provided(OwnPresets))]
Runs = Annotated[RunService, Depends(provided(RunService))]
Sinks = Annotated[SinkService, Depends(provided(SinkService))]
RunAdoption = Annotated[RunAdoptionService, Depends(provided(RunAdoptionService))]
Trust = Annotated[TrustService, Depends(provided(TrustService))]

router = Router(prefix="/runs", tag="runs")


@router.post("", status_code=201, responses=documented(InvalidRequest, NotEnoughDisk, ExtraMissing))
@in_lane(Lane.CHANGES)
def create_run(body: RunCreate, sinks: Sinks, runs: Runs, evaluations: Evaluations, trust: Trust) -> RunDetail:
    """Create a run and optionally start it: both or neither."""
    sinks.check(body.sinks)
    row = runs.create(_new_run(body), start=body.start)
    sinks.deliver_new_runs([row.id], body.sinks)
    return view_detail(runs, evaluations, trust, row)


@router.post("/memory", responses=documented(InvalidRequest))
@in_lane(Lane.READS)
def estimate_memory(body: RunCreate, runs: Runs) -> MemoryNeeded:
    """Estimate the memory that a run needs, without creating it."""
    found = runs.estimate_memory(_new_run(body))
    return MemoryNeeded(
        bytes=found.bytes,
        buffer_bytes=found.need.bytes,
        hyperparameter=found.need.field,
        archive_bytes=found.exploration.archive,
        imitation_bytes=found.exploration.imitation,
        free_bytes=found.free,
        warning=found.warning,
    )


@router.post("/groups", status_code=201, responses=documented(InvalidRequest, NotEnoughDisk, ExtraMissing))
@in_lane(Lane.CHANGES)
def create_group(body: GroupCreate, sinks: Sinks, groups: Groups, runs: Runs) -> GroupRuns:
    """Create a run for each of several seeds and optionally start them: all of them or none."""
    sinks.check(body.sinks)
    group = groups.create(_new_run(body), SeedRequest(body.seeds, body.count), start=body.start)
    sinks.deliver_new_runs([row.id for row in group], body.sinks)
    return _group(runs, group)


@router.post(
    "/{run_id}/seeds",
    status_code=201,
    responses=documented(
        RunNotFound, ArtifactNotFound, NotControlled, NewerVersion, RunFolderError, InvalidRequest, NotEnoughDisk
    ),
)
@in_lane(Lane.CHANGES)
def add_seeds(run_id: str, body: SeedsAdd, sinks_service: Sinks, groups: Groups, runs: Runs) -> GroupRuns:
    """Repeat a run with other seeds and start the new runs: all of them or none. They get the same sinks."""
    sinks = sinks_service.list_live(run_id)
    rows = groups.add_seeds(run_id, SeedRequest(body.seeds, body.count))
    sinks_service.deliver_new_runs([row.id for row in rows], sinks)
    return _group(runs, rows)


@router.get("", responses=documented(InvalidRequest, AnalyticsUnusable, AnalyticsBusy))
@in_lane(Lane.LISTS)
def list_runs(
    runs: Runs,
    groups_service: Groups,
    analytics: Analytics,
    status: Annotated[list[RunStatus] | None, Query(description="Repeatable.")] = None,
    algo: Annotated[list[str] | None, Query(max_length=50, description="Repeatable.")] = None,
    env_id: Annotated[list[str] | None, Query(max_length=50, description="Repeatable.")] = None,
    tag: Annotated[
        list[str] | None, Query(max_length=50, description="Runs with any of these tags; repeatable.")
    ] = None,
    group: Annotated[list[str] | None, Query(max_length=50, description="Runs of these groups; repeatable.")] = None,
    ids: Annotated[
        list[str] | None, Query(alias="id", max_length=LIMITS.compared_runs.maximum, description="Repeatable.")
    ] = None,
    q: Annotated[
        str | None,
        Query(
            max_length=LIMITS.search.maximum, description="Text that the name, id, environment, tags or notes contain."
        ),
    ] = None,
    sort: Annotated[
        str,
        Query(
            max_length=200,
            description=f"{', '.join(SORTS)}, another column of `runs` in `GET /analytics/schema`, such as "
            "`hp_learning_rate`, or `metric:` and a metric, whose newest value counts; a leading minus sorts in "
            "descending order. Missing values come last. Other columns than the first ones page with `offset`.",
        ),
    ] = "-created_at",
    limit: Annotated[
        int, Query(ge=LIMITS.runs_per_page.minimum, le=LIMITS.runs_per_page.maximum)
    ] = DEFAULT_RUNS_PER_PAGE,
    cursor: Annotated[str | None, Query(max_length=1_000)] = None,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000, description="Number of runs to skip.")] = 0,
    grouped: Annotated[bool, Query(description="Return only the first matching run of each group.")] = False,
    training_first: Annotated[
        bool, Query(description="List runs that train, or groups with one, before all others. Page with `offset`.")
    ] = False,
    without_trials: Annotated[bool, Query(description="Leave out the trials of experiments.")] = False,
) -> RunPage:
    """List runs, newest first by default."""
    column = sort.removeprefix("-")
    statuses = [item.value for item in status or ()]
    query = RunQuery(
        status=statuses,
        algo=algo or (),
        env_id=env_id or (),
        group_id=group or (),
        tag=tag or (),
        ids=ids,
        q=q,
        sort=sort,
        values=None if column in SORTS else analytics.sort_values(column),
        limit=limit,
        cursor=cursor,
        offset=offset,
        grouped=grouped,
        training_first=training_first,
        without_trials=without_trials,
    )
    found = runs.list(query)
    groups = groups_service.find([row.group_id for row in found.runs])
    queue = runs.queue_positions()
    return RunPage(
        runs=[view_run(row, queue) for row in found.runs],
        groups=[view_group(group) for group in groups],
        next_cursor=found.next_cursor,
        total=found.total,
        total_runs=found.total_runs,
        trials=found.trials,
        training=found.training,
    )


@router.get("/{run_id}", responses=documented(RunNotFound, ArtifactNotFound))
def get_run(run_id: str, damage: Damage, runs: Runs, evaluations: Evaluations, trust: Trust) -> RunDetail:
    """Return a run with its complete configuration and its latest evaluation."""
    return view_detail(runs, evaluations, trust, damage.inspect(run_id))


@router.patch("/{run_id}", responses=documented(RunNotFound, InvalidRequest))
def patch_run(run_id: str, body: RunPatch, runs: Runs, evaluations: Evaluations, trust: Trust) -> RunDetail:
    """Change name, tags or notes."""
    return view_detail(runs, evaluations, trust, runs.relabel(run_id, body.model_dump(exclude_unset=True)))


@router.delete("/{run_id}", status_code=204, responses=documented(RunNotFound, RunIsActive))
@in_lane(Lane.CHANGES)
def delete_run(run_id: str, runs: Runs, metrics: Metrics) -> None:
    """Move a run to the trash, where you can restore it for some days."""
    runs.delete(run_id)
    metrics.forget_run(run_id)


@router.post("/{run_id}/restore", responses=documented(RunNotFound))
@in_lane(Lane.CHANGES)
def restore_run(run_id: str, runs: Runs) -> Run:
    """Restore a run from the trash with all of its data."""
    return _run(runs, runs.restore(run_id))


@router.post("/{run_id}/take-up", responses=documented(RunNotFound, Conflict))
@in_lane(Lane.CHANGES)
def take_up_run(run_id: str, adoption: RunAdoption, runs: Runs, evaluations: Evaluations, trust: Trust) -> RunDetail:
    """Add an ended run whose folder was copied into the runs folder, as `rlviz import` does."""
    return view_detail(runs, evaluations, trust, adoption.adopt_run(run_id))


@router.post("/{run_id}/repair", responses=documented(RunNotFound, ArtifactNotFound, RunIsActive, RunFolderError))
@in_lane(Lane.CHECKS)
def repair_run(run_id: str, damage: Damage, metrics: Metrics, runs: Runs) -> Run:
    """Repair a damaged run: keep what can be read and rename damaged files to `<name>.damaged-<time>`.

    The readable lines of a journal stay. An unreadable `config.json` cannot be repaired and stays as it is.
    """
    row = damage.repair(run_id)
    metrics.forget_run(run_id)
    return _run(runs, row)


@router.get("/{run_id}/drift", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
@in_lane(Lane.CHECKS)
def get_drift(run_id: str, damage: Damage) -> RunDrift:
    """Return how the run's files differ from what this version expects, and packages from those that trained it."""
    return RunDrift(run_id=run_id, drift=damage.drift(run_id))


@router.post(
    "/{run_id}/start",
    status_code=202,
    responses=documented(RunNotFound, IllegalTransition, NewerVersion, NotEnoughDisk),
)
@in_lane(Lane.CHANGES)
def start_run(run_id: str, runs: Runs) -> Run:
    """Queue a run for training."""
    return _run(runs, runs.start(run_id))


@router.post("/{run_id}/stop", status_code=202, responses=documented(RunNotFound, IllegalTransition))
def stop_run(run_id: str, runs: Runs) -> Run:
    """Ask a run to stop and save its model. Idempotent."""
    return _run(runs, runs.stop(run_id))


@router.post("/{run_id}/queue", responses=documented(RunNotFound, NotQueued, ArtifactNotFound, InvalidRequest))
@in_lane(Lane.CHANGES)
def move_in_queue(run_id: str, body: QueueMove, runs: Runs) -> Run:
    """Move a queued run to another place in the queue: first, up, down, last, or before another run.

    `GET /runs?status=queued&sort=queued_at` lists the queue in order.
    """
    return _run(runs, runs.move_in_queue(run_id, Place(body.to, body.before)))


@router.get("/{run_id}/config", response_model=RunConfig, responses=documented(RunNotFound))
def get_config(run_id: str, runs: Runs, request: Request) -> Any:
    """Return the run's config.json."""
    try:
        file = open_file(runs.folder(run_id).config_path)
    except FileNotFoundError as error:
        raise folder_gone(run_id) from error
    return send_file(request, file, "application/json")


def _run(runs: RunService, row: RunRow) -> Run:
    return view_run(row, runs.queue_positions() if row.state is RunStatus.QUEUED else {})


def _group(runs: RunService, rows: Sequence[RunRow]) -> GroupRuns:
    queue, config = runs.queue_positions(), _config(runs, rows[0].id)
    return GroupRuns(
        group_id=rows[0].group_id,
        runs=[view_run(row, queue) for row in rows],
        length_note=None if config is None else _length_note(config),
    )


def _length_note(config: RunConfig) -> str | None:
    if config.actor is not RunActor.POLICY:
        return None
    return warn_of_few_updates(config.algo, config.hyperparameters, config.total_timesteps)


def _config(runs: RunService, run_id: str) -> RunConfig | None:
    try:
        return runs.config(run_id)
    except RunFolderError:
        return None


def view_detail(
    runs: RunService, evaluations_service: EvaluationService, trust: TrustService, row: RunRow
) -> RunDetail:
    """Return the API model of one run, with its configuration and its latest evaluation."""
    latest, evaluations = evaluations_service.find_latest(row.id), evaluations_service
    config = _config(runs, row.id)
    return RunDetail(
        **_run(runs, row).model_dump(),
        config=config,
        learned_rewards=None if config is None else learned_rewards(config),
        length_note=None if config is None else _length_note(config),
        latest_evaluation=None
        if latest is None
        else view_evaluation(latest, evaluations.kept(latest), evaluations.short_of_solved(latest)),
        best_evaluation=evaluations.find_best(row, deterministic=config is None or config.evaluation.is_greedy),
        standing=trust.standing(row.id),
    )


def _new_run(body: RunCreate) -> NewRun:
    return NewRun(**{field.name: getattr(body, field.name) for field in fields(NewRun)})


family_router = Router(prefix="/runs/{run_id}/family", tag="snapshots", lane=Lane.READS)


@family_router.get("", responses=documented(RunNotFound))
def get_family(run_id: str, family: Family) -> RunFamily:
    """Return the run's ancestors and all of their forks, with the settings that each fork changed."""
    return family.find_family(run_id)


trash_router = Router(prefix="/trash", tag="trash", lane=Lane.CHANGES)


@trash_router.get("")
@in_lane(None)
def list_trash(deleted: Deleted) -> TrashList:
    """List the deleted runs, most recently deleted first."""
    runs = deleted.list()
    return TrashList(runs=runs, total_bytes=sum(run.size_bytes for run in runs))


@trash_router.delete("", status_code=204)
def empty_trash(deleted: Deleted) -> None:
    """Remove all deleted runs for good."""
    deleted.empty()


@trash_router.delete("/{run_id}", status_code=204, responses=documented(RunNotFound))
def remove_deleted_run(run_id: str, deleted: Deleted) -> None:
    """Remove a deleted run and all its files for good."""
    deleted.remove(run_id)


presets_router = Router(prefix="/presets", tag="presets")


@presets_router.get("")
def list_own_presets(own_presets: OwnPresetsAccess) -> list[OwnPreset]:
    """By title."""
    return list(own_presets.all())


@presets_router.get("/curves/{curve_id}", responses=documented(CurveNotFound))
def get_measured_curve(curve_id: str, own_presets: OwnPresetsAccess) -> MeasuredCurve:
    """Return the learning curve that a preset was measured with, by its `curve`."""
    own = (preset.curve for preset in own_presets.all() if preset.curve_id == curve_id)
    found = known_curves().get(curve_id) or next(own, None)
    if found is None:
        raise CurveNotFound(curve_id)
    return found


@presets_router.get(
    "/specifications/{name}", response_class=PlainTextResponse, responses={**documented(SpecificationNotFound)}
)
def get_measuring_specification(name: str) -> PlainTextResponse:
    """Return the experiment that measured a built-in preset, by its `measured.specification`, as a file for
    `rlviz experiment run`."""
    found = specification_text(name)
    if found is None:
        raise SpecificationNotFound(name)
    return PlainTextResponse(found)


@presets_router.delete("/{preset_id}", status_code=204, responses=documented(PresetNotFound))
def delete_own_preset(preset_id: str, own_presets: OwnPresetsAccess) -> None:
    """Delete one of your presets. Runs that used it keep their values."""
    own_presets.delete(preset_id)


tags_router = Router(tag="runs")


@tags_router.get("/tags")
def list_tags(runs_service: Runs) -> TagList:
    """List every tag with the number of runs that have it."""
    return TagList(tags=[TagCount(name=name, runs=runs) for name, runs in runs_service.tags()])
