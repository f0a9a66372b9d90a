"""Clips: one episode of a kept policy, filmed on demand; and growth videos, which show how a run learned.

Value slices and saliency maps are requested and stored in the same way, since the worker that films has the policies
loaded.
"""

import re
from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from rlviz.domain.config import Seed
from rlviz.domain.errors import ArtifactNotFound
from rlviz.domain.evaluation import PicturesFacts, StepsFacts, VideoFacts
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.saliency import SaliencyPlan
from rlviz.domain.value_slice import SlicePlan

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
