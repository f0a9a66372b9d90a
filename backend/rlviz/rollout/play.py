"""Plays episodes with a policy, in one environment or in several at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.utils import set_random_seed

from rlviz.algorithms.policy import Policy
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env, Episode, Step, batch_of


def play(
    envs: Sequence[Env],
    policy: Policy,
    seeds: Sequence[int],
    *,
    deterministic: bool = True,
    readings: bool = False,
    max_steps: int = MAX_EPISODE_STEPS,
) -> Iterator[Step]:
    """An episode for each of ``seeds``, step by step, resets included. Who has seen enough stops asking.

    Each of ``envs`` takes the next seed when its episode is over, so that with one environment the episodes follow each
    other; with several, one prediction serves them all. When a step is handed out, its environment is as the step left
    it, and can be rendered. With ``readings`` each step holds what the policy makes of what it shows, the last of an
    episode included; without, nothing is computed for that.

    At the reset of an episode Python's, NumPy's and torch's global generators are seeded with its seed, so that sampled
    actions repeat too. Policies that remember earlier observations can be played in one environment only.
    """
    waiting = iter(enumerate(seeds))
    idle, playing, state = list(envs), list[Episode](), None
    while True:
        while idle and (following := next(waiting, None)) is not None:
            place, seed = following
            episode = Episode(idle.pop(0), place, seed, max_steps)
            seed_all(episode, policy, deterministic=deterministic)
            episode.begin()
            playing.append(episode)
        if not playing:
            return
        actions, state = _predict(playing, policy, state if len(envs) == 1 else None, deterministic)
        yield from _steps(playing, policy, actions if readings else None)
        for episode, action in zip(playing, actions, strict=True):
            episode.take(action)
        over = [episode for episode in playing if episode.newest.is_last]
        if over:
            # draws nothing for an action that is not taken, so that readings do not change the episodes
            known = state if len(envs) == 1 else None
            last = _predict(over, policy, known, deterministic=True)[0] if readings else None
            yield from _steps(over, policy, last)
        idle += [episode.env for episode in over]
        playing = [episode for episode in playing if not episode.newest.is_last]


def _predict(episodes: Sequence[Episode], policy: Policy, state: Any, deterministic: bool) -> tuple[Any, Any]:
    """The next action for each of ``episodes``, and the new state of a recurrent policy."""
    starts = np.array([episode.newest.number == 0 for episode in episodes])
    return policy.predict(_seen(episodes), state, starts, deterministic=deterministic)


def _steps(episodes: Sequence[Episode], policy: Policy, actions: Any) -> Iterator[Step]:
    """The newest step of each of ``episodes``, with its reading if the next ``actions`` are given."""
    reading = None if actions is None else policy.read(_seen(episodes), actions)
    for row, episode in enumerate(episodes):
        if reading is not None:
            episode.newest = episode.newest._replace(reading=reading.row(row))
        yield episode.newest


def _seen(episodes: Sequence[Episode]) -> Any:
    return batch_of([episode.newest.observation for episode in episodes])


def seed_all(episode: Episode, policy: Policy | None, *, deterministic: bool) -> None:
    """Seed all that actions may be drawn from. A policy that is still in training is played deterministically, and the
    generator of its action space is left alone: training draws from it."""
    set_random_seed(episode.seed)
    episode.env.action_space.seed(episode.seed)
    if policy is not None and not deterministic:
        policy.action_space.seed(episode.seed)
