"""An evaluation: the request, its results and its files; also whether a replay reproduces its step records."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from rlviz.domain.config import RecordedSeed
from rlviz.domain.ids import Instant
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_EPISODES, DEFAULT_EVALUATION_SEED, LIMITS
from rlviz.domain.recording import Detail, RecordingFacts
from rlviz.domain.versions import EVALUATION, Format, VersionedDocument, version_field

EpisodeCount = Annotated[
    int,
    Field(
        ge=LIMITS.evaluation_episodes.minimum,
        le=LIMITS.evaluation_episodes.maximum,
        strict=True,
        description="Episodes to play.",
    ),
]


class EvaluationStatus(StrEnum):
    QUEUED = "queued"  # waiting for a checkpoint or a free slot
    RUNNING = "running"  # episodes are being played
    COMPLETED = "completed"  # summary and video exist
    FAILED = "failed"  # the cause says why; there is no video

    @property
    def is_final(self) -> bool:
        return self in (EvaluationStatus.COMPLETED, EvaluationStatus.FAILED)


class PolicyChoice(StrEnum):
    LATEST = "latest"  # the final model, else the newest checkpoint
    BEST = "best"  # the one that periodic evaluation found best


class BestPolicy(LazyModel):
    """The policy in ``best_model.zip`` and its results on fresh seeds, which did not select it; stored in that file."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Environment steps it was trained for.")
    mean_return: float = Field(description="Mean return of the policy over the fresh episodes.")
    std_return: float = Field(description="Their population standard deviation.")
    episodes: int = Field(ge=1, description="Number of fresh episodes.")


class Origin(StrEnum):
    """Why an evaluation exists."""

    ASKED = "asked"  # the user requested it
    RUN = "run"  # the run recorded some of its training episodes, without a video
    PLAYED = "played"  # a person played these episodes


class EpisodeResult(LazyModel):
    """One evaluated episode."""

    model_config = ConfigDict(frozen=True)

    index: int = Field(ge=1, description="1 for the first episode.")
    episode_return: float = Field(description="Undiscounted sum of rewards.")
    episode_length: int = Field(ge=0, description="Environment steps.")
    terminated: bool = Field(description="The environment reached a terminal state.")
    truncated: bool = Field(description="The time limit cut the episode off.")
    seed: int = Field(description="Seed the episode was reset with.")
    first_frame: int = Field(ge=0, description="Index of its first frame in the video, from 0.")


class Spread(LazyModel):
    """Mean, population standard deviation, minimum and maximum over the episodes."""

    model_config = ConfigDict(frozen=True)

    mean: float
    std: float
    min: float
    max: float


CAPTION_HEIGHT = 28
"""Height in pixels of the caption at the bottom of a video; even, so that a picture of even height stays even."""


class VideoFacts(LazyModel):
    """Properties of a recorded video. ``file`` is relative to the run folder."""

    model_config = ConfigDict(frozen=True)

    file: str
    width: int = Field(description="Pixels.")
    height: int = Field(description="Pixels, caption strip included.")
    fps: float = Field(description="Frames per second of the video.")
    frames: int
    duration: float = Field(description="Seconds.")
    codec: str = "h264"
    pix_fmt: str = "yuv420p"
    size_bytes: int


class StepsFacts(LazyModel):
    """The file of step records. ``file`` is relative to the run folder."""

    model_config = ConfigDict(frozen=True)

    file: str
    rows: int = Field(description="Number of records: one more per episode than it has steps.")
    size_bytes: int
    blake2b: str = Field(description="Hash of the file, to detect changes.")
    cut: bool = Field(description="The file reached its size limit: later steps were not recorded.")


