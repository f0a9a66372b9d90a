"""Snapshots of a run, and going on from them.

Rules and knobs of a run.

From snapshots to what goes over the wire.
"""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.domain.config import RunName, Seed, SnapshotPlan, TotalTimesteps
from rlviz.domain.events import HyperparameterChangedData
from rlviz.domain.ids import Instant, utc
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import MAX_STEP
from rlviz.domain.rules import KnobChange, Rule, Rules
from rlviz.domain.sinks import SinkKind
from rlviz.domain.snapshots import MAX_NAME, SnapshotVerification, Trigger
from rlviz.rundir.snapshots import Snapshot
from rlviz.server.runs.choices import KnobInfo
from rlviz.server.snapshots.forking import Effect
from rlviz.server.snapshots.service import SnapshotList
from rlviz.server.wire import Body, Wire


class ResumeRun(Body):
    snapshot: str | None = Field(
        None, max_length=MAX_NAME, description="Name of the snapshot to go on from; null: the newest whole one."
    )
    total_timesteps: TotalTimesteps | None = Field(
        None, description="More than before: the run is trained for longer; null: as long as it was to be."
    )


class RollbackRun(Body):
    snapshot: str = Field(max_length=MAX_NAME, description="Name of the snapshot to go back to.")


class SnapshotCreate(Body):
    name: str | None = Field(
        None,
        max_length=MAX_NAME,
        description="Lower-case letters, digits and hyphens. One with a name is kept until it is deleted; null: it is "
        "called after its step, and makes room for newer ones.",
    )
    message: str = Field("", max_length=LIMITS.notes.maximum, description="What it is kept for.")


class SnapshotPatch(Body):
    """Fields that are null or left out stay as they are."""

    name: str | None = Field(None, max_length=MAX_NAME, description="By which it is kept until it is deleted.")
    message: str | None = Field(None, max_length=LIMITS.notes.maximum, description="What it is kept for.")


class SnapshotInfo(Wire):
    name: str
    message: str
    is_named: bool = Field(description="Whether it was given its name, and is kept until it is deleted.")
    step: int = Field(description="Environment steps done when it was taken.")
    attempt: int
    trigger: Trigger = Field(description="Why it was taken.")
    time: Instant
    bytes: int = Field(description="Of its file alone.")
    replay_bytes: int = Field(description="Of the segments of the replay buffer that it needs, which others may share.")
    whole: bool = Field(description="Whether training can go on from it, as far as a look tells.")
    problem: str | None = Field(description="Why it cannot.")
    inherited: bool = Field(description="Whether it is of the run that this one was forked from, and begins there.")
    exact: bool = Field(description="Whether training goes on from it bit for bit.")
    not_exact_because: str | None
    behind: bool = Field(description="Whether the run went back to before it: it is no part of the run as it is now.")
    verification: SnapshotVerification | None = Field(description="The newest one; null: it was never verified.")


class RunSnapshots(Wire):
    run_id: str
    snapshots: list[SnapshotInfo] = Field(description="Oldest step first.")
    newest: str | None = Field(description="The one that resuming takes unless another is named; null: there is none.")
    bytes: int = Field(description="What all of them take together.")
    spread_over_training: list[str] = Field(
        description="Hyperparameters whose course depends on the length of training: with another `total_timesteps` "
        "they go on otherwise than before."
    )
    plan: SnapshotPlan | None = Field(
        description="When they are taken and how many are kept, as it is now; null: it cannot be read."
    )


class ForkCreate(Body):
    snapshot: str | None = Field(None, max_length=MAX_NAME, description="Name of the snapshot to fork at; or:")
    step: int | None = Field(
        None,
        ge=0,
        le=MAX_STEP,
        description="The step to fork at: at the first start of a rollout there or beyond, or at the last that the "
        "run has come to.",
    )
    hyperparameters: dict[str, JsonValue] = Field(
        default={}, description="Values that differ from those that the parent trained with there."
    )
    env_options: dict[str, JsonValue] = Field(
        default={},
        description="Options of the environment that differ from the parent's. Environments begin anew with them; what "
        "is observed and done has to be of the same kind.",
    )
    seed: Seed | None = Field(None, description="null: the parent's. With another, environments begin anew.")
    total_timesteps: TotalTimesteps | None = Field(None, description="null: the parent's.")
    name: RunName | None = None
    sinks: list[SinkKind] | None = Field(
        None, max_length=len(SinkKind), description="Where it is delivered to as it trains; null: where the parent is."
    )
    start: bool = False


