"""API models of runs, groups, families, deleted runs and evaluations, and the functions that build them from rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, JsonValue, model_validator

from rlviz.domain.config import (
    EvaluationPlan,
    ExplorationPlan,
    RunActor,
    RunConfig,
    RunName,
    Seed,
    SnapshotPlan,
    TotalTimesteps,
)
from rlviz.domain.environment import LearnedRewards
from rlviz.domain.errors import Damage
from rlviz.domain.evaluation import BestPolicy, EvaluationStatus, EvaluationSummary, Origin, PolicyChoice
from rlviz.domain.events import Stretch
from rlviz.domain.ids import Instant, utc
from rlviz.domain.limits import LIMITS
from rlviz.domain.presets import PresetChoice
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.reward_plan import RewardPlan
from rlviz.domain.rules import Rules
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.domain.versions import Drift
from rlviz.rundir.standing import Standing
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.proxy import link
from rlviz.server.runs.choices import still_url
from rlviz.server.runs.groups import Group
from rlviz.server.wire import Body, Wire
from rlviz.stats.seeds import Summary
from rlviz.stats.solved import SolvedAt, SolvedBy


class SettingChange(Wire):
    name: str = Field(
        description="A hyperparameter, an option of the environment, `seed`, `total_timesteps`, `archive`, or "
        "`start_cell`."
    )
    before: JsonValue = Field(description="The parent's value where the fork starts; null if the parent is deleted.")
    after: JsonValue
    in_parent: bool = Field(
        description="Whether the parent changed it from `before` while it trained, and the fork kept the new value."
    )


class Relative(Wire):
    run_id: str
    deleted: bool
    name: str | None = Field(description="null: deleted.")
    status: RunStatus | None
    best_moving_average: float | None
    parent_id: str | None = Field(description="The run that it was forked from; null: no fork.")
    forked_at: int | None = Field(description="The step at which it was forked.")
    changes: list[SettingChange] = Field(description="The settings that were changed at that fork.")


class RunFamily(Wire):
    run_id: str
    members: list[Relative] = Field(
        description="The run, all of its ancestors, and all forks of any of them. Each comes before its forks; forks "
        "are in order of creation."
    )
    whole: bool = Field(description="Whether the list is complete; at most 100 are listed, the nearest and newest.")


class DeletedRun(Wire):
    id: str
    name: str = Field(description="Its name; its id if the name cannot be read.")
    algo: str | None = Field(description="Null if its configuration cannot be read.")
    env_id: str | None = Field(description="Null if its configuration cannot be read.")
    deleted_at: Instant
    removed_at: Instant = Field(description="When it is removed for good, within an hour.")
    size_bytes: int = Field(description="Disk space that removing it frees.")


class TrashList(Wire):
    runs: list[DeletedRun]
    total_bytes: int


class Evaluation(Wire):
    id: str
    run_id: str
    origin: Origin = Field(description="What created it.")
    status: EvaluationStatus
    cause: str | None
    created_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    episodes: int = Field(description="Number of requested episodes.")
    seed: int = Field(description="Seed of the first episode; each further episode adds 1.")
    deterministic: bool
    policy: PolicyChoice = Field(description="The requested policy.")
    checkpoint_step: int | None = Field(description="Training step of the policy that was evaluated.")
    episodes_done: int
    summary: EvaluationSummary | None
    short_of_solved: str | None = Field(
        description="Why a mean return above the threshold does not prove that the run is solved, and what would; "
        "otherwise null."
    )
    video: bool = Field(description="Whether a video was requested.")
    has_steps: bool = Field(description="Whether its step records exist.")
    has_pictures: bool = Field(description="Whether the pictures that the agent saw exist.")
    has_frames: bool = Field(description="Whether frames are stored as pictures.")
    policy_bytes: int | None = Field(
        description="Size of the policy that played, which saliency needs; null if it sees no pictures or is deleted."
    )
    video_url: str | None = Field(
        description="URL of the video, which changes whenever the video changes; null before there is one and after "
        "it was deleted."
    )


class Resumed(Wire):
    """How an attempt continued from a snapshot."""

    snapshot: str
    step: int = Field(description="Step of the snapshot.")
    verified: int | None = Field(
        description="Rows after the snapshot that were computed again and are identical; null: not all compared yet."
    )
    left: int = Field(description="Rows after the snapshot that the attempt did not reach before it ended.")
    diverged_at: int | None = Field(
        description="First step at which a row differs; from there on the newest attempt counts. null: none differs."
    )
    not_exact_because: str | None = Field(
        None, description="A reason known in advance why training could not continue bit for bit; null: there is none."
    )


class ForkedFrom(Wire):
    """The parent of a fork, and where the fork starts."""

    run_id: str
    snapshot: str = Field(
        description="Name of the snapshot that it starts from, or from which the parent was trained again; `0`: from "
        "the parent's beginning, since no snapshot was early enough."
    )
    step: int = Field(description="The parent's environment step at which the fork starts.")
    changed: list[str] = Field(
        default=[],
        description="Hyperparameters and environment options that differ from the parent's.",
    )
    environments_anew: bool = Field(
        False, description="Whether environments started a new episode instead of continuing."
    )


class RunCreate(Body):
    algo: str = Field(
        max_length=LIMITS.choice.maximum,
        description="An algorithm, `random` for random actions, or `recommended` for one that is known to work here.",
    )
    env_id: str = Field("CartPole-v1", max_length=LIMITS.choice.maximum)
    preset: PresetChoice = RECOMMENDED
    seed: Seed | None = Field(None, description="null: a random seed.")
    total_timesteps: TotalTimesteps | None = Field(None, description="null: the preset's.")
    name: RunName | None = None
    env_options: dict[str, JsonValue] = Field(
        default={}, description="Environment options that differ from their defaults."
    )
    hyperparameters: dict[str, JsonValue] = Field(default={}, description="Values that override those of the preset.")
    evaluation: EvaluationPlan | None = Field(None, description="Evaluation during training; null: the preset's.")
    snapshots: SnapshotPlan | None = Field(
        None, description="When snapshots are taken and how many are kept; null: every 60 seconds, the newest 3."
    )
    anatomy: bool | None = Field(
        None, description="Record details of some updates; null: unless the agent sees pictures."
    )
    exploration: ExplorationPlan | None = Field(
        None, description="Rewards for exploration that training adds, and the map; null: the preset's, `{}`: none."
    )
    reward: RewardPlan | None = Field(
        None, description="Weights and caps of the reward's components, in training only; null: none."
    )
    rules: Rules = Field((), description="Rules: actions that the run takes when conditions are met.")
    sinks: list[SinkKind] = Field(
        [], max_length=len(SinkKind), description="Other programs that receive its data during training."
    )
    start: bool = False


class MemoryNeeded(Wire):
    """Memory that a run would need, besides 20 to 240 MB for libraries, networks and environments."""

    bytes: int = Field(description="Bytes of all of it once it is full; 0: the run needs none.")
    buffer_bytes: int = Field(description="Bytes of its largest buffer or table.")
    hyperparameter: str | None = Field(description="The hyperparameter that decides the buffer; null: there is none.")
    archive_bytes: int = Field(description="Bytes of the archive of exploration; 0: it has none.")
    imitation_bytes: int = Field(description="Bytes of the episodes that are imitated; 0: none are.")
    free_bytes: int = Field(description="Free memory of the machine or the container now.")
    warning: str | None = Field(description="What to do if more is needed than is free; null: there is enough.")


Seeds = Annotated[list[Seed], Field(max_length=LIMITS.group_seeds.maximum)]
SeedCount = Annotated[int, Field(ge=LIMITS.group_seeds.minimum, le=LIMITS.group_seeds.maximum, strict=True)]


class GroupCreate(RunCreate):
    """A run for each of several seeds."""

    seeds: Seeds = Field([], description="The seeds; empty: `count` of them.")
    count: SeedCount | None = Field(
        None, description="Number of seeds: counted from `seed`, or random if that is null."
    )


class SeedsAdd(Body):
    """Other seeds to repeat a run with."""

    seeds: Seeds = Field([], description="The seeds; empty: `count` of them.")
    count: SeedCount | None = Field(None, description="Number of random seeds.")


Tag = Annotated[str, Field(min_length=LIMITS.tag.minimum, max_length=LIMITS.tag.maximum, pattern=r"\S")]


class RunPatch(Body):
    """Fields that are left out stay as they are."""

    name: RunName = ""
    tags: list[Tag] = Field([], max_length=LIMITS.tags.maximum)
    notes: str = Field("", max_length=LIMITS.notes.maximum)


class QueueMove(Body):
    """Where a queued run goes: `to`, or `before` another queued run."""

    to: Literal["first", "up", "down", "last"] | None = None
    before: str | None = Field(None, max_length=200, description="Id of a queued run.")

    @model_validator(mode="after")
    def _one_place(self) -> QueueMove:
        if (self.to is None) == (self.before is None):
            raise ValueError("Give either to or before.")
        return self


class Solved(Wire):
    """When the policy first proved to reach the reward threshold."""

    step: int = Field(description="Environment steps of training by then.")
    seconds: float | None = Field(description="Seconds of training by then.")
    by: SolvedBy = Field(
        description="training: by the mean return of 100 training episodes; "
        "evaluation: by a policy's mean return in an evaluation."
    )
    threshold: float = Field(description="The return that had to be reached.")


class AttemptTimes(Wire):
    started_at: Instant
    ended_at: Instant | None = Field(
        description="When it ended, or when its last row was written if its end was not recorded; null: it trains."
    )


class Run(Wire):
    id: str
    name: str
    actor: RunActor = Field(description="What chooses its actions.")
    algo: str = Field(description="The algorithm of its policy; for other actors, the actor.")
    env_id: str
    preset: str | None
    seed: int
    group_id: str = Field(
        description="Id of the group of runs that differ only in their seed: the id of the first of them."
    )
    experiment_id: str | None = Field(None, description="The experiment that it is a trial of; null: none.")
    total_timesteps: int = Field(description="Requested environment steps.")
    end_step: int = Field(
        description="Step at which training ends unless it ends early: `total_timesteps` rounded up to complete "
        "rollouts. Progress and time left refer to it."
    )
    env_options: dict[str, JsonValue] = Field(description="Validated environment options.")
    status: RunStatus
    cause: str | None = Field(description="Why it failed or was interrupted, or why it waits if not for a free slot.")
    traceback: str | None = Field(description="The last lines of the traceback of a failed run.")
    attempt: int = Field(
        description="Number of the newest training attempt, from 1. Status, cause, traceback and times belong to it."
    )
    parent: ForkedFrom | None = Field(None, description="The run that it was forked from, and where; null: no fork.")
    attempts: list[AttemptTimes] = Field(
        description="When each attempt trained. Training seconds are the sum of these, without the pauses between them."
    )
    trained_before: float = Field(description="Training seconds of earlier attempts.")
    resumed: Resumed | None = Field(description="How the newest attempt continued from a snapshot; null: it did not.")
    saves_at: int | None = Field(
        description="Step at which a pausing run takes its snapshot; null: at once, or it is not pausing."
    )
    superseded: list[Stretch] = Field(
        description="Rows that rows of a later attempt replace. They do not count in any curve or figure. If their "
        "number grows, read the curves again."
    )
    last_event: int = Field(description="`seq` of its newest event; a greater number means that there are new events.")
    created_at: Instant
    queued_at: Instant | None = Field(
        description="When training was requested; of a run that was moved in the queue, the time that puts it there."
    )
    started_at: Instant | None
    ended_at: Instant | None
    step: int = Field(description="Environment steps so far.")
    episodes: int = Field(description="Episodes finished.")
    ep_rew_mean: float | None = Field(description="Mean return of the last 100 episodes, or of all if there are fewer.")
    ep_len_mean: float | None = Field(description="Mean length of the same episodes.")
    fps: float | None = Field(
        description="Steps per second: the current rate during training, and afterwards the average of all attempts."
    )
    update_seconds: float | None = Field(
        description="Duration of the newest update in seconds, and so the longest wait for a stop; null: unknown."
    )
    still_url: str | None = Field(None, description="URL of a small picture of its environment; null: there is none.")
    reward_threshold: float | None = Field(description="Return at which its environment counts as solved.")
    solved: Solved | None = Field(description="When the threshold was first reached; null: not yet, or there is none.")
    best_moving_average: float | None = Field(description="Best mean return of 20 consecutive episodes.")
    best_moving_average_step: int | None = Field(description="Step at which the last of these episodes ended.")
    sparkline: list[float] = Field(
        description="Up to 32 mean returns of 20 episodes, evenly spaced over the steps so far; empty before the first."
    )
    policy_step: int | None = Field(description="Step of the newest saved policy.")
    best_policy: BestPolicy | None = Field(description="The best policy by periodic evaluation, if one is saved.")
    ended_early: str | None = Field(
        description="Why training ended early; for a stopped run, the rule that ended it without saving."
    )
    queue_position: int | None = Field(description="Position in the queue, from 1, while queued.")
    warnings: int
    last_warning: str | None
    damage: list[Damage] = Field(
        description="What cannot be read in its folder, and how to repair it; empty if nothing is damaged."
    )
    tags: list[str]
    notes: str


class BestEvaluation(Wire):
    """The highest mean return of a policy of the run, in episodes that did not select it."""

    mean: float
    std: float = Field(description="Population standard deviation over its episodes.")
    step: int | None = Field(description="Environment steps of the policy.")
    deterministic: bool = Field(
        description="Whether the policy took its most likely actions, as in the run's evaluations during training, or "
        "sampled them."
    )


class RunDetail(Run):
    config: RunConfig | None = Field(description="null if config.json cannot be read; `damage` says why.")
    learned_rewards: LearnedRewards | None = Field(
        description="How the rewards that its policy learns from differ from recorded rewards; null without a "
        "configuration."
    )
    length_note: str | None = Field(
        description="A warning if it trains for too few steps to learn, for instance for a single rollout; else null."
    )
    latest_evaluation: Evaluation | None
    best_evaluation: BestEvaluation | None = Field(
        description="The best result: of the best policy by periodic evaluation, or of an evaluation on request that "
        "chose its actions in the same way."
    )
    standing: Standing = Field(
        description="own: made here; trusted: made elsewhere and trusted by you; found: in the runs folder without "
        "your mark, becomes yours when you use it; untrusted: made elsewhere, and not used before "
        "`POST /runs/{run_id}/trust`."
    )


class RunDrift(Wire):
    run_id: str
    drift: list[Drift] = Field(description="Differences in its files, then in packages; empty if there are none.")


class BestOfSeeds(Wire):
    """Summary of the best averages of a group over its seeds."""

    scored: int = Field(description="Number of runs with a best average, which the figures cover.")
    iqm: float | None = Field(description="Interquartile mean of their best averages; null before the first.")
    low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null for fewer than two.")
    high: float | None = Field(description="Upper end of it.")
    definition: str = Field(description="How these three are made, in a sentence.")


class SeedGroup(Wire):
    """Runs that differ only in their seed."""

    id: str
    run_ids: list[str] = Field(description="Ordered by seed; at least two.")
    statuses: dict[RunStatus, int] = Field(description="Number of runs by status.")
    step: int = Field(description="Total environment steps of the runs so far.")
    end_step: int = Field(description="Total environment steps when all of them have finished.")
    solved: int = Field(description="Number of runs that have reached their reward threshold.")
    sparklines: list[list[float]] = Field(description="Sparklines of the first 10 runs, by seed.")
    ended: int = Field(description="Number of runs that have ended.")
    scored: int = Field(description="Number of runs with a mean return, which the figures cover.")
    iqm: float | None = Field(description="Interquartile mean of their mean returns; null before the first.")
    low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null for fewer than two.")
    high: float | None = Field(description="Upper end of it.")
    definition: str = Field(description="How these three are made, in a sentence.")
    best: BestOfSeeds


class GroupRuns(Wire):
    group_id: str
    runs: list[Run] = Field(description="The new runs.")
    length_note: str | None = Field(description="As `length_note` of a run; the same for all runs of the group.")


class RunPage(Wire):
    runs: list[Run]
    groups: list[SeedGroup] = Field(description="The groups of these runs that have more than one run.")
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last.")
    total: int = Field(description="Number of entries on all pages: matching runs, or groups with `grouped`.")
    total_runs: int = Field(description="Number of matching runs, each run of a group counted.")
    trials: int = Field(description="Number of matching runs that `without_trials` left out.")
    training: int = Field(
        description="Number of entries, on all pages, that `training_first` lists before all others; 0 without it."
    )


class TagCount(Wire):
    name: str
    runs: int = Field(description="Number of runs with this tag.")


class TagList(Wire):
    tags: list[TagCount] = Field(description="In alphabetical order.")


class KeptFiles(NamedTuple):
    """Which files of an evaluation exist. ``policy_bytes``: size of the policy, if it sees pictures and is saved."""

    video: bool
    steps: bool
    pictures: bool
    frames: bool
    policy_bytes: int | None


MOST_SPARKLINES = 10
"""Maximum number of sparklines of a group that can be told apart in a table cell."""

_TIMES = ("created_at", "queued_at", "started_at", "ended_at")
_SAME = set(Run.model_fields) - set(_TIMES) - {"actor", "attempts", "parent", "queue_position", "solved", "still_url"}


def view_run(row: RunRow, queue: Mapping[str, int]) -> Run:
    """Return the API model of a run. ``queue``: position by run id of queued runs."""
    times = {name: None if (value := getattr(row, name)) is None else utc(value) for name in _TIMES}
    return Run(
        **row.model_dump(include=_SAME),
        **times,
        actor=row.actor,
        parent=None if row.parent is None else ForkedFrom.model_validate(row.parent),
        attempts=[
            AttemptTimes(started_at=utc(start), ended_at=None if end is None else utc(end))
            for start, end in row.clock.attempts
        ],
        queue_position=queue.get(row.id),
        solved=solved_at(row, row.solved, row.reward_threshold),
        still_url=still_url(row.env_id),
    )


def view_group(group: Group) -> SeedGroup:
    return SeedGroup(
        id=group.id,
        run_ids=[row.id for row in group.runs],
        statuses=dict(Counter(row.state for row in group.runs)),
        step=sum(row.step for row in group.runs),
        end_step=sum(row.end_step for row in group.runs),
        solved=sum(row.solved is not None for row in group.runs),
        sparklines=[row.sparkline for row in group.runs[:MOST_SPARKLINES]],
        ended=sum(row.state.has_ended for row in group.runs),
        **_summed_up(group.returns),
        definition=group.definition,
        best=BestOfSeeds(**_summed_up(group.best), definition=group.best_definition),
    )


def _summed_up(summary: Summary | None) -> dict[str, Any]:
    """Return the figures of a summary by their field names in SeedGroup and BestOfSeeds."""
    interval = None if summary is None else summary.interval
    return {
        "scored": 0 if summary is None else summary.count,
        "iqm": None if summary is None else summary.iqm,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }


def solved_at(row: RunRow, found: SolvedAt | None, threshold: float | None) -> Solved | None:
    if found is None or threshold is None:
        return None
    seconds = row.solved_seconds
    if found != row.solved and row.attempts:  # for another threshold
        seconds = round(row.clock.at(found.time), 3)
    return Solved(step=found.step, seconds=seconds, by=found.by, threshold=threshold)


def view_evaluation(row: EvaluationRow, kept: KeptFiles, short_of_solved: str | None) -> Evaluation:
    known = {"policy": PolicyChoice.LATEST, "origin": Origin.ASKED, "video": True, **row.record}
    # The video of a played run grows; a new URL keeps the browser from mixing old and new parts.
    size = ((known.get("summary") or {}).get("video") or {}).get("size_bytes", 0)
    url = link(f"/api/runs/{row.run_id}/artifacts/eval/{row.id}.mp4?bytes={size}") if kept.video else None
    return Evaluation(
        **{
            **known,
            "short_of_solved": short_of_solved,
            "video_url": url,
            "has_steps": kept.steps,
            "has_pictures": kept.pictures,
            "has_frames": kept.frames,
            "policy_bytes": kept.policy_bytes,
        }
    )
