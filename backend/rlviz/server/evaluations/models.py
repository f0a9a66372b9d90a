"""Episodes that were searched for, and what is said about them.

Evaluations of a run.

How a run is recorded, and frames that are kept.

Step records of an evaluation.

Which pixels mattered in a step of an evaluation, or of a clip.

The filmstrip of a run: policies that are kept, and clips of what they do.

A value slice of a run's policy.

Converts the metadata of a step records file into API schemas.

Converts episodes that were searched or judged into API schemas.

Converts clips and value slices into API schemas.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Literal

from pydantic import Field, JsonValue

from rlviz.domain.clips import ClipStatus, KeptPolicy, PlayedEpisode, SeenPictures, SliceRange, ValueSlice
from rlviz.domain.config import Seed
from rlviz.domain.evaluation import EpisodeCount, EpisodeResult, PicturesFacts, PolicyChoice, StepsFacts, VideoFacts
from rlviz.domain.limits import DEFAULT_EPISODES, DEFAULT_EVALUATION_SEED, MAX_TIMESTEPS
from rlviz.domain.recording import Detail, FrameReason, Lowered
from rlviz.domain.spaces import Space
from rlviz.learning.environments.custom import family_of_id
from rlviz.learning.records.about import Components, RecordsAbout
from rlviz.server.evaluations import episodes, judging
from rlviz.server.evaluations.film import FoundClip
from rlviz.server.evaluations.seen import WantedSlice
from rlviz.server.proxy import link
from rlviz.server.runs.choices import StateFactorInfo, view_factors
from rlviz.server.wire import Body, Wire
from rlviz.stats.judging import EndingKind, MomentKind


class EvaluationCreate(Body):
    episodes: EpisodeCount = DEFAULT_EPISODES
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed of the first episode; each next one adds 1.")
    deterministic: bool = Field(True, description="Take the most likely action instead of sampling.")
    policy: PolicyChoice = Field(
        PolicyChoice.LATEST, description="The newest policy, or the best that periodic evaluation kept."
    )
    checkpoint_step: int | None = Field(
        None,
        ge=0,
        le=MAX_TIMESTEPS,
        description="The policy of this step instead: of all that are kept, the newest that is not beyond it.",
    )
    video: bool = Field(True, description="Whether to film.")
    steps: bool | None = Field(
        None, description="Whether to record each step; null: as the storage profile of the environment's family says."
    )


class FoundEpisode(Wire):
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None = Field(description="Training step of the policy that played.")
    deterministic: bool
    has_video: bool = Field(description="The video is still kept.")
    result: EpisodeResult


class FoundEpisodes(Wire):
    where: str = Field(description="What was searched for, as it was given.")
    evaluations: int = Field(description="How many completed evaluations there are.")
    searched: int = Field(description="How many episodes they have.")
    found: int = Field(description="How many of those fulfil the condition.")
    episodes: list[FoundEpisode] = Field(description="The first of those, as sorted.")


class RankedEpisodes(Wire):
    """Episodes by their index, from 1."""

    worst: int
    median: int
    best: int


class ReturnBin(Wire):
    low: float
    high: float = Field(description="Excluded, but for the last bin.")
    episodes: list[int] = Field(description="By their index, from 1; from the least return to the greatest.")


class KeyMoment(Wire):
    episode: int = Field(description="Index of the episode, from 1.")
    kind: MomentKind
    step: int = Field(description="The step record to look at, from 0.")
    frame: int = Field(description="Frame of the video, from 0, that shows it.")
    amount: float | None = Field(description="The reward, the surprise, or by how much the value fell.")


class EvaluationJudgement(Wire):
    run_id: str
    evaluation_id: str
    ranking: RankedEpisodes
    bins: list[ReturnBin]
    recorded: bool = Field(description="There are step records; without them there are no moments.")
    moments: list[KeyMoment] = Field(description="By episode, then by step.")


class JudgedEvaluation(Wire):
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None = Field(description="Training step of the policy that played.")
    episodes: int = Field(description="Of it that were recorded to their end.")


class EpisodeExample(Wire):
    run_id: str
    evaluation_id: str
    has_video: bool = Field(description="The video is still kept.")
    result: EpisodeResult


class EpisodeEnding(Wire):
    kind: EndingKind
    title: str = Field(description="What the ends have in common: pole angle > 12°.")
    episodes: int = Field(description="How many end so.")
    share: float = Field(description="The same as a part of all, 0 to 1.")
    mean_return: float
    shares: list[float] = Field(description="The part in each of the evaluations.")
    example: EpisodeExample


class EpisodeEndings(Wire):
    evaluations: list[JudgedEvaluation] = Field(description="Those with step records, oldest first.")
    without_records: int = Field(description="Completed evaluations whose steps were not recorded or are not kept.")
    episodes: int = Field(description="Episodes that were recorded to their end.")
    endings: list[EpisodeEnding] = Field(description="The most frequent first; every episode is in one.")


class RecordingLevel(Wire):
    """A detail that can be chosen, from the lowest up."""

    detail: Detail
    keeps: str = Field(description="What is kept at it, in a sentence.")


class RunRecording(Wire):
    run_id: str
    detail: Detail = Field(description="At which it is recorded now.")
    chosen: Detail | None = Field(description="Chosen for this run; null: it is recorded as its family is.")
    of_family: Detail = Field(description="What the storage profile of its environment's family says.")
    levels: list[RecordingLevel]
    cost: float | None = Field(
        description="Time that recording took while the run went on, as a share of the time without it; null: nothing "
        "was recorded."
    )
    most_cost: float = Field(description="The share above which the detail is lowered by itself.")
    lowered: Lowered | None = Field(description="How it was lowered by itself since it was chosen; null: it was not.")
    lowered_at: int | None = Field(description="The step at which it was.")


class RecordingBody(Body):
    detail: Detail | None = Field(description="null: as the storage profile of its environment's family says.")


class KeptFrame(Wire):
    """A frame that is kept as a picture."""

    episode: int = Field(description="From 0.")
    index: int = Field(description="Of the step that it shows; 0 is the reset.")
    reason: FrameReason
    url: str


class KeptFrames(Wire):
    run_id: str
    evaluation_id: str
    frames: list[KeptFrame] = Field(description="In the order in which they were played; empty if none is kept.")


class StepComponents(Wire):
    """What the numbers of an observation or of an action are."""

    kind: str = Field(description="The space's class name.")
    numbers: int = Field(description="How many numbers of each are recorded; 0: only a hash.")
    labels: list[str] = Field(description="Their names, or those of the actions; empty if nobody has named them.")
    units: list[str]
    low: list[float | None] | None = Field(
        description="The least of each number of a Box, in the environment's own units; null for one without bound."
    )
    high: list[float | None] | None = Field(description="And the greatest.")
    factors: list[StateFactorInfo] = Field(
        description="The quantities that states number, the last one changing from each state to the next; else empty."
    )
    starts: list[int] | None = Field(
        description="The least action of a Discrete space, which the first label names, or the least value of each "
        "number of a MultiDiscrete."
    )
    n: int | None = Field(description="How many elements a Discrete space has, named or not.")
    counts: list[int] = Field(description="How many values each number of a MultiDiscrete has; empty for other spaces.")


class StepsInfo(Wire):
    """What the file of step records says of itself."""

    env_id: str
    family: str = Field(description="Family of the environment, by which `GET /health` says what is kept.")
    names: list[str] = Field(description="Its columns.")
    observation: StepComponents
    action: StepComponents
    seeds: list[int] = Field(description="Of each episode.")
    frames_every: int = Field(description="Every so many frames were hashed, and the last of each episode.")
    squashed: bool = Field(description="Mean and deviation lie before the hyperbolic tangent.")
    cut: bool = Field(description="The file reached the size it may have: later steps are missing.")
    versions: dict[str, str]


class StepColumns(Wire):
    """Records that were found, a list a column."""

    run_id: str
    evaluation_id: str | None = Field(description="null: the records are those of a clip.")
    clip_id: str | None
    info: StepsInfo
    total: int = Field(description="Records that were found.")
    start: int = Field(description="Place of the first that is here among them.")
    stop: int = Field(description="Place after the last that is here: below `total` and what was asked for, ask on.")
    columns: dict[str, list[JsonValue]] = Field(
        description="By name, each of the same length, as in a step record. Numbers that are not finite are null."
    )


class Saliency(Wire):
    """What the agent saw in a step, and how much each pixel weighs in the score of the action that it took on it."""

    run_id: str
    policy_step: int = Field(description="Training step of the policy.")
    step: int = Field(description="Actions taken before; 0 is the reset.")
    seen: SeenPictures
    png: str = Field(description="The PNG that seen describes, in Base64.")


class EvaluationSaliency(Saliency):
    evaluation_id: str
    episode: int = Field(description="From 0.")


class ClipSaliency(Saliency):
    clip_id: str


class SaliencyUnderWay(Wire):
    """The episode is played again up to the step; ask again."""

    run_id: str
    evaluation_id: str | None = Field(None, description="Null: of a clip.")
    clip_id: str | None = Field(None, description="Null: of an evaluation.")


class Policies(Wire):
    policies: list[KeptPolicy] = Field(description="By step.")
    film_bytes: int = Field(description="What the policies of the filmstrip take.")
    clip_bytes: int = Field(description="What the clips take.")
    clip_limit_bytes: int = Field(description="What the clips may take (RLVIZ_KEEP_CLIPS).")


class GrowthVideoCreate(Body):
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed that every policy plays on.")
    greedy: bool = Field(True, description="Take the most likely action instead of sampling.")


class ClipCreate(Body):
    step: int = Field(
        ge=0, le=MAX_TIMESTEPS, description="The policy of this step: of all that are kept, the newest not beyond it."
    )
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed of the episode.")
    greedy: bool = Field(True, description="Take the most likely action instead of sampling.")
    picture_only: bool = Field(False, description="Only a small picture of it, made after everything else.")


class Clip(Wire):
    """One episode of a policy, filmed; or several policies after each other, for a video of growth."""

    id: str
    run_id: str
    kind: Literal["clip", "growth"]
    status: ClipStatus
    cause: str | None = Field(description="Why it failed.")
    step: int | None = Field(description="Training step of the policy that plays; null for a video of growth.")
    seed: int
    greedy: bool
    episodes: list[PlayedEpisode] = Field(description="Those of the video: one, but for a video of growth.")
    video: VideoFacts | None
    steps: StepsFacts | None = Field(description="What was recorded of a clip; null for a video of growth.")
    pictures: PicturesFacts | None = Field(description="What the agent saw, if that is pictures; null if it is not.")
    video_url: str | None = Field(description="null as long as there is no video.")
    thumbnail_url: str | None = Field(description="A small picture of the episode; it stays when the video is retired.")


class SliceAxis(Wire):
    place: int = Field(description="Of the component in the observation, from 0.")
    name: str
    unit: str = Field(description="Empty where there is none.")
    low: float
    high: float


class RunValueSlice(Wire):
    """What the policy expects over two components of the observation, the others held at ``at``."""

    run_id: str
    step: int = Field(description="Training step of the policy.")
    x: SliceAxis
    y: SliceAxis
    at: list[float] = Field(description="The whole observation; its x and y count for nothing.")
    values: list[list[float | None]] = Field(
        description="64 rows, one for each y from the lowest, of 64 numbers, one for each x; null: not finite."
    )
    low: float = Field(description="The least of the values.")
    high: float = Field(description="The greatest.")
    kind: Literal["value", "q"] = Field(
        description="V(s), or the greatest Q(s, a); with continuous actions that of the action taken without noise."
    )


class SliceUnderWay(Wire):
    """The slice is being read; ask again."""

    run_id: str
    step: int


def view_steps_info(about: RecordsAbout, names: list[str]) -> StepsInfo:
    return StepsInfo(
        env_id=about.env_id,
        family=family_of_id(about.env_id),
        names=names,
        observation=_step_components(about.observation),
        action=_step_components(about.action),
        seeds=[episode.seed for episode in about.episodes],
        frames_every=about.frames_every,
        squashed=about.squashed,
        cut=about.cut,
        versions=about.versions,
    )


def _step_components(components: Components) -> StepComponents:
    layout = components.layout
    is_discrete = layout.kind == "Discrete"
    return StepComponents(
        kind=layout.kind,
        numbers=layout.numbers,
        labels=components.labels,
        units=components.units,
        low=_finite(layout.low),
        high=_finite(layout.high),
        factors=view_factors(components.factors),
        starts=layout.starts,
        n=layout.counts[0] if is_discrete and layout.counts else None,
        counts=layout.counts if not is_discrete and layout.counts else [],
    )


def _finite(bounds: Sequence[float] | None) -> list[float | None] | None:
    return None if bounds is None else [bound if isfinite(bound) else None for bound in bounds]


def view_found_episodes(search: episodes.EpisodeSearch, found: episodes.FoundEpisodes) -> FoundEpisodes:
    return FoundEpisodes(
        where=search.where,
        evaluations=found.evaluations,
        searched=found.episodes,
        found=found.found,
        episodes=[_found_episode(each) for each in found.first],
    )


def _found_episode(found: episodes.FoundEpisode) -> FoundEpisode:
    return FoundEpisode(
        run_id=found.run_id,
        evaluation_id=found.evaluation_id,
        checkpoint_step=found.checkpoint_step,
        deterministic=found.deterministic,
        has_video=found.has_video,
        result=EpisodeResult.model_validate(found.result),
    )


def view_judgement(judged: judging.JudgedEvaluation) -> EvaluationJudgement:
    """Positions, from 0, as indices, from 1."""
    record, ranking = judged.record, judged.ranking
    results = record.summary.episodes if record.summary is not None else []
    return EvaluationJudgement(
        run_id=record.run_id,
        evaluation_id=record.id,
        ranking=RankedEpisodes(worst=ranking.worst + 1, median=ranking.median + 1, best=ranking.best + 1),
        bins=[
            ReturnBin(low=each.low, high=each.high, episodes=[at + 1 for at in each.episodes]) for each in judged.bins
        ],
        recorded=judged.moments is not None,
        moments=[
            KeyMoment(
                episode=place + 1,
                kind=moment.kind,
                step=moment.step,
                frame=results[place].first_frame + moment.step,
                amount=moment.amount,
            )
            for place, moments in sorted((judged.moments or {}).items())
            for moment in moments
        ],
    )


def view_endings(found: judging.RunEndings) -> EpisodeEndings:
    return EpisodeEndings(
        evaluations=[
            JudgedEvaluation(
                run_id=record.run_id, evaluation_id=record.id, checkpoint_step=record.checkpoint_step, episodes=played
            )
            for record, played in zip(found.evaluations, found.played, strict=True)
        ],
        without_records=found.without_records,
        episodes=found.episodes,
        endings=[_ending(each) for each in found.endings],
    )


def _ending(judged: judging.JudgedEnding) -> EpisodeEnding:
    example = judged.example
    return EpisodeEnding(
        kind=judged.ending.kind,
        title=judged.ending.title,
        episodes=len(judged.ending.episodes),
        share=judged.share,
        mean_return=judged.mean_return,
        shares=judged.shares,
        example=EpisodeExample(
            run_id=example.record.run_id,
            evaluation_id=example.record.id,
            has_video=example.has_video,
            result=example.result,
        ),
    )


def view_clip(clip: FoundClip) -> Clip:
    record, file = clip.record, link(f"/api/runs/{clip.run_id}/artifacts/film/clips/{clip.record.id}")
    return Clip(
        **record.model_dump(exclude={"schema_version"}),
        run_id=clip.run_id,
        status=clip.status,
        step=clip.step,
        video_url=f"{file}.mp4" if clip.has_video else None,
        thumbnail_url=f"{file}.webp" if clip.has_thumbnail else None,
    )


def view_value_slice(wanted: WantedSlice, found: ValueSlice) -> RunValueSlice:
    return RunValueSlice(
        **found.model_dump(exclude={"x", "y"}),
        run_id=wanted.run_id,
        step=wanted.step,
        x=_slice_axis(wanted.space, wanted.plan.x, found.x),
        y=_slice_axis(wanted.space, wanted.plan.y, found.y),
    )


def _slice_axis(space: Space, place: int, reach: SliceRange) -> SliceAxis:
    name = space.labels[place] if space.labels else str(place)
    return SliceAxis(place=place, name=name, unit=space.units[place] if space.units else "", **reach.model_dump())
