"""API models of snapshots, resuming, forks, rules and knobs."""

from __future__ import annotations

from enum import StrEnum

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
from rlviz.server.snapshots.service import SnapshotList
from rlviz.server.wire import Body, Wire


class ResumeRun(Body):
    snapshot: str | None = Field(
        None, max_length=MAX_NAME, description="Name of the snapshot to resume from; null: the newest complete one."
    )
    total_timesteps: TotalTimesteps | None = Field(
        None, description="A larger number to train for longer; null: as configured."
    )


class RollbackRun(Body):
    snapshot: str = Field(max_length=MAX_NAME, description="Name of the snapshot to go back to.")


class SnapshotCreate(Body):
    name: str | None = Field(
        None,
        max_length=MAX_NAME,
        description="Lower-case letters, digits and hyphens. A named snapshot is kept until you delete it; null: its "
        "name is its step, and newer snapshots replace it.",
    )
    message: str = Field("", max_length=LIMITS.notes.maximum, description="Why you keep it.")


class SnapshotPatch(Body):
    """Fields that are null or left out stay as they are."""

    name: str | None = Field(None, max_length=MAX_NAME, description="A name, which keeps it until you delete it.")
    message: str | None = Field(None, max_length=LIMITS.notes.maximum, description="Why you keep it.")


class SnapshotInfo(Wire):
    name: str
    message: str
    is_named: bool = Field(description="Whether you named it, which keeps it until you delete it.")
    step: int = Field(description="Number of environment steps when it was taken.")
    attempt: int
    trigger: Trigger = Field(description="Why it was taken.")
    time: Instant
    bytes: int = Field(description="Size of its file.")
    replay_bytes: int = Field(description="Size of the replay buffer segments that it needs, which others may share.")
    whole: bool = Field(description="Whether training can resume from it, by a quick check.")
    problem: str | None = Field(description="Why training cannot resume from it.")
    inherited: bool = Field(description="Whether it belongs to the parent and is where this fork starts.")
    exact: bool = Field(description="Whether training resumes from it bit for bit.")
    not_exact_because: str | None
    behind: bool = Field(
        description="Whether the run was rolled back to before it, so that it is no longer part of the run."
    )
    verification: SnapshotVerification | None = Field(description="The newest verification; null: never verified.")


class RunSnapshots(Wire):
    run_id: str
    snapshots: list[SnapshotInfo] = Field(description="Oldest step first.")
    newest: str | None = Field(description="The snapshot that resuming uses by default; null: there is none.")
    bytes: int = Field(description="Total size.")
    spread_over_training: list[str] = Field(
        description="Hyperparameters with schedules over the whole training: another `total_timesteps` changes their "
        "values."
    )
    plan: SnapshotPlan | None = Field(
        description="The current plan: when snapshots are taken and how many are kept; null: it cannot be read."
    )


class ForkCreate(Body):
    snapshot: str | None = Field(
        None, max_length=MAX_NAME, description="Name of the snapshot to fork at; alternatively give `step`."
    )
    step: int | None = Field(
        None,
        ge=0,
        le=MAX_STEP,
        description="The step to fork at: the first start of a rollout at or after it, or the last one that the run "
        "has reached.",
    )
    hyperparameters: dict[str, JsonValue] = Field(
        default={}, description="Values that differ from those of the parent at that step."
    )
    env_options: dict[str, JsonValue] = Field(
        default={},
        description="Environment options that differ from the parent's. Environments start a new episode with them; "
        "observation and action spaces must stay the same.",
    )
    seed: Seed | None = Field(
        None, description="null: the parent's. With another seed, environments start a new episode."
    )
    total_timesteps: TotalTimesteps | None = Field(None, description="null: the parent's.")
    name: RunName | None = None
    start_cell: int | None = Field(
        None,
        ge=0,
        description="A cell of the run's map in which episodes of training begin with the probability `archive`, from "
        "the state that the archive of the snapshot has of it, or once training has visited it. Their returns are "
        "kept apart. null: the fork explores as its parent.",
    )
    archive: float | None = Field(
        None,
        gt=LIMITS.archive.minimum,
        le=LIMITS.archive.maximum,
        description=f"With `start_cell`, or with that of the parent; null: the parent's, or {LIMITS.archive.default}.",
    )
    sinks: list[SinkKind] | None = Field(
        None,
        max_length=len(SinkKind),
        description="Where it is delivered to during training; null: to the parent's sinks.",
    )
    start: bool = False


class Effect(StrEnum):
    FITS = "fits"  # training continues with the new value
    ANEW = "anew"  # training continues, and environments start a new episode
    REFUSED = "refused"


class ForkChange(Wire):
    name: str = Field(description="The hyperparameter or environment option.")
    effect: Effect = Field(
        description="fits: training continues with the new value; anew: environments also start a new episode; "
        "refused: see `why`."
    )
    why: str | None
    note: str | None = Field(None, description="A side effect of the change, as a sentence.")


class ForkPlace(Wire):
    """Where a fork starts if you ask for some step."""

    snapshot: str = Field(description="The snapshot at or before that step; `0`: the parent's beginning.")
    step: int = Field(description="The first step of the fork.")
    trained_again_from: int | None = Field(
        description="The step from which the parent is first trained again, exactly as before; null: none."
    )


class ForkChanges(Wire):
    run_id: str
    at: ForkPlace | None = Field(
        description="Where a fork at the given `step` or `snapshot` starts; null: none was given."
    )
    in_force: dict[str, JsonValue] = Field(
        description="Hyperparameters that users and rules had changed by that step, with their values there; all "
        "others had their configured values."
    )
    changes: list[ForkChange] = Field(description="The effect of changing each hyperparameter.")
    env_options: list[ForkChange] = Field(
        description="The effect of changing each environment option. Single values of an option can still be refused, "
        "if they change the observation or action space."
    )


class RunRules(Wire):
    """The active rules, in order."""

    run_id: str
    rules: list[Rule]
    words: list[str] = Field(description="Each rule as a sentence, without its full stop.")


class RulesBody(Body):
    rules: Rules


class RuleFiring(Wire):
    """A row at which a rule would have fired."""

    rule: int = Field(description="Number of the rule, from 1.")
    step: int
    count: int = Field(description="How often it would have fired so far, this time included.")
    says: str = Field(description="The rule in words.")
    done: list[str] = Field(description="The actions that it would have taken, in words.")
    not_done: list[str] = Field(
        description="The actions that an earlier rule would have pre-empted, one sentence each."
    )


class DryRun(Wire):
    run_id: str
    firings: list[RuleFiring] = Field(
        description="In order, up to the one that would have ended training; at most 1,000."
    )
    total: int
    unknown: list[int] = Field(
        description="Numbers of the rules that a dry run cannot evaluate: those on disk space or errors."
    )


class RunKnob(KnobInfo):
    configured: float = Field(description="The configured value; of a schedule, its start or end.")
    is_scheduled: bool = Field(description="Whether the run was created with a schedule for it.")
    follows_schedule: bool = Field(
        description="Whether it still follows its schedule; setting a value ends the schedule."
    )
    changed: HyperparameterChangedData | None = Field(description="The last change; null: there was none.")
    waiting: list[KnobChange] = Field(description="Requested changes that are not applied yet.")


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
