"""API models of evaluations, episodes, step records, saliency, clips and value slices."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Literal

from pydantic import Field, JsonValue

from rlviz.domain.clips import ClipStatus, FutureOutcome, KeptPolicy, PlayedEpisode, SeenPictures
from rlviz.domain.config import Seed
from rlviz.domain.evaluation import EpisodeCount, EpisodeResult, PicturesFacts, PolicyChoice, StepsFacts, VideoFacts
from rlviz.domain.limits import DEFAULT_EPISODES, DEFAULT_EVALUATION_SEED, MAX_TIMESTEPS
from rlviz.domain.recording import Detail, FrameReason, Lowered
from rlviz.learning.environments.custom import find_family_by_id
from rlviz.learning.records.about import Components, RecordsAbout
from rlviz.server.runs.choices import StateFactorInfo, view_factors
from rlviz.server.wire import Body, Wire
from rlviz.stats.judging import EndingKind, MomentKind


class EvaluationCreate(Body):
    episodes: EpisodeCount = DEFAULT_EPISODES
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed of the first episode; each further episode adds 1.")
    deterministic: bool | None = Field(
        None,
        description="Take the most likely action instead of sampling; null: as the run evaluates during training.",
    )
    policy: PolicyChoice = Field(
        PolicyChoice.LATEST, description="The newest policy, or the best one by periodic evaluation."
    )
    checkpoint_step: int | None = Field(
        None,
        ge=0,
        le=MAX_TIMESTEPS,
        description="Instead, the newest saved policy at or before this step.",
    )
    video: bool = Field(True, description="Whether to record a video.")
    steps: bool | None = Field(
        None, description="Whether to record each step; null: as in the storage profile of the environment's family."
    )


class FoundEpisode(Wire):
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None = Field(description="Training step of the policy that played.")
    deterministic: bool
    has_video: bool = Field(description="Whether its video exists.")
    result: EpisodeResult


class FoundEpisodes(Wire):
    where: str = Field(description="The search condition.")
    evaluations: int = Field(description="Number of completed evaluations.")
    searched: int = Field(description="Number of their episodes.")
    found: int = Field(description="Number of episodes that match.")
    episodes: list[FoundEpisode] = Field(description="The first matching episodes in the sort order.")


class RankedEpisodes(Wire):
    """Episodes by their index, from 1."""

    worst: int
    median: int
    best: int


class ReturnBin(Wire):
    low: float
    high: float = Field(description="Upper end, excluded except in the last bin.")
    episodes: list[int] = Field(description="Indices from 1, by ascending return.")


class KeyMoment(Wire):
    episode: int = Field(description="Index of the episode, from 1.")
    kind: MomentKind
    step: int = Field(description="Index of the step record, from 0.")
    frame: int = Field(description="Frame of the video that shows it, from 0.")
    amount: float | None = Field(description="The reward, the surprise, or the drop of the value.")


class EvaluationJudgement(Wire):
    run_id: str
    evaluation_id: str
    ranking: RankedEpisodes
    bins: list[ReturnBin]
    recorded: bool = Field(description="Whether step records exist; without them there are no moments.")
    moments: list[KeyMoment] = Field(description="By episode, then by step.")


class JudgedEvaluation(Wire):
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None = Field(description="Training step of the policy that played.")
    episodes: int = Field(description="Number of its episodes that were recorded to their end.")


class EpisodeExample(Wire):
    run_id: str
    evaluation_id: str
    has_video: bool = Field(description="Whether its video exists.")
    result: EpisodeResult


class EpisodeEnding(Wire):
    kind: EndingKind
    title: str = Field(description="What the endings have in common, such as pole angle > 12°.")
    episodes: int = Field(description="Number of episodes with this ending.")
    share: float = Field(description="Share of all episodes, 0 to 1.")
    mean_return: float
    shares: list[float] = Field(description="Share in each of the evaluations.")
    example: EpisodeExample


class EpisodeEndings(Wire):
    evaluations: list[JudgedEvaluation] = Field(description="Those with step records, oldest first.")
    without_records: int = Field(description="Number of completed evaluations without step records.")
    episodes: int = Field(description="Episodes that were recorded to their end.")
    endings: list[EpisodeEnding] = Field(description="Most frequent first; every episode has one.")


class RecordingLevel(Wire):
    """A level of recording detail, from the lowest up."""

    detail: Detail
    keeps: str = Field(description="What is recorded at this level, as a sentence.")


class RunRecording(Wire):
    run_id: str
    detail: Detail = Field(description="The current level.")
    chosen: Detail | None = Field(description="The level chosen for this run; null: that of its environment's family.")
    of_family: Detail = Field(description="The level in the storage profile of its environment's family.")
    levels: list[RecordingLevel]
    cost: float | None = Field(
        description="Time spent on recording as a share of the other time; null: nothing was recorded."
    )
    most_cost: float = Field(description="The share above which the level is lowered automatically.")
    lowered: Lowered | None = Field(description="How it was lowered automatically since then; null: it was not.")
    lowered_at: int | None = Field(description="The step at which it was lowered.")


class RecordingBody(Body):
    detail: Detail | None = Field(description="null: as in the storage profile of its environment's family.")


class KeptFrame(Wire):
    """A frame that is stored as a picture."""

    episode: int = Field(description="From 0.")
    index: int = Field(description="Index of the step that it shows; 0 is the reset.")
    reason: FrameReason
    url: str


class KeptFrames(Wire):
    run_id: str
    evaluation_id: str
    frames: list[KeptFrame] = Field(description="In playing order; empty if none is stored.")


class StepComponents(Wire):
    """The components of an observation or an action."""

    kind: str = Field(description="The space's class name.")
    numbers: int = Field(description="Number of recorded components; 0: only a hash.")
    labels: list[str] = Field(description="Names of the components or actions; empty if they have none.")
    units: list[str]
    low: list[float | None] | None = Field(
        description="Lower bound of each component of a Box, in the environment's units; null: unbounded."
    )
    high: list[float | None] | None = Field(description="Upper bound of each component.")
    factors: list[StateFactorInfo] = Field(
        description="The quantities that states number, the last one changing from each state to the next; else empty."
    )
    starts: list[int] | None = Field(
        description="Smallest action of a Discrete space, which the first label names, or smallest value of each "
        "component of a MultiDiscrete."
    )
    n: int | None = Field(description="Number of elements of a Discrete space.")
    counts: list[int] = Field(description="Number of values per component of a MultiDiscrete; empty for other spaces.")


class StepsInfo(Wire):
    """Metadata of a file of step records."""

    env_id: str
    family: str = Field(description="Family of the environment, as in the storage profiles of `GET /health`.")
    names: list[str] = Field(description="Its columns.")
    observation: StepComponents
    action: StepComponents
    seeds: list[int] = Field(description="Seed of each episode.")
    frames_every: int = Field(description="Interval of hashed frames; the last frame of each episode is hashed too.")
    squashed: bool = Field(description="Mean and deviation lie before the hyperbolic tangent.")
    cut: bool = Field(description="Whether later steps are missing because the file reached its maximum size.")
    versions: dict[str, str]


class StepColumns(Wire):
    """Matching records as one list per column."""

    run_id: str
    evaluation_id: str | None = Field(description="null: the records are those of a clip.")
    clip_id: str | None
    info: StepsInfo
    total: int = Field(description="Number of matching records.")
    start: int = Field(description="Index of the first returned record among them.")
    stop: int = Field(
        description="Index after the last returned record; request more if it is below `total` and the requested end."
    )
    columns: dict[str, list[JsonValue]] = Field(
        description="Columns by name, all of the same length. Numbers that are not finite are null."
    )


class Saliency(Wire):
    """What the agent saw in a step, and the weight of each pixel in the score of its action."""

    run_id: str
    policy_step: int = Field(description="Training step of the policy.")
    step: int = Field(description="Number of actions before it; 0 is the reset.")
    seen: SeenPictures
    png: str = Field(description="The PNG that seen describes, in Base64.")


class EvaluationSaliency(Saliency):
    evaluation_id: str
    episode: int = Field(description="From 0.")


class ClipSaliency(Saliency):
    clip_id: str


class SaliencyUnderWay(Wire):
    """The episode is being replayed up to the step; request it again."""

    run_id: str
    evaluation_id: str | None = Field(None, description="Null: of a clip.")
    clip_id: str | None = Field(None, description="Null: of an evaluation.")


class OfferedAction(Wire):
    """An action, by its name and by its numbers as step records store them."""

    name: str
    action: list[float]


class OtherActions(Wire):
    """What can be tried instead of the action after a step of a recorded episode."""

    run_id: str
    evaluation_id: str | None = Field(description="Null: of a clip.")
    clip_id: str | None = Field(description="Null: of an evaluation.")
    episode: int = Field(description="From 0.")
    step: int = Field(description="Number of actions before it; 0 is the reset.")
    taken: OfferedAction = Field(description="The recorded action.")
    others: list[OfferedAction] = Field(description="Actions to choose from; any other of the space is valid, too.")
    space: Components = Field(description="The action space.")


class FutureCreate(Body):
    """Another action at a step of a clip."""

    step: int = Field(ge=0, le=1_000_000_000, description="Number of actions before it; 0 is the reset.")
    action: list[float] = Field(min_length=1, max_length=1_024, description="Its numbers, as in step records.")


class EpisodeFutureCreate(FutureCreate):
    """Another action at a step of an evaluation."""

    episode: int = Field(0, ge=0, le=1_000_000, description="From 0.")


class Future(Wire):
    """What would have happened after a step of a recorded episode with another action.

    Frame k of its video is step + k; frame 0 is the recorded step itself.
    """

    id: str
    run_id: str
    status: ClipStatus
    cause: str | None = Field(description="Why it failed.")
    evaluation_id: str | None = Field(description="Null: of a clip.")
    clip_id: str | None = Field(description="Null: of an evaluation.")
    episode: int = Field(description="From 0.")
    step: int = Field(description="Number of actions before the other action.")
    action: list[float] = Field(description="The other action.")
    greedy: bool = Field(description="Whether the policy took its most likely actions, as in the recorded episode.")
    outcome: FutureOutcome | None = Field(description="null while it is not ready.")
    video: VideoFacts | None
    video_url: str | None = Field(description="null while there is no video.")
    caption_height: int = Field(description="Pixels of the caption at the bottom of the video.")


class Policies(Wire):
    policies: list[KeptPolicy] = Field(description="By step.")
    greedy: bool = Field(
        description="Whether policies take their most likely actions in clips that do not say it, as in the run's "
        "evaluations during training."
    )
    film_bytes: int = Field(description="Size of the filmstrip's policies.")
    clip_bytes: int = Field(description="Size of the clips.")
    clip_limit_bytes: int = Field(description="Maximum size of the clips (RLVIZ_KEEP_CLIPS).")
    has_idle_time: bool = Field(
        description="Whether the machine has time for pictures that are not urgent: it has more processors than runs "
        "that train."
    )


class GrowthVideoCreate(Body):
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed that every policy plays with.")
    greedy: bool | None = Field(
        None,
        description="Take the most likely action instead of sampling; null: as the run evaluates during training.",
    )


class ClipCreate(Body):
    step: int = Field(ge=0, le=MAX_TIMESTEPS, description="The newest saved policy at or before this step.")
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed of the episode.")
    greedy: bool | None = Field(
        None,
        description="Take the most likely action instead of sampling; null: as the run evaluates during training.",
    )
    picture_only: bool = Field(False, description="Only a small picture of it, at the lowest priority.")


class Clip(Wire):
    """A video of one episode of a policy, or of several policies in turn (a growth video)."""

    id: str
    run_id: str
    kind: Literal["clip", "growth"]
    status: ClipStatus
    cause: str | None = Field(description="Why it failed.")
    step: int | None = Field(description="Training step of the policy that plays; null for a growth video.")
    seed: int
    greedy: bool
    episodes: list[PlayedEpisode] = Field(description="The episodes of the video: one, or several in a growth video.")
    video: VideoFacts | None
    steps: StepsFacts | None = Field(description="The step records of a clip; null for a growth video.")
    pictures: PicturesFacts | None = Field(description="The pictures that the agent saw; null if it sees none.")
    video_url: str | None = Field(description="null while there is no video.")
    thumbnail_url: str | None = Field(description="A small picture of the episode, kept after the video is deleted.")
    is_current: bool = Field(
        description="Whether the picture and the return are those of the policy that is kept for this step now. False "
        "after the run was rolled back and trained again, until the clip is made again; and for a growth video."
    )


class SliceAxis(Wire):
    place: int = Field(description="Index of the component in the observation, from 0.")
    name: str
    unit: str = Field(description="Empty if it has none.")
    low: float
    high: float


class RunValueSlice(Wire):
    """The policy's value over two components of the observation, with the others fixed at ``at``."""

    run_id: str
    step: int = Field(description="Training step of the policy.")
    x: SliceAxis
    y: SliceAxis
    at: list[float] = Field(description="The complete observation; its x and y components are ignored.")
    values: list[list[float | None]] = Field(
        description="64 rows, one for each y from the lowest, of 64 numbers, one for each x; null: not finite."
    )
    low: float = Field(description="Smallest value.")
    high: float = Field(description="Greatest value.")
    kind: Literal["value", "q"] = Field(
        description="value: V(s); q: the greatest Q(s, a), or for continuous actions that of the action without noise."
    )


class SliceUnderWay(Wire):
    """The slice is being computed; request it again."""

    run_id: str
    step: int


def view_steps_info(about: RecordsAbout, names: list[str]) -> StepsInfo:
    return StepsInfo(
        env_id=about.env_id,
        family=find_family_by_id(about.env_id),
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
