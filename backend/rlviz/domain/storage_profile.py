"""StorageProfile: how much is stored for each family of environments."""

from collections.abc import Mapping
from typing import Any

from pydantic import ByteSize, ConfigDict, Field, model_validator

from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.recording import ONLY_THE_LAST, Detail


class StorageProfile(LazyModel):
    """Which step records and pictures of a run are stored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    detail: Detail = Field(
        Detail.STANDARD,
        description="Default level of recording: off, minimal, standard or full.",
    )
    frames_every: int = Field(
        8,
        ge=1,
        le=1_000_000,
        description="At standard detail, every n-th frame and the last one of an episode are hashed.",
    )
    pictures: bool = Field(True, description="Whether pictures that the agent saw are kept beside the newest videos.")
    max_bytes: ByteSize = Field(
        ByteSize(200_000_000),
        ge=1_000_000,
        description="Limit for the records of a run: beyond it, the oldest are deleted.",
    )
    keep_frames_every: int = Field(
        100, ge=1, le=1_000_000, description="At full detail, every n-th frame is kept as a picture."
    )
    keep_frames_bytes: ByteSize = Field(
        ByteSize(20_000_000),
        ge=0,
        description="Limit for kept frames of a run: beyond it, the oldest are deleted. 0 keeps none.",
    )
    most_cost: float = Field(
        0.25,
        gt=0,
        description="Maximum time for recording, as a share of the time without it; beyond it, detail is lowered.",
    )
    most_cost_in_training: float = Field(
        0.02, gt=0, description="The same during training, as a share of the training time."
    )

    @model_validator(mode="before")
    @classmethod
    def _records_or_none(cls, value: Any) -> Any:
        """Convert the older setting ``records`` to a detail."""
        if isinstance(value, dict) and "records" in value:
            records, rest = value["records"], {name: one for name, one in value.items() if name != "records"}
            return rest if records else {**rest, "detail": Detail.OFF}
        return value

    def wanted(self, detail: Detail | None = None) -> StepsWanted | None:
        """Return what to record at ``detail`` (default: that of the profile); None: nothing."""
        chosen = detail or self.detail
        if chosen is Detail.OFF:
            return None
        hashed = {Detail.MINIMAL: ONLY_THE_LAST, Detail.FULL: 1}
        return StepsWanted(
            detail=chosen,
            frames_every=hashed.get(chosen, self.frames_every),
            max_bytes=self.max_bytes,
            pictures=self.pictures and chosen.is_at_least(Detail.STANDARD),
            keep_frames_every=self.keep_frames_every,
            keep_frames_bytes=self.keep_frames_bytes,
            most_cost=self.most_cost,
        )

    def keeps(self, detail: Detail) -> str:
        """Return a sentence that says what is kept at ``detail``."""
        every = "every frame" if self.frames_every == 1 else f"one frame in {self.frames_every:,}"
        match detail:
            case Detail.OFF:
                return "Only metrics and videos."
            case Detail.MINIMAL:
                return (
                    "Observation, action, reward and end of each step, and the hash of the last frame of an episode; "
                    "while a policy trains, an episode of each evaluation, and of random actions one in 100."
                )
            case Detail.STANDARD:
                return (
                    f"Also the policy's output for each step, the hash of {every}, and pictures of ends and reward "
                    "spikes; of random actions, one episode in ten."
                )
            case Detail.FULL:
                return (
                    f"Also the hash of every frame, and a picture of one in {self.keep_frames_every:,}; of random "
                    "actions, every episode."
                )


class RecordingChoice(LazyModel):
    """``recording.json``: how a run is recorded, if that differs from the default of its family."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    detail: Detail | None = Field(None, description="The level chosen for this run; null: that of the profile.")
    profile: StorageProfile = StorageProfile()

    @property
    def effective(self) -> Detail:
        return self.detail or self.profile.detail


DEFAULT = StorageProfile()
DEFAULT_PROFILES: Mapping[str, StorageProfile] = {
    "toy-text": StorageProfile(frames_every=4),
    "classic-control": DEFAULT,
    "box2d": DEFAULT,
    "atari": StorageProfile(frames_every=1),
    "gameboy": StorageProfile(frames_every=1),
    "own": DEFAULT,
}
"""Default profiles by family. Hashing a frame of 600 × 400 takes about as long as rendering it, so only some are
hashed; frames of Atari and Game Boy are smaller. ``python -m benchmarks records`` measures the cost of recording."""
