"""Clips: one episode of a kept policy, filmed on demand; growth videos, which show how a run learned.

Value slices (what a policy expects over two components of the observation) and saliency maps (how much each pixel
weighs) are requested and stored in the same way, because the worker that films has the policies loaded. So are other
futures: what would have happened after a step of a recorded episode with another action.
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from rlviz.domain.config import Seed
from rlviz.domain.errors import ArtifactNotFound
from rlviz.domain.evaluation import PicturesFacts, StepsFacts, VideoFacts
from rlviz.domain.lazy_model import LazyModel

RESOLUTION = 64
"""Number of points along each of the two components."""

MOST_COMPONENTS = 1_024
"""Larger observations are treated as pictures, which two components cannot describe."""


class SlicePlan(LazyModel):
    """A request for a slice: two components of the observation, and the values that hold the others."""

    model_config = ConfigDict(frozen=True)

    x: int = Field(ge=0)
    y: int = Field(ge=0)
    at: list[float] | None = Field(None, description="The whole observation; null: the middle of its bounds.")
    evaluation_id: str | None = Field(
        None, description="Its step records give the range of unbounded components; null: unknown."
    )

    def slice_id(self, step: int) -> str:
        """Return the id of the slice for the policy at ``step``. The values of x and y in ``at`` do not matter."""
        held = [number for place, number in enumerate(self.at or []) if place not in (self.x, self.y)]
        text = f"{self.at is None} {held} {self.evaluation_id}"
        digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return f"slice_{step}_{self.x}_{self.y}_{digest}"


class SliceRange(LazyModel):
    """Range of a slice along one component."""

    model_config = ConfigDict(frozen=True)

    low: float
    high: float


class ValueSlice(LazyModel):
    """The values that the worker read. ``values`` has shape (points, points): one row per y, ascending; one column per
    x."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["value", "q"]
    x: SliceRange
    y: SliceRange
    at: list[float]
    values: list[list[float | None]]
    low: float
    high: float


class Score(StrEnum):
    """The number that a saliency map explains."""

    LOGIT = "logit"  # of the chosen action, before the softmax
    Q = "q_value"  # Q(s, a) of the chosen action
    VALUE = "value"  # V(s): with continuous actions, an actor-critic has no number for one action


class SeenPictures(LazyModel):
    """What the agent saw, as one PNG: its pictures side by side, oldest first. With a ``score``, a grey saliency map
    lies below each."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    pictures: int = Field(ge=1)
    score: Score | None = Field(None, description="The number that the saliency maps explain; null: no maps.")


class SaliencyPlan(LazyModel):
    """The step of a recorded evaluation or clip to explain; episodes and steps count from 0, and step 0 is the
    reset."""

    model_config = ConfigDict(frozen=True)

    evaluation_id: str | None = Field(None, description="Null: a clip.")
    clip_id: str | None = Field(None, description="Null: an evaluation.")
    episode: int = Field(0, ge=0, description="0 for a clip, which has one episode.")
    index: int = Field(ge=0)

    @model_validator(mode="after")
    def _is_of_one(self) -> Self:
        if (self.evaluation_id is None) == (self.clip_id is None):
            raise ValueError("Give evaluation_id or clip_id, and not both.")
        return self

    @property
    def saliency_id(self) -> str:
        whose = self.clip_id or str(self.evaluation_id).removeprefix("eval_")
        return f"saliency_{whose}_{self.episode}_{self.index}"


class StepSaliency(LazyModel):
    """The result of a SaliencyPlan."""

    model_config = ConfigDict(frozen=True)

    seen: SeenPictures
    png: str = Field(description="The PNG that ``seen`` describes, in Base64.")


class FuturePlan(LazyModel):
    """The step of a recorded evaluation or clip at which another action is taken; counted as in SaliencyPlan."""

    model_config = ConfigDict(frozen=True)

    evaluation_id: str | None = Field(None, description="Null: a clip.")
    clip_id: str | None = Field(None, description="Null: an evaluation.")
    episode: int = Field(0, ge=0, description="0 for a clip, which has one episode.")
    index: int = Field(ge=0)
    action: list[float] = Field(description="The numbers of the other action; one for a Discrete space.")

    @model_validator(mode="after")
    def _is_of_one(self) -> Self:
        if (self.evaluation_id is None) == (self.clip_id is None):
            raise ValueError("Give evaluation_id or clip_id, and not both.")
        return self

    @property
    def future_id(self) -> str:
        """The same for the same step and action, so that each future is played once."""
        whose = self.clip_id or str(self.evaluation_id).removeprefix("eval_")
        digest = hashlib.blake2b(repr(self.action).encode(), digest_size=8).hexdigest()
        return f"future_{whose}_{self.episode}_{self.index}_{digest}"


class FutureOutcome(LazyModel):
    """The result of the other future and of the recorded one. Returns and lengths count from the step on."""

    model_config = ConfigDict(frozen=True)

    episode_return: float = Field(description="Sum of rewards of the other future.")
    episode_length: int = Field(ge=1, description="Its environment steps, the other action included.")
    terminated: bool = Field(description="The environment reached a terminal state.")
    truncated: bool = Field(description="The time limit cut the episode off.")
    cut: bool = Field(description="The other future was not played to its end.")
    recorded_return: float | None = Field(
        description="Sum of rewards of the recorded future, over as many steps if the other one was cut; null: it was "
        "not recorded to its end."
    )
    recorded_length: int = Field(ge=1, description="Recorded steps that this sum is over.")


_CLIP_ID = re.compile(r"(?:clip_[0-9]{1,15}|growth)_[0-9]{1,10}_(?:greedy|sampled)")
_SLICE_ID = re.compile(r"slice_[0-9]{1,15}_[0-9]{1,4}_[0-9]{1,4}_[0-9a-f]{16}")
_SALIENCY_ID = re.compile(
    r"saliency_(?:[0-9]{8}-[0-9]{6}-[0-9]{3}|clip_[0-9]{1,15}_[0-9]{1,10}_(?:greedy|sampled))_[0-9]{1,7}_[0-9]{1,10}"
)

_FUTURE_ID = re.compile(
    r"future_(?:[0-9]{8}-[0-9]{6}-[0-9]{3}|clip_[0-9]{1,15}_[0-9]{1,10}_(?:greedy|sampled))_[0-9]{1,7}_[0-9]{1,10}"
    r"_[0-9a-f]{16}"
)

Kind = Literal["clip", "growth", "slice", "saliency", "future"]

MAX_CLIP_STEPS = 3_000
"""Maximum length of a clip: a minute in most environments, and quick to render."""

MAX_FUTURE_STEPS = 3_000
"""Maximum number of steps of the other future."""


class ClipStatus(StrEnum):
    WAITING = "waiting"  # requested; a worker plays it next, or already does
    READY = "ready"  # the video exists, and the step records of a clip
    RETIRED = "retired"  # deleted for newer ones, or only a picture was made; a request makes them again
    FAILED = "failed"  # the cause says why


class ClipRequest(LazyModel):
    """A request to the worker: a file in ``film/clips/wanted``.

    ``steps`` are those of the policies to play, one for a clip; ``policies`` are their files, relative to the folder.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    kind: Kind = "clip"
    seed: Seed
    greedy: bool
    steps: list[int]
    policies: list[str]
    keep_bytes: int = Field(description="Bytes that all clips of the run may use.")
    picture_only: bool = Field(False, description="Only a thumbnail is wanted, after all other requests.")
    plan: SlicePlan | None = Field(None, description="Plan of a slice.")
    saliency: SaliencyPlan | None = None
    future: FuturePlan | None = None