class ForkChange(Wire):
    name: str = Field(description="The hyperparameter, or option of the environment.")
    effect: Effect = Field(
        description="fits: training goes on with the new value; anew: and environments begin a new episode; refused: "
        "`why` says why."
    )
    why: str | None
    note: str | None = Field(None, description="What a change brings with it besides, in a sentence.")


class ForkPlace(Wire):
    """Where a fork begins that is asked for at some step."""

    snapshot: str = Field(description="The snapshot before, or at that step; `0`: the parent's beginning.")
    step: int = Field(description="The first step of the fork.")
    trained_again_from: int | None = Field(
        description="The step from which the parent is first trained again, exactly as it was; null: it need not be."
    )


class ForkChanges(Wire):
    run_id: str
    at: ForkPlace | None = Field(
        description="Where a fork at the `step` or `snapshot` asked about begins; null: none was."
    )
    in_force: dict[str, JsonValue] = Field(
        description="Hyperparameters that people and rules had changed by then while the run trained, as they were "
        "there; the others were as the run is configured."
    )
    changes: list[ForkChange] = Field(description="Of each hyperparameter.")
    env_options: list[ForkChange] = Field(
        description="Of each option of the environment. One that may change can still have values that are refused: "
        "those with which other things are observed or done."
    )


class RunRules(Wire):
    """The rules in force, in their order."""

    run_id: str
    rules: list[Rule]
    words: list[str] = Field(description="Each rule in a sentence, without its full stop.")


class RulesBody(Body):
    rules: Rules


class RuleFiring(Wire):
    """Where a rule would have fired."""

    rule: int = Field(description="Its number among the rules, from 1.")
    step: int
    count: int = Field(description="How often it would have fired with this.")
    says: str = Field(description="The rule in words.")
    done: list[str] = Field(description="What it would have done, in words.")
    not_done: list[str] = Field(description="What it would have left to an earlier rule, a sentence each.")


class DryRun(Wire):
    run_id: str
    firings: list[RuleFiring] = Field(description="In order, up to one that would have ended training; at most 1,000.")
    total: int
    unknown: list[int] = Field(
        description="Numbers of the rules of which it cannot be known: those that look at the disk, or at errors."
    )


class RunKnob(KnobInfo):
    configured: float = Field(description="As the run was created; of a schedule, where it begins or ends.")
    is_scheduled: bool = Field(description="Whether it was created with a schedule.")
    follows_schedule: bool = Field(description="Whether it does still: a value that is set ends its schedule.")
    changed: HyperparameterChangedData | None = Field(description="The last change; null: none was made.")
    waiting: list[KnobChange] = Field(description="Asked for and not made yet.")


class RunKnobs(Wire):
    run_id: str
    knobs: list[RunKnob]


class KnobsBody(Body):
    changes: list[KnobChange] = Field(min_length=1, max_length=10)


_SAME = {"name", "message", "is_named", "step", "attempt", "trigger", "exact", "not_exact_because"}


def view_snapshots(run_id: str, found: SnapshotList) -> RunSnapshots:
    newest = [one.name for one in found.snapshots if one.is_whole and one.name not in found.behind]
    return RunSnapshots(
        run_id=run_id,
        snapshots=[
            _view(
                one,
                behind=one.name in found.behind,
                inherited=one.manifest.run_id != run_id,
                verification=found.verifications.get(one.name),
            )
            for one in found.snapshots
        ],
        newest=newest[-1] if newest else None,
        bytes=found.bytes,
        spread_over_training=found.spread,
        plan=found.plan,
    )


def _view(
    snapshot: Snapshot, *, behind: bool, inherited: bool, verification: SnapshotVerification | None
) -> SnapshotInfo:
    return SnapshotInfo(
        **snapshot.manifest.model_dump(include=_SAME),
        time=utc(snapshot.manifest.time),
        bytes=snapshot.bytes,
        replay_bytes=snapshot.replay_bytes,
        whole=snapshot.is_whole,
        problem=snapshot.problem,
        behind=behind,
        inherited=inherited,
        verification=verification,
    )
