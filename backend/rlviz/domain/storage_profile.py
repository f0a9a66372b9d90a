"""StorageProfile: how much is stored of what is played, for each family of environments."""

from collections.abc import Mapping
from typing import Any

from pydantic import ByteSize, ConfigDict, Field, model_validator

from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.recording import ONLY_THE_LAST, Detail


class StorageProfile(LazyModel):
    """Step records of a run, and the pictures that belong to them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    detail: Detail = Field(
        Detail.STANDARD,
        description="How much is recorded, unless it is chosen for a run: off, minimal, standard or full.",
    )
    frames_every: int = Field(
        8,
        ge=1,
        le=1_000_000,
        description="At standard detail every so many frames are hashed; the last of an episode always is.",
    )
    pictures: bool = Field(
        True, description="Whether what the agent saw is kept beside the newest videos, where that are pictures."
    )
    max_bytes: ByteSize = Field(
        ByteSize(200_000_000), ge=1_000_000, description="Records of a run: above, the oldest go; no file grows above."
    )
    keep_frames_every: int = Field(
        100, ge=1, le=1_000_000, description="At full detail every so many frames are kept as pictures."
    )
    keep_frames_bytes: ByteSize = Field(
        ByteSize(20_000_000), ge=0, description="Frames kept as pictures, of a run: above, the oldest go. 0 keeps none."
    )
    most_cost: float = Field(
        0.25,
        gt=0,
        description="Time that recording may take, as a share of the time without it: above, the detail is lowered.",
    )
    most_cost_in_training: float = Field(
        0.02, gt=0, description="The same where a policy is trained meanwhile, of the time of training."
    )

    @model_validator(mode="before")
    @classmethod
    def _records_or_none(cls, value: Any) -> Any:
        """``records`` said so before there were details."""
        if isinstance(value, dict) and "records" in value:
            records, rest = value["records"], {name: one for name, one in value.items() if name != "records"}
            return rest if records else {**rest, "detail": Detail.OFF}
        return value

    def wanted(self, detail: Detail | None = None) -> StepsWanted | None:
        """What to record at ``detail``, or at that of the profile; None: nothing."""
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
        """What is kept at ``detail``, in a sentence."""
        every = "every frame" if self.frames_every == 1 else f"one frame in {self.frames_every:,}"
        match detail:
            case Detail.OFF:
                return "Nothing but metrics and videos."
            case Detail.MINIMAL:
                return (
                    "Observation, action, reward and end of each step, and the hash of the last frame of an episode; "
                    "while a policy trains, an episode of each evaluation, and of random actions one in 100."
                )
            case Detail.STANDARD:
                return (
                    f"Also what the policy made of each step, the hash of {every}, and pictures of ends and reward "
                    "spikes; of random actions, one episode in ten."
                )
            case Detail.FULL:
                return (
                    f"Also the hash of every frame, and a picture of one in {self.keep_frames_every:,}; of random "
                    "actions, every episode."
                )


class RecordingChoice(LazyModel):
    """``recording.json``: how a run is recorded, where that differs from what its family has by default."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    detail: Detail | None = Field(None, description="Chosen for this run; null: that of the profile.")
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
    "own": DEFAULT,
}
"""Default profiles by family. To hash a frame of 600 × 400 takes about as long as to render it, so only some of them
are hashed; those of Atari are smaller. ``python -m benchmarks records`` measures what records add to an evaluation."""
