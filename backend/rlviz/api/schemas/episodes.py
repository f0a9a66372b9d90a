"""Episodes that were searched for."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.evaluation import EpisodeResult


class FoundEpisode(Wire):
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None = Field(description="Training step of the policy that played.")
    deterministic: bool
    has_video: bool = Field(description="The video is still kept.")
    result: EpisodeResult


class FoundEpisodes(Wire):
    where: str = Field(description="What was searched for, as it was given.")
    evaluations: int = Field(description="How many completed evaluations there are.")
    searched: int = Field(description="How many episodes they have.")
    found: int = Field(description="How many of those fulfil the condition.")
    episodes: list[FoundEpisode] = Field(description="The first of those, as sorted.")