class PlayedEpisode(LazyModel):
    """One episode of a clip."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Training step of the policy that plays.")
    episode_return: float = Field(description="Undiscounted sum of rewards up to the end of the clip.")
    episode_length: int = Field(ge=0, description="Environment steps.")
    terminated: bool = Field(description="The environment reached a terminal state.")
    truncated: bool = Field(description="The time limit cut the episode off.")
    cut: bool = Field(description="The clip ends before the episode does.")
    first_frame: int = Field(ge=0, description="Index of its first frame in the video, from 0.")


class ClipRecord(LazyModel):
    """``film/clips/<id>.json``: the result of a request."""

    model_config = ConfigDict(frozen=True)

    schema_version: Literal[1] = 1
    id: str
    kind: Kind = "clip"
    seed: Seed
    greedy: bool
    cause: str | None = None
    episodes: list[PlayedEpisode] = Field([])
    video: VideoFacts | None = None
    steps: StepsFacts | None = None
    pictures: PicturesFacts | None = None
    future: FuturePlan | None = Field(None, description="What was requested, if it is another future.")
    outcome: FutureOutcome | None = Field(None, description="How it went.")


def clip_id(step: int, seed: int, greedy: bool) -> str:
    return f"clip_{step}_{seed}_{_how(greedy)}"


def growth_id(seed: int, greedy: bool) -> str:
    return f"growth_{seed}_{_how(greedy)}"


def check_clip_id(text: str) -> str:
    """Return ``text`` if it is a valid clip id; raise ArtifactNotFound otherwise."""
    if not is_clip_id(text):
        raise ArtifactNotFound(f"There is no clip {text[:80]!r}.")
    return text


def is_clip_id(text: str) -> bool:
    return _CLIP_ID.fullmatch(text) is not None or is_reading_id(text) or is_future_id(text)


def is_reading_id(text: str) -> bool:
    """Whether the id belongs to numbers read from a policy (slice or saliency map), not to a video."""
    return _SLICE_ID.fullmatch(text) is not None or _SALIENCY_ID.fullmatch(text) is not None


def is_future_id(text: str) -> bool:
    """Whether the id belongs to another future of a recorded episode."""
    return _FUTURE_ID.fullmatch(text) is not None


def _how(greedy: bool) -> str:
    return "greedy" if greedy else "sampled"


class PolicyKind(StrEnum):
    LATEST = "latest"  # the newest saved state of training
    BEST = "best"  # the one that periodic evaluation found best
    FILM = "film"  # weights of one training step, for the filmstrip
    CHECKPOINT = "checkpoint"  # one of the newest checkpoints


class KeptPolicy(LazyModel):
    """A policy on disk. If several files hold the policy of one step, it is listed once."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Environment steps it was trained for.")
    kinds: list[PolicyKind] = Field(description="Reasons why it is kept.")
    file: str = Field(description="File of the policy, relative to the run folder: the one that stays longest.")
    size_bytes: int = Field(ge=0, description="Size of that file.")
