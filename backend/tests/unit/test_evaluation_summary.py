"""Summary statistics of an evaluation."""

from __future__ import annotations

import pytest

from rlviz.domain.evaluation import EpisodeResult
from rlviz.learning.playing.summary import summarize


def episode(index: int, episode_return: float, length: int, *, terminated: bool) -> EpisodeResult:
    return EpisodeResult(
        index=index,
        episode_return=episode_return,
        episode_length=length,
        terminated=terminated,
        truncated=not terminated,
        seed=index,
        first_frame=0,
    )


def test_the_spread_uses_the_population_standard_deviation() -> None:
    episodes = [episode(1, 1.0, 10, terminated=True), episode(2, 3.0, 30, terminated=False)]
    summary = summarize(episodes, None)
    assert summary.episode_return.model_dump() == {"mean": 2.0, "std": 1.0, "min": 1.0, "max": 3.0}
    assert summary.episode_length.model_dump() == {"mean": 20.0, "std": 10.0, "min": 10.0, "max": 30.0}


def test_endings_are_counted_by_kind() -> None:
    ends = [True, False, True]
    summary = summarize([episode(i, 0.0, 1, terminated=end) for i, end in enumerate(ends, 1)], None)
    assert (summary.terminated, summary.truncated) == (2, 1)


def test_a_single_episode_has_no_deviation() -> None:
    assert summarize([episode(1, 7.5, 4, terminated=True)], None).episode_return.std == pytest.approx(0.0)
