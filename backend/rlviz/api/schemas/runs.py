"""Runs: asked for, listed, shown, labelled."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from rlviz.analysis.solved import SolvedBy
from rlviz.api.schemas.evaluations import Evaluation
from rlviz.api.schemas.snapshots import Resumed
from rlviz.api.schemas.wire import Body, Wire
from rlviz.domain.config import RunConfig, RunName, Seed, TotalTimesteps
from rlviz.domain.damage import Damage
from rlviz.domain.drift import Drift
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.events import Stretch
from rlviz.domain.learned_rewards import LearnedRewards
from rlviz.domain.limits import LIMITS
from rlviz.domain.presets import PresetChoice
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.rules import Rules
from rlviz.domain.run_actor import RunActor
from rlviz.domain.sinks import SinkKind
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.domain.status import RunStatus
from rlviz.domain.times import Instant
from rlviz.rundir.standing import Standing


class ForkedFrom(Wire):
    """Where a fork left the run that it was made from."""

    run_id: str
    snapshot: str = Field(
        description="Name of the snapshot that it begins from, or from which the parent was trained again; `0` where "
        "the parent had none so early, and was trained again from its beginning."
    )
    step: int = Field(description="Environment steps that the parent had done where the fork begins.")
    changed: list[str] = Field(
        default=[],
        description="Hyperparameters, and options of the environment, that differ from the parent's.",
    )
    environments_anew: bool = Field(False, description="Whether environments began anew instead of going on.")


class RunCreate(Body):
    algo: str = Field(
        max_length=LIMITS.choice.maximum,
        description="An algorithm, `random` for random actions, or `recommended` for one that was measured to work.",
    )
    env_id: str = Field("CartPole-v1", max_length=LIMITS.choice.maximum)
    preset: PresetChoice = RECOMMENDED
    seed: Seed | None = Field(None, description="null: drawn by the service.")
    total_timesteps: TotalTimesteps | None = Field(None, description="null: the preset's.")
    name: RunName | None = None
    env_options: dict[str, JsonValue] = Field(default={}, description="Options of the environment that differ.")
    hyperparameters: dict[str, JsonValue] = Field(default={}, description="Overrides of the preset's values.")
    evaluation: EvaluationPlan | None = Field(None, description="Evaluation while it trains; null: the preset's.")
    snapshots: SnapshotPlan | None = Field(
        None, description="When snapshots are taken and how many are kept; null: one every 60 seconds, the newest 3."
    )
    anatomy: bool | None = Field(
        None, description="Look into updates now and then; null: unless the agent sees pictures."
    )
    rules: Rules = Field((), description="What it shall do by itself.")
    sinks: list[SinkKind] = Field(
        [], max_length=len(SinkKind), description="Other programs that it is delivered to as it trains."
    )
    start: bool = False


Seeds = Annotated[list[Seed], Field(max_length=LIMITS.group_seeds.maximum)]
SeedCount = Annotated[int, Field(ge=LIMITS.group_seeds.minimum, le=LIMITS.group_seeds.maximum, strict=True)]


class GroupCreate(RunCreate):
    """A run for each of several seeds."""

    seeds: Seeds = Field([], description="The seeds; empty: `count` of them.")
    count: SeedCount | None = Field(None, description="How many seeds: from `seed` upwards, drawn if that is null.")


class SeedsAdd(Body):
    """Other seeds to repeat a run with."""

    seeds: Seeds = Field([], description="The seeds; empty: `count` of them.")
    count: SeedCount | None = Field(None, description="How many seeds to draw.")


Tag = Annotated[str, Field(min_length=LIMITS.tag.minimum, max_length=LIMITS.tag.maximum, pattern=r"\S")]


class RunPatch(Body):
    """Fields that are left out stay as they are."""

    name: RunName = ""
    tags: list[Tag] = Field([], max_length=LIMITS.tags.maximum)
    notes: str = Field("", max_length=LIMITS.notes.maximum)


class Solved(Wire):
    """When the policy was first shown to reach the reward threshold."""

    step: int = Field(description="Environment steps that the policy had been trained for.")
    seconds: float | None = Field(description="Seconds of training by then.")
    by: SolvedBy = Field(
        description="training: by the mean return of 100 training episodes; "
        "evaluation: by a policy's mean return in an evaluation."
    )
    threshold: float = Field(description="The return that was reached.")


class AttemptTimes(Wire):
    started_at: Instant
    ended_at: Instant | None = Field(
        description="When its last row was written, if nobody saw it end; null: it trains."
    )


class Run(Wire):
    id: str
    name: str
    actor: RunActor = Field(description="Who plays its episodes.")
    algo: str = Field(description="What its policy learns by; of another actor, that actor.")
    env_id: str
    preset: str | None
    seed: int
    group_id: str = Field(
        description="Id that it shares with the runs that differ from it in their seed alone: that of the first."
    )
    total_timesteps: int = Field(description="Environment steps asked for.")
    end_step: int = Field(
        description="Step at which training ends if nothing ends it before: `total_timesteps` rounded up to whole "
        "rollouts. Progress and time left are counted to it."
    )
    env_options: dict[str, JsonValue] = Field(description="Options of the environment, as validated.")
    status: RunStatus
    cause: str | None = Field(description="Why it failed or was interrupted; why it waits, if not for a free slot.")
    traceback: str | None = Field(description="The last lines of it, for a run that failed.")
    attempt: int = Field(
        description="Number of the newest attempt to train it, from 1: status, cause, traceback and times are its."
    )
    parent: ForkedFrom | None = Field(None, description="The run that it was forked from, and where; null: none.")
    attempts: list[AttemptTimes] = Field(
        description="When each attempt trained. Seconds of training are counted over these, without the pauses between."
    )
    trained_before: float = Field(description="Seconds that earlier attempts have trained.")
    resumed: Resumed | None = Field(description="How the newest attempt went on from a snapshot; null: it did not.")
    saves_at: int | None = Field(
        description="Step at which a run that pauses takes its snapshot; null: at once, or it does not pause."
    )
    superseded: list[Stretch] = Field(
        description="Rows in whose place those of a later attempt have come. They are in no curve and no figure; when "
        "there are more of them, curves that were read before have to be read again."
    )
    last_event: int = Field(description="seq of its newest event: when it is greater, there are new ones to be read.")
    created_at: Instant
    queued_at: Instant | None
    started_at: Instant | None
    ended_at: Instant | None
    step: int = Field(description="Environment steps done.")
    episodes: int = Field(description="Episodes finished.")
    ep_rew_mean: float | None = Field(
        description="Mean return: of the last 100 episodes, of all while there are fewer."
    )
    ep_len_mean: float | None = Field(description="Mean length of the same episodes.")
    fps: float | None = Field(
        description="Steps per second: lately while it trains, once it has ended the average over all of its attempts."
    )
    update_seconds: float | None = Field(
        description="Seconds that the newest update took. A stop during an update takes no longer; null: not known."
    )
    still_url: str | None = Field(None, description="A small picture of its environment; null: there is none.")
    reward_threshold: float | None = Field(description="Return from which its environment counts as solved.")
    solved: Solved | None = Field(
        description="When the threshold was first reached; null: not so far, or there is none."
    )
    best_moving_average: float | None = Field(description="Best mean return of 20 episodes in a row.")
    best_moving_average_step: int | None = Field(description="Step at which the last of these ended.")
    sparkline: list[float] = Field(
        description="Up to 32 mean returns of 20 episodes, evenly over the steps so far; empty before the first."
    )
    policy_step: int | None = Field(description="Step of the newest policy on disk.")
    best_policy: BestPolicy | None = Field(description="The best policy found by periodic evaluation, if any is kept.")
    ended_early: str | None = Field(
        description="Why training ended before its timesteps were done; of a run that was stopped, the rule that ended "
        "it without saving."
    )
    queue_position: int | None = Field(description="Place in the queue, from 1, while queued.")
    warnings: int
    last_warning: str | None
    damage: list[Damage] = Field(
        description="What of its folder cannot be read, and what can be done; empty for a folder that is whole."
    )
    tags: list[str]
    notes: str


class RunDetail(Run):
    config: RunConfig | None = Field(description="Null if config.json cannot be read; `damage` says why.")
    learned_rewards: LearnedRewards | None = Field(
        description="How what its policy expects differs from recorded rewards; null without a configuration."
    )
    latest_evaluation: Evaluation | None
    standing: Standing = Field(
        description="own: made here; trusted: made elsewhere, and you said that it may be used; found: in the runs "
        "folder without your mark, and yours once you use it; untrusted: made elsewhere, and nothing that it holds is "
        "used before `POST /runs/{run_id}/trust`."
    )


class RunDrift(Wire):
    run_id: str
    drift: list[Drift] = Field(description="Of its files, then of the packages; empty if nothing differs.")


class BestOfSeeds(Wire):
    """The best averages of the runs of a group, summed up over its seeds."""

    scored: int = Field(description="Runs with a best average, which the figures are of.")
    iqm: float | None = Field(description="Interquartile mean of their best averages; null before the first.")
    low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null for fewer than two.")
    high: float | None = Field(description="Upper end of it.")
    definition: str = Field(description="How these three are made, in a sentence.")


class SeedGroup(Wire):
    """Runs that differ in their seed alone."""

    id: str
    run_ids: list[str] = Field(description="By seed; more than one.")
    statuses: dict[RunStatus, int] = Field(description="How many of the runs are in each status that one of them has.")
    step: int = Field(description="Environment steps that the runs have done together.")
    end_step: int = Field(description="Environment steps after which all of them will have been trained.")
    solved: int = Field(description="Runs that have reached their reward threshold.")
    sparklines: list[list[float]] = Field(description="Those of the first 10 runs, by seed.")
    ended: int = Field(description="Runs that have ended.")
    scored: int = Field(description="Runs with a mean return, which the figures are of.")
    iqm: float | None = Field(description="Interquartile mean of their mean returns; null before the first.")
    low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null for fewer than two.")
    high: float | None = Field(description="Upper end of it.")
    definition: str = Field(description="How these three are made, in a sentence.")
    best: BestOfSeeds


class GroupRuns(Wire):
    group_id: str
    runs: list[Run] = Field(description="Those that were made.")


class RunPage(Wire):
    runs: list[Run]
    groups: list[SeedGroup] = Field(description="Of these runs the groups that have more than one.")
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last.")
    total: int = Field(description="Lines on all pages: runs that match, or with `grouped` groups of them.")
    total_runs: int = Field(description="Runs that match, each of a group counted.")


class TagCount(Wire):
    name: str
    runs: int = Field(description="Runs that have it.")


class TagList(Wire):
    tags: list[TagCount] = Field(description="In the order of the alphabet.")
