"""Playing episodes with a policy, before a camera. Knows no files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol

import gymnasium
import numpy as np
from stable_baselines3.common.utils import set_random_seed

from rlviz.algorithms.policy import Policy
from rlviz.domain.errors import EpisodeUnusable
from rlviz.domain.evaluation import EpisodeResult
from rlviz.evaluation.caption import Caption

MAX_EPISODE_STEPS = 27_000
"""Episodes of an environment without a time limit are cut off here: half an hour of Atari, as in the
Arcade Learning Environment (108,000 frames, four a step)."""


class Recorder(Protocol):
    """What films: ``frames`` counts those taken so far."""

    frames: int

    def add(self, picture: object, caption: Caption) -> None: ...


def play(
    env: gymnasium.Env[Any, Any],
    policy: Policy,
    recorder: Recorder,
    *,
    episodes: int,
    seed: int,
    deterministic: bool,
    max_steps: int = MAX_EPISODE_STEPS,
) -> Iterator[EpisodeResult]:
    """Play ``episodes`` episodes, each with the next seed from ``seed`` on; yield each when it has ended.

    An episode of n steps gives n + 1 frames: what the reset shows, then what each step led to. So step k
    of an episode is frame ``first_frame + k`` of the video. Raises EpisodeUnusable for a reward that is
    no finite number.
    """
    for index in range(1, episodes + 1):
        episode_seed = seed + index - 1
        _seed(env, policy, episode_seed)
        first_frame = recorder.frames
        observation, _ = env.reset(seed=episode_seed)
        total, step, terminated, truncated = 0.0, 0, False, False
        state, start = None, np.ones(1, dtype=bool)
        recorder.add(env.render(), Caption(index, episodes, step, total))
        while not (terminated or truncated):
            action, state = policy.predict(observation, state, start, deterministic=deterministic)
            observation, reward, terminated, truncated, _ = env.step(as_action(env.action_space, action))
            step += 1
            total += _finite(float(reward), index, step)
            start[0] = False
            truncated = truncated or (step >= max_steps and not terminated)
            recorder.add(env.render(), Caption(index, episodes, step, total))
        yield EpisodeResult(
            index=index,
            episode_return=total,
            episode_length=step,
            terminated=bool(terminated),
            truncated=bool(truncated),
            seed=episode_seed,
            first_frame=first_frame,
        )


def as_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """``action``, as a policy gives it, in the form ``space`` contains: an int, or an array of its shape and type."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(np.asarray(action).item())
    return np.asarray(action, dtype=space.dtype).reshape(space.shape or ())


def _seed(env: gymnasium.Env[Any, Any], policy: Policy, seed: int) -> None:
    """Seed all that a policy may draw from, so that sampled actions repeat too, episode by episode."""
    set_random_seed(seed)
    env.action_space.seed(seed)
    policy.action_space.seed(seed)


def _finite(reward: float, episode: int, step: int) -> float:
    if not math.isfinite(reward):
        raise EpisodeUnusable(
            f"The environment gave a reward of {reward} in step {step} of episode {episode}; "
            "rewards must be finite numbers."
        )
    return reward
