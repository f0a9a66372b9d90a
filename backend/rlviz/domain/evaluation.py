"""An evaluation: what was asked, what came out, and where the video is.

Verification: whether an evaluation that is played again gives the same step records.
"""

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
    QUEUED = "queued"  # waits for a checkpoint or a free slot
    RUNNING = "running"  # episodes are being played
    COMPLETED = "completed"  # summary and video are there
    FAILED = "failed"  # the cause says why; no video is left behind

    @property
    def is_final(self) -> bool:
        return self in (EvaluationStatus.COMPLETED, EvaluationStatus.FAILED)


class PolicyChoice(StrEnum):
    LATEST = "latest"  # the final model, else the newest checkpoint
    BEST = "best"  # the one that periodic evaluation kept


class BestPolicy(LazyModel):
    """Which policy ``best_model.zip`` holds, and how it did on seeds that chose nothing; kept within that file."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Environment steps it was trained for.")
    mean_return: float = Field(description="Mean return of the greedy policy over the fresh episodes.")
    std_return: float = Field(description="Their population standard deviation.")
    episodes: int = Field(ge=1, description="How many fresh episodes there were.")


class Origin(StrEnum):
    """How an evaluation came to be."""

    ASKED = "asked"  # somebody asked for it
    RUN = "run"  # its run recorded some of its episodes while it went on, without a video
    PLAYED = "played"  # a person has played these episodes


class EpisodeResult(LazyModel):
    """One evaluated episode."""

    model_config = ConfigDict(frozen=True)

    index: int = Field(ge=1, description="1 for the first episode.")
    episode_return: float = Field(description="Undiscounted sum of rewards.")
    episode_length: int = Field(ge=0, description="Environment steps.")
    terminated: bool = Field(description="The environment reached a terminal state.")
    truncated: bool = Field(description="The time limit cut the episode off.")
    seed: int = Field(description="Seed the episode was reset with.")
    first_frame: int = Field(ge=0, description="Frame of the video, from 0, at which the episode begins.")


class Spread(LazyModel):
    """Mean, population standard deviation, minimum and maximum over the episodes."""

    model_config = ConfigDict(frozen=True)

    mean: float
    std: float
    min: float
    max: float


class VideoFacts(LazyModel):
    """What the recorder wrote. ``file`` is relative to the run folder."""

    model_config = ConfigDict(frozen=True)

    file: str
    width: int = Field(description="Pixels.")
    height: int = Field(description="Pixels, caption strip included.")
    fps: float = Field(description="Frames a second; the environment's own rate.")
    frames: int
    duration: float = Field(description="Seconds.")
    codec: str = "h264"
    pix_fmt: str = "yuv420p"
    size_bytes: int


class StepsFacts(LazyModel):
    """The file of step records. ``file`` is relative to the run folder."""

    model_config = ConfigDict(frozen=True)

    file: str
    rows: int = Field(description="Records: one more an episode than it has steps.")
    size_bytes: int
    blake2b: str = Field(description="Hash of the file, by which a change is found.")
    cut: bool = Field(description="The file reached the size it may have: later steps were not recorded.")


class PicturesFacts(LazyModel):
    """What the agent saw. The picture that belongs to frame n of the video is in strip n // ``pictures_a_strip``, the
    n % ``pictures_a_strip``-th from above. ``file`` is relative to the run folder."""

    model_config = ConfigDict(frozen=True)

    file: str
    width: int = Field(description="Pixels of one picture.")
    height: int = Field(description="Pixels of one picture.")
    pictures: int = Field(description="As many as the video has frames, unless they were cut.")
    pictures_a_strip: int
    seen_together: int = Field(description="Pictures of one observation, of which the newest is kept.")
    size_bytes: int
    cut: bool = Field(description="The file reached the size it may have: later pictures were not kept.")


class EvaluationSummary(LazyModel):
    """The result of a completed evaluation."""

    model_config = ConfigDict(frozen=True)

    episodes: list[EpisodeResult] = Field(
        description="Empty for a video of a program of the user's own that said nothing of what is in it."
    )
    episode_return: Spread | None = Field(description="Null without episodes.")
    episode_length: Spread | None = Field(description="Null without episodes.")
    terminated: int = Field(description="Episodes that ended in a terminal state.")
    truncated: int = Field(description="Episodes that the time limit cut off.")
    video: VideoFacts | None
    steps: StepsFacts | None = None
    pictures: PicturesFacts | None = Field(
        None, description="Null where the agent sees no pictures, or none were kept."
    )
    recording: RecordingFacts | None = Field(None, description="Null where no steps were recorded.")


class StepsWanted(LazyModel):
    """How much of each step an evaluation records."""

    model_config = ConfigDict(frozen=True)

    frames_every: int = Field(1, ge=1, description="Every so many frames are hashed.")
    max_bytes: int = Field(description="From this size on the file takes no more records.")
    pictures: bool = Field(False, description="What the agent saw is kept too, where that are pictures; as many bytes.")
    detail: Detail = Detail.STANDARD
    keep_frames_every: int = Field(100, ge=1, description="At full detail one frame in so many is kept as a picture.")
    keep_frames_bytes: int = Field(0, ge=0, description="Of frames kept as pictures; 0 keeps none.")
    most_cost: float | None = Field(
        None, gt=0, description="Time that recording may take, as a share of the time without it; null: any."
    )


class EvaluationRecord(VersionedDocument):
    """``eval/<id>.json``: written by the service when asked, replaced by the evaluator as it goes."""

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
    """The first record that came out otherwise, and the first of its columns that did."""

    model_config = ConfigDict(frozen=True)

    episode: int
    index: int
    column: str


class Verification(LazyModel):
    """``eval/<id>.verify.json``: written by the service when asked, replaced by the worker."""

    model_config = ConfigDict(frozen=True)

    status: VerificationStatus = VerificationStatus.RUNNING
    film: bool = Field(False, description="Whether it is filmed as well: there is a video if it is identical.")
    identical: bool | None = Field(None, description="Null before it is completed.")
    steps: int = Field(0, description="Records that were compared so far.")
    first_difference: Difference | None = None
    cause: str | None = Field(None, description="Why it failed, or what differs that no step shows.")
