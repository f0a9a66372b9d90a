"""Synthetic evaluations with step records, as an evaluator writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.recording import Actor
from rlviz.domain.spaces import SpaceLayout
from rlviz.learning.playing.summary import summarize
from rlviz.learning.records.about import Components, RecordedEpisode, RecordsAbout
from rlviz.learning.records.writer import Row, StepWriter
from rlviz.rundir.folder import RunFolder

BEGAN = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


@dataclass
class Played:
    """An episode of n actions: n rewards and, if steps are recorded, n + 1 observations and n + 1 values."""

    rewards: Sequence[float]
    terminated: bool = True
    observations: NDArray[Any] = field(default_factory=lambda: np.empty((0, 0)))
    values: Sequence[float] | None = None


def evaluated(
    folder: RunFolder, step: int, played: Sequence[Played], *, seen: Components | None = None, video: bool = False
) -> str:
    """Write a completed evaluation of the policy at ``step``, with step records if ``seen`` is given."""
    evaluation_id = new_evaluation_id(BEGAN + timedelta(seconds=step))
    first_frame, results = 0, []
    for place, episode in enumerate(played):
        results.append(
            EpisodeResult(
                index=place + 1,
                episode_return=sum(episode.rewards),
                episode_length=len(episode.rewards),
                terminated=episode.terminated,
                truncated=not episode.terminated,
                seed=100 + place,
                first_frame=first_frame,
            )
        )
        first_frame += len(episode.rewards) + 1
    folder.evaluations.write(
        EvaluationRecord(
            id=evaluation_id,
            run_id=folder.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=BEGAN,
            episodes=len(played),
            checkpoint_step=step,
            summary=summarize(results, None),
        )
    )
    if video:
        folder.evaluations.video_path(evaluation_id).write_bytes(b"a video")
    if seen is not None:
        _record(folder, evaluation_id, played, seen)
    return evaluation_id


def _record(folder: RunFolder, evaluation_id: str, played: Sequence[Played], seen: Components) -> None:
    about = RecordsAbout(
        run_id=folder.run_id,
        evaluation_id=evaluation_id,
        env_id=folder.read_config().env_id,
        deterministic=True,
        max_steps=10_000,
        observation=seen,
        action=Components(layout=SpaceLayout(kind="Discrete", dtype="int64", numbers=1)),
    )
    with StepWriter(folder.evaluations.steps_path(evaluation_id), folder.path, about, max_bytes=1 << 30) as writer:
        for place, episode in enumerate(played):
            writer.begin(RecordedEpisode(seed=100 + place))
            for index, observation in enumerate(episode.observations):
                writer.add(_row(place, index, episode, observation))


def _row(place: int, index: int, episode: Played, observation: NDArray[Any]) -> Row:
    last, began = index == len(episode.rewards), index == 0
    reading = {} if episode.values is None else {"value": np.float32(episode.values[index])}
    return Row(
        episode=place,
        index=index,
        observation=np.asarray(observation),
        observation_hash=None,
        action=None if began else np.zeros(1, np.int64),
        actor=None if began else Actor.POLICY,
        reward=None if began else float(episode.rewards[index - 1]),
        episode_return=float(sum(episode.rewards[:index])),
        terminated=last and episode.terminated,
        truncated=last and not episode.terminated,
        elapsed_ms=0.0,
        frame_hash=None,
        reading=reading,  # type: ignore[arg-type]
    )
