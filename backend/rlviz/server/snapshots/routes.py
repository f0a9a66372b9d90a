"""HTTP endpoints that pause, resume, roll back and fork runs, and of snapshots, rules and knobs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from rlviz.domain.config import SnapshotPlan
from rlviz.domain.errors import (
    ArtifactNotFound,
    ExtraMissing,
    IllegalTransition,
    InvalidRequest,
    NewerVersion,
    NotControlled,
    NotEnoughDisk,
    NothingToResume,
    NotTraining,
    RunFolderError,
    RunIsActive,
    RunNotFound,
    SnapshotRefused,
    VerificationInProgress,
)
from rlviz.domain.metrics import MAX_STEP
from rlviz.domain.rules import UNRECORDED, Rule
from rlviz.domain.snapshots import MAX_NAME, SnapshotVerification
from rlviz.domain.status import RunStatus
from rlviz.server.catalog.models import RunRow
from rlviz.server.dependencies import provided
from rlviz.server.exchange.sinks import SinkService
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.runs.choices import view_knob
from rlviz.server.runs.models import Run, view_run
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.forking import ForkRequest, ForkService
from rlviz.server.snapshots.models import (
    DryRun,
    ForkChanges,
    ForkCreate,
    KnobsBody,
    ResumeRun,
    RollbackRun,
    RuleFiring,
    RulesBody,
    RunKnob,
    RunKnobs,
    RunRules,
    RunSnapshots,
    SnapshotCreate,
    SnapshotPatch,
    view_snapshots,
)
from rlviz.server.snapshots.resuming import ResumeService
from rlviz.server.snapshots.rules import RuleService
from rlviz.server.snapshots.service import SnapshotService

Forks = Annotated[ForkService, Depends(provided(ForkService))]
Resuming = Annotated[ResumeService, Depends(provided(ResumeService))]
Rules = Annotated[RuleService, Depends(provided(RuleService))]
Runs = Annotated[RunService, Depends(provided(RunService))]
Sinks = Annotated[SinkService, Depends(provided(SinkService))]
Snapshots = Annotated[SnapshotService, Depends(provided(SnapshotService))]

router = Router(prefix="/runs/{run_id}", tag="snapshots", lane=Lane.CHANGES)

_GOING_ON = documented(
    RunNotFound,
    ArtifactNotFound,
    IllegalTransition,
    RunIsActive,
    NothingToResume,
    SnapshotRefused,
    NotControlled,
    NewerVersion,
    RunFolderError,
    InvalidRequest,
    NotEnoughDisk,
)


@router.post(
    "/pause", status_code=202, responses=documented(RunNotFound, IllegalTransition, RunIsActive, NotControlled)
)
@in_lane(None)
def pause_run(run_id: str, resuming: Resuming, runs: Runs) -> Run:
    """Pause a training run. Its curves stop at once; after a complete snapshot is saved, its worker and slot are free.
    Idempotent."""
    return _run(runs, resuming.pause(run_id))


@router.post("/resume", status_code=202, responses=_GOING_ON)
def resume_run(run_id: str, body: ResumeRun, resuming: Resuming, runs: Runs) -> Run:
    """Queue a paused or ended run, to continue exactly where it stopped.

    Rows after the snapshot are computed again and compared; `resumed` has the result.
    """
    return _run(runs, resuming.resume(run_id, body.snapshot, body.total_timesteps))


@router.post("/rollback", status_code=202, responses=_GOING_ON)
def roll_back_run(run_id: str, body: RollbackRun, resuming: Resuming, runs: Runs) -> Run:
    """Continue a run from an earlier snapshot. Later rows stay in its journal but no longer count.

    A training run goes back at its next step; a paused or ended one is queued.
    """
    return _run(runs, resuming.roll_back(run_id, body.snapshot))


@router.get(
    "/fork",
    responses=documented(
        RunNotFound,
        ArtifactNotFound,
        RunFolderError,
        NothingToResume,
        SnapshotRefused,
        NotControlled,
        NewerVersion,
        InvalidRequest,
    ),
)
@in_lane(Lane.READS)
def get_fork_changes(
    run_id: str,
    forks: Forks,
    step: Annotated[int | None, Query(ge=0, le=MAX_STEP, description="A step to fork at.")] = None,
    snapshot: Annotated[
        str | None,
        Query(max_length=MAX_NAME, description="A snapshot to fork at, instead of a step."),
    ] = None,
) -> ForkChanges:
    """Return which settings a fork of the run can change, and why others cannot be changed."""
    return forks.changes(run_id, snapshot, step)


@router.post(
    "/fork",
    status_code=201,
    responses=documented(
        RunNotFound,
        ArtifactNotFound,
        NothingToResume,
        SnapshotRefused,
        NotControlled,
        NewerVersion,
        RunFolderError,
        InvalidRequest,
        NotEnoughDisk,
        ExtraMissing,
    ),
)
def fork_run(run_id: str, body: ForkCreate, forks: Forks, sinks_service: Sinks, runs: Runs) -> Run:
    """Create a run that continues from a snapshot of this one with changed settings, and optionally start it.

    It is delivered to the same sinks, unless you give others.
    """
    sinks = sinks_service.list_live(run_id) if body.sinks is None else body.sinks
    if body.sinks is not None:
        sinks_service.check(body.sinks)
    row = forks.fork(run_id, ForkRequest(**body.model_dump(exclude={"sinks"})))
    sinks_service.deliver_new_runs([row.id], sinks)
    return _run(runs, row)


@router.get("/snapshots", responses=documented(RunNotFound, ArtifactNotFound))
@in_lane(Lane.READS)
def list_snapshots(run_id: str, snapshots: Snapshots) -> RunSnapshots:
    """List the snapshots of the run and their sizes."""
    return view_snapshots(run_id, snapshots.list(run_id))


@router.post(
    "/snapshots",
    status_code=202,
    responses=documented(
        RunNotFound, ArtifactNotFound, NotTraining, NotControlled, NewerVersion, RunFolderError, InvalidRequest
    ),
)
@in_lane(None)
def take_snapshot(run_id: str, body: SnapshotCreate, snapshots: Snapshots, runs: Runs) -> Run:
    """Request a snapshot at the start of the next rollout; the event `snapshot` says when it is saved."""
    return _run(runs, snapshots.request_snapshot(run_id, body.name, body.message))


@router.put(
    "/snapshot-plan",
    responses=documented(RunNotFound, ArtifactNotFound, NotControlled, NewerVersion, RunFolderError, InvalidRequest),
)
def change_snapshot_plan(run_id: str, body: SnapshotPlan, snapshots: Snapshots) -> RunSnapshots:
    """Change when snapshots are taken and how many are kept, from the next rollout on.

    If the run does not train, excess snapshots are deleted at once.
    """
    snapshots.change_plan(run_id, body)
    return view_snapshots(run_id, snapshots.list(run_id))


@router.patch(
    "/snapshots/{name}",
    responses=documented(
        RunNotFound, ArtifactNotFound, NotControlled, RunIsActive, SnapshotRefused, NewerVersion, InvalidRequest
    ),
)
def keep_snapshot(run_id: str, name: str, body: SnapshotPatch, snapshots: Snapshots) -> RunSnapshots:
    """Give a snapshot a name, which keeps it until you delete it, or a message."""
    snapshots.keep(run_id, name, body.name, body.message)
    return view_snapshots(run_id, snapshots.list(run_id))


@router.delete(
    "/snapshots/{name}",
    status_code=204,
    responses=documented(RunNotFound, ArtifactNotFound, RunIsActive, SnapshotRefused, NewerVersion, InvalidRequest),
)
def delete_snapshot(run_id: str, name: str, snapshots: Snapshots) -> None:
    """Delete a snapshot of a run that does not train, with the data that no other snapshot needs."""
    snapshots.delete(run_id, name)


@router.post(
    "/snapshots/{name}/verify",
    status_code=202,
    responses=documented(
        RunNotFound, ArtifactNotFound, SnapshotRefused, VerificationInProgress, NewerVersion, InvalidRequest
    ),
)
@in_lane(Lane.CHECKS)
def verify_snapshot(run_id: str, name: str, snapshots: Snapshots) -> SnapshotVerification:
    """Train up to the snapshot in a worker and compare every part with the file."""
    return snapshots.verify(run_id, name)


@router.get(
    "/snapshots/{name}/verify",
    responses=documented(RunNotFound, ArtifactNotFound, RunFolderError, InvalidRequest),
)
@in_lane(Lane.READS)
def get_snapshot_verification(run_id: str, name: str, snapshots: Snapshots) -> SnapshotVerification | None:
    """Return the status of the last verification; null if there was none."""
    return snapshots.verification(run_id, name)


def _run(runs: RunService, row: RunRow) -> Run:
    return view_run(row, runs.queue_positions() if row.state is RunStatus.QUEUED else {})


rules_router = Router(prefix="/runs/{run_id}", tag="rules", lane=Lane.READS)

MAX_FIRINGS = 1_000

_CHANGING = documented(RunNotFound, ArtifactNotFound, InvalidRequest, NotControlled, NewerVersion, RunFolderError)


@rules_router.get("/rules", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
def get_rules(run_id: str, rules: Rules) -> RunRules:
    """Return the active rules of the run."""
    return _rules(run_id, rules.rules(run_id))


@rules_router.put("/rules", responses=_CHANGING)
def put_rules(run_id: str, body: RulesBody, rules: Rules) -> RunRules:
    """Replace the rules, in a training run from the next row on. Unchanged rules keep their state."""
    return _rules(run_id, rules.change(run_id, body.rules))


@rules_router.post("/rules/dry-run", responses=_CHANGING)
@in_lane(Lane.CURVES)
def dry_run_rules(run_id: str, body: RulesBody, rules: Rules) -> DryRun:
    """Return where these rules would have fired over the rows of the run. Changes nothing."""
    found = rules.dry_run(run_id, body.rules)
    firings = [
        RuleFiring(
            rule=one.number,
            step=one.step,
            count=one.count,
            says=one.rule.words,
            done=[action.words for action in one.actions],
            not_done=list(one.left_out),
        )
        for one in found[:MAX_FIRINGS]
    ]
    unknown = [number for number, rule in enumerate(body.rules, start=1) if isinstance(rule.when, UNRECORDED)]
    return DryRun(run_id=run_id, firings=firings, total=len(found), unknown=unknown)


@rules_router.get(
    "/knobs", responses=documented(RunNotFound, ArtifactNotFound, NotControlled, NewerVersion, RunFolderError)
)
def get_knobs(run_id: str, rules: Rules) -> RunKnobs:
    """Return the hyperparameters that you can change during training."""
    return _knobs(run_id, rules)


@rules_router.patch(
    "/knobs",
    status_code=202,
    responses=documented(
        RunNotFound, ArtifactNotFound, InvalidRequest, NotTraining, NotControlled, NewerVersion, RunFolderError
    ),
)
def patch_knobs(run_id: str, body: KnobsBody, rules: Rules) -> RunKnobs:
    """Change hyperparameters of a training run at the start of its next rollout."""
    rules.request_knob_changes(run_id, body.changes)
    return _knobs(run_id, rules)


def _rules(run_id: str, rules: tuple[Rule, ...]) -> RunRules:
    return RunRules(run_id=run_id, rules=list(rules), words=[rule.words for rule in rules])


def _knobs(run_id: str, rules: RuleService) -> RunKnobs:
    knobs = [
        RunKnob(
            **view_knob(state.knob, state.range).model_dump(),
            configured=state.configured,
            is_scheduled=state.is_scheduled,
            follows_schedule=state.follows_schedule,
            changed=state.changed,
            waiting=list(state.waiting),
        )
        for state in rules.knobs(run_id)
    ]
    return RunKnobs(run_id=run_id, knobs=knobs)
