"""The filmstrip of a run: policies that are kept, and clips of what they do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Body, Wire
from rlviz.domain.clips import ClipStatus, PlayedEpisode
from rlviz.domain.config import Seed
from rlviz.domain.evaluation import PicturesFacts, StepsFacts, VideoFacts
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED, MAX_TIMESTEPS
from rlviz.domain.policies import KeptPolicy


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
