"""Summarises the episodes of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev

from rlviz.domain.evaluation import EpisodeResult, EvaluationSummary, PicturesFacts, Spread, StepsFacts, VideoFacts
from rlviz.domain.recording import RecordingFacts


def summarize(
    episodes: Sequence[EpisodeResult],
    video: VideoFacts | None,
    steps: StepsFacts | None = None,
    pictures: PicturesFacts | None = None,
    recording: RecordingFacts | None = None,
) -> EvaluationSummary:
    """Return statistics of return and length over ``episodes``, and how many terminated and were truncated."""
    return EvaluationSummary(
        episodes=list(episodes),
        episode_return=_spread([episode.episode_return for episode in episodes]),
        episode_length=_spread([float(episode.episode_length) for episode in episodes]),
        terminated=sum(episode.terminated for episode in episodes),
        truncated=sum(episode.truncated for episode in episodes),
        video=video,
        steps=steps,
        pictures=pictures,
        recording=recording,
    )


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    return Spread(mean=fmean(values), std=pstdev(values), min=min(values), max=max(values))
