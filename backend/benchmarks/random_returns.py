"""Measures the return of random actions in all or some environments: rlviz/learning/environments/random_returns.json.

    make random-returns ARGS="CartPole-v1"

Environments are made as for evaluations, with default options, but without rendering.
"""

from __future__ import annotations

import statistics
import sys
from contextlib import closing

from stable_baselines3.common.utils import set_random_seed

from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.make import make
from rlviz.learning.environments.random_returns import FILE, RETURNS, RandomReturn, measured
from rlviz.learning.playing.rollout import Env, Episode
from rlviz.provenance import package_versions
from rlviz.rundir.files import write_atomically

EPISODES, PICTURE_EPISODES = 100, 20
"""Fewer episodes if the agent sees images, because a step takes much longer."""
SEED = 1
ACTION_SEED = 1_000_000
"""Differs from the seed of an episode; otherwise the same random numbers would decide action and outcome."""

PLAYED_BY = ("python", "gymnasium", "numpy", "ale-py", "pyboy", "Box2D")


def main(env_ids: list[str]) -> None:
    found = dict(measured())
    for env_id in env_ids or ENVIRONMENTS.names():
        found[env_id] = one = measure(ENVIRONMENTS.get(env_id))
        # Written after each environment, so that an interruption loses at most one.
        known = {name: found[name] for name in ENVIRONMENTS.names() if name in found}
        write_atomically(FILE, RETURNS.dump_json(known, indent=2) + b"\n")
        print(f"{env_id}: {one.mean:,.3f} ± {one.std:,.3f} over {one.episodes} episodes", flush=True)


def measure(environment: Environment) -> RandomReturn:
    episodes = PICTURE_EPISODES if environment.observation_space.is_picture else EPISODES
    set_random_seed(SEED)
    with closing(make(environment, whole_episodes=True)) as env:
        env.action_space.seed(ACTION_SEED)
        returns = [play(Episode(env, place, SEED + place), env) for place in range(episodes)]
    versions = package_versions()
    return RandomReturn(
        mean=statistics.fmean(returns),
        std=statistics.pstdev(returns),
        episodes=episodes,
        seed=SEED,
        versions={name: versions[name] for name in PLAYED_BY if name in versions},
    )


def play(episode: Episode, env: Env) -> float:
    """Play an episode of random actions, and return its return."""
    step = episode.begin()
    while not step.is_last:
        step = episode.take_action(env.action_space.sample())
    return step.episode_return


if __name__ == "__main__":
    main(sys.argv[1:])
