"""Environments side by side, as Stable-Baselines3 steps them. Only workers import this."""

from __future__ import annotations

from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

from rlviz.domain.config import RunConfig
from rlviz.environments.make import make_bare, put_view_on
from rlviz.environments.own import environment_of


def make_training_environments(config: RunConfig, n_envs: int) -> VecEnv:
    """``n_envs`` environments of a run side by side, seeded with the run's seed and those that follow it.

    Episodes are counted below what the agent sees: returns are the environment's own, and a lost life ends none.
    """
    environment = environment_of(config)
    return make_vec_env(
        lambda: make_bare(environment, None),
        n_envs,
        config.seed,
        wrapper_class=lambda env: put_view_on(env, environment),
    )
