"""Runs: asked for, listed, shown, labelled.

The relatives of a run.

Deleted runs.

An evaluation of a run.

How an attempt went on from a snapshot.

What is kept of an evaluation.

From rows, journals and comparisons to what goes over the wire.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field, JsonValue

from rlviz.domain.config import EvaluationPlan, RunActor, RunConfig, RunName, Seed, SnapshotPlan, TotalTimesteps
from rlviz.domain.environment import LearnedRewards
from rlviz.domain.errors import Damage
from rlviz.domain.evaluation import BestPolicy, EvaluationStatus, EvaluationSummary, Origin, PolicyChoice
from rlviz.domain.events import Stretch
from rlviz.domain.ids import Instant, utc
from rlviz.domain.limits import LIMITS
from rlviz.domain.presets import PresetChoice
from rlviz.domain.recommended import RECOMMENDED
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
    name: str = Field(description="A hyperparameter, an option of the environment, `seed` or `total_timesteps`.")
    before: JsonValue = Field(
        description="What the parent trained with where the fork begins; null where the parent is gone."
    )
    after: JsonValue
    in_parent: bool = Field(
        description="Whether it was changed while the parent trained, from `before`, and the fork went on with that."
    )


class Relative(Wire):
    run_id: str
    deleted: bool
    name: str | None = Field(description="null: it is deleted.")
    status: RunStatus | None
    best_moving_average: float | None
    parent_id: str | None = Field(description="The run that it was forked from; null: it was not.")
    forked_at: int | None = Field(description="The step at which it was.")
    changes: list[SettingChange] = Field(description="What was changed at that fork.")


class RunFamily(Wire):
    run_id: str
    members: list[Relative] = Field(
        description="The run itself, the runs that it was forked from, up to the first, and all that were forked from "
        "any of them. Each comes before its forks, these in the order in which they were made."
    )
    whole: bool = Field(description="Whether that is all of them; at most 100 are listed, the nearest and newest.")


class DeletedRun(Wire):
    id: str
    name: str = Field(description="Its id, if it cannot be read any more.")
    algo: str | None = Field(description="Null if its configuration cannot be read.")
    env_id: str | None = Field(description="Null if its configuration cannot be read.")
    deleted_at: Instant
    removed_at: Instant = Field(description="When it will be removed for good; at the latest an hour later.")
    size_bytes: int = Field(description="Room on the disk that removing it makes.")


class TrashList(Wire):
    runs: list[DeletedRun]
    total_bytes: int


class Evaluation(Wire):
    id: str
    run_id: str
    origin: Origin = Field(description="How it came to be.")
    status: EvaluationStatus
    cause: str | None
    created_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    episodes: int = Field(description="Episodes asked for.")
    seed: int = Field(description="Seed of the first episode; each next one adds 1.")
    deterministic: bool
    policy: PolicyChoice = Field(description="Which policy was asked for.")
    checkpoint_step: int | None = Field(description="Training step of the policy that was evaluated.")
    episodes_done: int
    summary: EvaluationSummary | None
    short_of_solved: str | None = Field(
        description="Why its mean return, which reaches the threshold, does not show the run to be solved, and what "
        "would; null where there is nothing to say."
    )
    video: bool = Field(description="Whether a video was asked for.")
    has_steps: bool = Field(description="Whether there are step records, and they are still kept.")
    has_pictures: bool = Field(description="Whether there is what the agent saw, as pictures, and it is still kept.")
    has_frames: bool = Field(description="Whether frames of it are kept as pictures.")
    policy_bytes: int | None = Field(
        description="Size of the policy that played, which saliency needs; null if it saw no pictures, or is not kept."
    )
    video_url: str | None = Field(
        description="null before there is a video, and once it was retired; another one whenever the video changed."
    )


class Resumed(Wire):
    """How an attempt went on from a snapshot."""

    snapshot: str
    step: int = Field(description="Step of the snapshot.")
    verified: int | None = Field(
        description="Rows beyond the snapshot that were computed again and are identical; null: not all compared yet."
    )
    left: int = Field(description="Rows beyond the snapshot that the attempt did not come to before it ended.")
    diverged_at: int | None = Field(
        description="Step from which on they came out otherwise: the newest attempt counts from there; null: nowhere."
    )
    not_exact_because: str | None = Field(
        None, description="Why training did not go on bit for bit, known before it began; null: it was to."
    )


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


class KeptFiles(NamedTuple):
    """``policy_bytes``: size of the policy that played, if it saw pictures and is kept."""

    video: bool
    steps: bool
    pictures: bool
    frames: bool
    policy_bytes: int | None


MOST_SPARKLINES = 10
"""Of a group: more lines than these cannot be told apart in a cell."""

_TIMES = ("created_at", "queued_at", "started_at", "ended_at")
_SAME = set(Run.model_fields) - set(_TIMES) - {"actor", "attempts", "parent", "queue_position", "solved", "still_url"}


def view_run(row: RunRow, queue: Mapping[str, int]) -> Run:
    """``queue``: place by run id, of the runs that wait."""
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
        solved=_solved(row, row.solved, row.reward_threshold),
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
    """The figures of a group, by their names in SeedGroup and BestOfSeeds."""
    interval = None if summary is None else summary.interval
    return {
        "scored": 0 if summary is None else summary.count,
        "iqm": None if summary is None else summary.iqm,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }


def _solved(row: RunRow, found: SolvedAt | None, threshold: float | None) -> Solved | None:
    if found is None or threshold is None:
        return None
    seconds = row.solved_seconds
    if found != row.solved and row.attempts:  # by another threshold
        seconds = round(row.clock.at(found.time), 3)
    return Solved(step=found.step, seconds=seconds, by=found.by, threshold=threshold)


def view_evaluation(row: EvaluationRow, kept: KeptFiles, short_of_solved: str | None) -> Evaluation:
    known = {"policy": PolicyChoice.LATEST, "origin": Origin.ASKED, "video": True, **row.record}
    # A person's video grows while they play: a browser that holds some of it would mix old and new.
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
