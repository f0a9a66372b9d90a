"""FrozenLake with an archive, and recorded episodes on it."""

from __future__ import annotations

from typing import Any

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.evaluation import StepsWanted
from rlviz.domain.recording import Actor, Detail
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing.recording import EpisodeRows, records_about, rows_of, write_collected
from rlviz.learning.playing.rollout import Episode, Step, layout_of
from rlviz.learning.records.about import RecordedEpisode
from rlviz.rundir.folder import RunFolder

LEFT, DOWN, RIGHT = 0, 1, 2
LAKE: dict[str, Any] = {"env_id": "FrozenLake-v1", "exploration": ExplorationPlan(archive=1.0)}
FIRM: dict[str, Any] = {**LAKE, "env_options": {"is_slippery": False}}
"""The lake without slipping."""

EVALUATION = "eval_20261121-014312-001"


def record(folder: RunFolder, actions: list[int], seed: int, evaluation_id: str = EVALUATION) -> list[Step]:
    """Record an episode with these actions, until it ends."""
    config = folder.read_config()
    env = make_environment(config, whole_episodes=True)
    episode = Episode(env, 0, seed)
    steps = [episode.begin()]
    for action in actions:
        if not steps[-1].is_last:
            steps.append(episode.take_action(action))
    about = records_about(config, env, deterministic=True, frames_every=1, max_steps=27_000)
    nothing: list[Any] = [None] * len(steps)
    layouts = layout_of(env.observation_space), layout_of(env.action_space)
    rows = rows_of(steps, *layouts, actor=Actor.POLICY, elapsed_ms=[0.0] * len(steps), frame_hashes=nothing)
    wanted = StepsWanted(detail=Detail.STANDARD, max_bytes=10**8)
    write_collected(folder, evaluation_id, about, wanted, [EpisodeRows(RecordedEpisode(seed=seed), rows)])
    folder.evaluations.record_path(evaluation_id).write_text("{}")
    return steps
