"""Episodes that a policy plays, in one environment or in several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from stable_baselines3.common.utils import set_random_seed

from rlviz.algorithms.policy import Policy
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env, Episode, Step


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
    it, and can be rendered. With ``readings`` each step holds what the policy made of what it saw; without, nothing is
    computed for that.

    At the reset of an episode Python's, NumPy's and torch's global generators are seeded with its seed, so that sampled
    actions repeat too. Policies that remember earlier observations can be played in one environment only.
    """
    waiting = iter(enumerate(seeds))
    idle, playing, state = list(envs), list[Episode](), None
    while True:
        while idle and (following := next(waiting, None)) is not None:
            place, seed = following
            episode = Episode(idle.pop(0), place, seed, max_steps)
            _seed(episode, policy, deterministic)
            yield episode.begin()
            playing.append(episode)
        if not playing:
            return
        observations = np.stack([episode.newest.observation for episode in playing])
        starts = np.array([episode.newest.number == 0 for episode in playing])
        actions, state = policy.predict(
            observations, state if len(envs) == 1 else None, starts, deterministic=deterministic
        )
        reading = policy.read(observations, actions) if readings else None
        for row, episode in enumerate(playing):
            yield episode.take(actions[row], reading.row(row) if reading is not None else None)
        idle += [episode.env for episode in playing if episode.newest.is_last]
        playing = [episode for episode in playing if not episode.newest.is_last]


def _seed(episode: Episode, policy: Policy, deterministic: bool) -> None:
    """Seed all that actions may be drawn from. A policy that is still in training is played deterministically, and the
    generator of its action space is left alone: training draws from it."""
    set_random_seed(episode.seed)
    episode.env.action_space.seed(episode.seed)
    if not deterministic:
        policy.action_space.seed(episode.seed)