class PicturesFacts(LazyModel):
    """Pictures of what the agent saw, stored in vertical strips. ``file`` is relative to the run folder.

    The picture for frame n of the video is number n % ``pictures_a_strip`` from the top in strip n //
    ``pictures_a_strip``.
    """

    model_config = ConfigDict(frozen=True)

    file: str
    width: int = Field(description="Pixels of one picture.")
    height: int = Field(description="Pixels of one picture.")
    pictures: int = Field(description="One per frame of the video, unless the file was cut.")
    pictures_a_strip: int
    seen_together: int = Field(description="Stacked pictures of one observation; the newest is kept.")
    size_bytes: int
    cut: bool = Field(description="The file reached its size limit: later pictures were not kept.")


class EvaluationSummary(LazyModel):
    """The result of a completed evaluation."""

    model_config = ConfigDict(frozen=True)

    episodes: list[EpisodeResult] = Field(
        description="Empty for a video from a foreign program that did not describe its episodes."
    )
    episode_return: Spread | None = Field(description="Null without episodes.")
    episode_length: Spread | None = Field(description="Null without episodes.")
    terminated: int = Field(description="Episodes that ended in a terminal state.")
    truncated: int = Field(description="Episodes that the time limit cut off.")
    video: VideoFacts | None
    steps: StepsFacts | None = None
    pictures: PicturesFacts | None = Field(None, description="Null if the agent sees no pictures, or none were kept.")
    recording: RecordingFacts | None = Field(None, description="Null if no steps were recorded.")


class StepsWanted(LazyModel):
    """How much of each step an evaluation records."""

    model_config = ConfigDict(frozen=True)

    frames_every: int = Field(1, ge=1, description="Every n-th frame is hashed.")
    max_bytes: int = Field(description="Size at which recording stops.")
    pictures: bool = Field(False, description="Also keep pictures that the agent saw, up to the same size.")
    detail: Detail = Detail.STANDARD
    keep_frames_every: int = Field(100, ge=1, description="At full detail, every n-th frame is kept as a picture.")
    keep_frames_bytes: int = Field(0, ge=0, description="Bytes of frames kept as pictures; 0 keeps none.")
    most_cost: float | None = Field(
        None, gt=0, description="Maximum time for recording, as a share of the time without it; null: no limit."
    )


class EvaluationRecord(VersionedDocument):
    """``eval/<id>.json``: the service writes it on request, the evaluator updates it."""

    model_config = ConfigDict(frozen=True)
    format: ClassVar[Format] = EVALUATION

    schema_version: int = version_field(EVALUATION)
    id: str
    run_id: str
    origin: Origin = Origin.ASKED
    status: EvaluationStatus = EvaluationStatus.QUEUED
    cause: str | None = None
    created_at: Instant
    started_at: Instant | None = None
    ended_at: Instant | None = None
    episodes: int = Field(DEFAULT_EPISODES, ge=1, le=LIMITS.scored_episodes.maximum)
    seed: RecordedSeed = DEFAULT_EVALUATION_SEED
    deterministic: bool = True
    policy: PolicyChoice = PolicyChoice.LATEST
    video: bool = True
    steps: StepsWanted | None = None
    checkpoint: str | None = Field(default=None, description="Policy file, relative to the run folder.")
    checkpoint_step: int | None = None
    episodes_done: int = 0
    summary: EvaluationSummary | None = None


class VerificationStatus(StrEnum):
    RUNNING = "running"  # waits for a worker, or the episodes are being played again
    COMPLETED = "completed"  # all records were compared, or a difference was found
    FAILED = "failed"  # the cause says why


class Difference(LazyModel):
    """The first record of a replay that differs, and its first column that does."""

    model_config = ConfigDict(frozen=True)

    episode: int
    index: int
    column: str


class Verification(LazyModel):
    """``eval/<id>.verify.json``: the service writes it on request, the worker updates it."""

    model_config = ConfigDict(frozen=True)

    status: VerificationStatus = VerificationStatus.RUNNING
    film: bool = Field(False, description="Whether the replay is filmed; if identical, there is a video.")
    identical: bool | None = Field(None, description="Null until it is completed.")
    steps: int = Field(0, description="Records compared so far.")
    first_difference: Difference | None = None
    cause: str | None = Field(None, description="Why it failed, or what differs outside the steps.")
