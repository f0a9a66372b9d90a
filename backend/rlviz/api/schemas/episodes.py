"""Episodes that were searched for, and what is said about them."""

from __future__ import annotations

from pydantic import Field

from rlviz.analysis.judging.episode_endings import EndingKind
from rlviz.analysis.judging.moments import MomentKind
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


class RankedEpisodes(Wire):
    """Episodes by their index, from 1."""

    worst: int
    median: int
    best: int


class ReturnBin(Wire):
    low: float
    high: float = Field(description="Excluded, but for the last bin.")
    episodes: list[int] = Field(description="By their index, from 1; from the least return to the greatest.")


class KeyMoment(Wire):
    episode: int = Field(description="Index of the episode, from 1.")
    kind: MomentKind
    step: int = Field(description="The step record to look at, from 0.")
    frame: int = Field(description="Frame of the video, from 0, that shows it.")
    amount: float | None = Field(description="The reward, the surprise, or by how much the value fell.")


class EvaluationJudgement(Wire):
    run_id: str
    evaluation_id: str
    ranking: RankedEpisodes
    bins: list[ReturnBin]
    recorded: bool = Field(description="There are step records; without them there are no moments.")
    moments: list[KeyMoment] = Field(description="By episode, then by step.")


class JudgedEvaluation(Wire):
    run_id: str
    evaluation_id: str
    checkpoint_step: int | None = Field(description="Training step of the policy that played.")
    episodes: int = Field(description="Of it that were recorded to their end.")


class EpisodeExample(Wire):
    run_id: str
    evaluation_id: str
    has_video: bool = Field(description="The video is still kept.")
    result: EpisodeResult


class EpisodeEnding(Wire):
    kind: EndingKind
    title: str = Field(description="What the ends have in common: pole angle > 12°.")
    episodes: int = Field(description="How many end so.")
    share: float = Field(description="The same as a part of all, 0 to 1.")
    mean_return: float
    shares: list[float] = Field(description="The part in each of the evaluations.")
    example: EpisodeExample


class EpisodeEndings(Wire):
    evaluations: list[JudgedEvaluation] = Field(description="Those with step records, oldest first.")
    without_records: int = Field(description="Completed evaluations whose steps were not recorded or are not kept.")
    episodes: int = Field(description="Episodes that were recorded to their end.")
    endings: list[EpisodeEnding] = Field(description="The most frequent first; every episode is in one.")
