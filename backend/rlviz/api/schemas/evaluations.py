"""Evaluations of a run."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Body, Wire
from rlviz.domain.config import Seed
from rlviz.domain.evaluation import (
    EpisodeCount,
    EvaluationStatus,
    EvaluationSummary,
    Origin,
    PolicyChoice,
)
from rlviz.domain.limits import DEFAULT_EPISODES, DEFAULT_EVALUATION_SEED, MAX_TIMESTEPS
from rlviz.domain.times import Instant


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


class Evaluation(Wire):
    id: str
    run_id: str
    origin: Origin = Field(description="How it came to be.")
    status: EvaluationStatus
    cause: str | None
    created_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    episodes: int = Field(description="Episodes asked for.")
    seed: int = Field(description="Seed of the first episode; each next one adds 1.")
    deterministic: bool
    policy: PolicyChoice = Field(description="Which policy was asked for.")
    checkpoint_step: int | None = Field(description="Training step of the policy that was evaluated.")
    episodes_done: int
    summary: EvaluationSummary | None
    short_of_solved: str | None = Field(
        description="Why its mean return, which reaches the threshold, does not show the run to be solved, and what "
        "would; null where there is nothing to say."
    )
    video: bool = Field(description="Whether a video was asked for.")
    has_steps: bool = Field(description="Whether there are step records, and they are still kept.")
    has_pictures: bool = Field(description="Whether there is what the agent saw, as pictures, and it is still kept.")
    has_frames: bool = Field(description="Whether frames of it are kept as pictures.")
    policy_bytes: int | None = Field(
        description="Size of the policy that played, which saliency needs; null if it saw no pictures, or is not kept."
    )
    video_url: str | None = Field(
        description="null before there is a video, and once it was retired; another one whenever the video changed."
    )
