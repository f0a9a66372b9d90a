"""Clips: one episode of a kept policy, filmed on demand; and growth videos, which show how a run learned.

Value slices and saliency maps are requested and stored in the same way, since the worker that films has the policies
loaded.

Value slices: what a policy expects over two components of the observation, with the others held constant.

Saliency: how much each pixel of what an agent saw weighs in a number that its policy gives.

The kinds of policies that a run keeps.
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
"""Observations with more numbers than this are treated as pictures, for which two numbers say nothing."""


class SlicePlan(LazyModel):
    """Which slice: two places in the observation, and where the others are held."""

    model_config = ConfigDict(frozen=True)

    x: int = Field(ge=0)
    y: int = Field(ge=0)
    at: list[float] | None = Field(None, description="The whole observation; null: the middle of its bounds.")
    evaluation_id: str | None = Field(
        None, description="Its step records say how far a component without bounds reaches; null: nothing is known."
    )

    def slice_id(self, step: int) -> str:
        """Id of the slice for the policy at ``step``. The values of x and y themselves in ``at`` make no difference."""
        held = [number for place, number in enumerate(self.at or []) if place not in (self.x, self.y)]
        text = f"{self.at is None} {held} {self.evaluation_id}"
        digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return f"slice_{step}_{self.x}_{self.y}_{digest}"


class SliceRange(LazyModel):
    """How far a slice reaches along one component."""

    model_config = ConfigDict(frozen=True)

    low: float
    high: float


class ValueSlice(LazyModel):
    """What the worker has read. ``values``: one row for each y, from the lowest; in it one number for each x."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["value", "q"]
    x: SliceRange
    y: SliceRange
    at: list[float]
    values: list[list[float | None]]
    low: float
    high: float


class Score(StrEnum):
    """The number that a saliency map is of."""

    LOGIT = "logit"  # of the chosen action, before the softmax
    Q = "q_value"  # Q(s, a) of the chosen action
    VALUE = "value"  # V(s): where an actor-critic's actions are continuous, no number stands for one of them


class SeenPictures(LazyModel):
    """What the agent saw, as one PNG: its pictures beside each other, the oldest first. With a ``score``, below each of
    them a grey picture of how much each pixel weighs in it."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    pictures: int = Field(ge=1)
    score: Score | None = Field(None, description="What the saliency maps are of; null: there are none.")


class SaliencyPlan(LazyModel):
    """Of which step of a recorded evaluation or clip: episode and step are counted from 0, and step 0 is the reset."""

    model_config = ConfigDict(frozen=True)

    evaluation_id: str | None = Field(None, description="Null: it is of a clip.")
    clip_id: str | None = Field(None, description="Null: it is of an evaluation.")
    episode: int = Field(0, ge=0, description="Of a clip: 0, its only one.")
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
    """What was made of a SaliencyPlan."""

    model_config = ConfigDict(frozen=True)

    seen: SeenPictures
    png: str = Field(description="The PNG that ``seen`` describes, in Base64.")


_CLIP_ID = re.compile(r"(?:clip_[0-9]{1,15}|growth)_[0-9]{1,10}_(?:greedy|sampled)")
_SLICE_ID = re.compile(r"slice_[0-9]{1,15}_[0-9]{1,4}_[0-9]{1,4}_[0-9a-f]{16}")
_SALIENCY_ID = re.compile(
    r"saliency_(?:[0-9]{8}-[0-9]{6}-[0-9]{3}|clip_[0-9]{1,15}_[0-9]{1,10}_(?:greedy|sampled))_[0-9]{1,7}_[0-9]{1,10}"
)

Kind = Literal["clip", "growth", "slice", "saliency"]

MAX_CLIP_STEPS = 3_000
"""A clip ends here if its episode goes on: a minute of most environments, and quick to make."""


class ClipStatus(StrEnum):
    WAITING = "waiting"  # asked for; a worker plays it next, or already does
    READY = "ready"  # the video is there, and the step records of a clip
    RETIRED = "retired"  # they made room for newer ones, or there never was more than a picture; ask, and they are made
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
    keep_bytes: int = Field(description="What all clips of the run may take together.")
    picture_only: bool = Field(False, description="Only a small picture is wanted, after everything else.")
    plan: SlicePlan | None = Field(None, description="Of a slice.")
    saliency: SaliencyPlan | None = None


class PlayedEpisode(LazyModel):
    """One episode of a clip."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Training step of the policy that plays.")
    episode_return: float = Field(description="Undiscounted sum of rewards, as far as it was played.")
    episode_length: int = Field(ge=0, description="Environment steps.")
    terminated: bool = Field(description="The environment reached a terminal state.")
    truncated: bool = Field(description="The time limit cut the episode off.")
    cut: bool = Field(description="The clip ends before the episode does.")
    first_frame: int = Field(ge=0, description="Frame of the video, from 0, at which it begins.")


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


def clip_id(step: int, seed: int, greedy: bool) -> str:
    return f"clip_{step}_{seed}_{_how(greedy)}"


def growth_id(seed: int, greedy: bool) -> str:
    return f"growth_{seed}_{_how(greedy)}"


def check_clip_id(text: str) -> str:
    """Return ``text`` if it can be a clip's id, else raise ArtifactNotFound."""
    if not is_clip_id(text):
        raise ArtifactNotFound(f"There is no clip {text[:80]!r}.")
    return text


def is_clip_id(text: str) -> bool:
    return _CLIP_ID.fullmatch(text) is not None or is_reading_id(text)


def is_reading_id(text: str) -> bool:
    """Whether it is that of numbers which were read of a policy, and not of a video."""
    return _SLICE_ID.fullmatch(text) is not None or _SALIENCY_ID.fullmatch(text) is not None


def _how(greedy: bool) -> str:
    return "greedy" if greedy else "sampled"


class PolicyKind(StrEnum):
    LATEST = "latest"  # the newest saved state of training
    BEST = "best"  # the one that periodic evaluation found best
    FILM = "film"  # weights only, from a step of training, for the filmstrip
    CHECKPOINT = "checkpoint"  # one of the newest checkpoints


class KeptPolicy(LazyModel):
    """A policy on disk. What is kept of one step under several names is the same policy, listed once."""

    model_config = ConfigDict(frozen=True)

    step: int = Field(ge=0, description="Environment steps it was trained for.")
    kinds: list[PolicyKind] = Field(description="What it is kept as.")
    file: str = Field(description="The file that plays, relative to the run folder: the one that stays longest.")
    size_bytes: int = Field(ge=0, description="Of that file.")
