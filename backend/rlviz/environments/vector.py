"""Vectorised environments for Stable-Baselines3. Only workers import this."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from rlviz.domain.config import RunConfig
from rlviz.environments.custom import environment_of
from rlviz.environments.make import make_trained, put_view_on


def make_training_environments(config: RunConfig, n_envs: int) -> VecEnv:
    """``n_envs`` environments of a run, seeded with the run's seed and those that follow it.

    Episodes are counted below the wrappers for the agent: returns are the environment's own, and a lost life does not
    end an episode.
    """
    environment = environment_of(config)
    return make_vec_env(
        lambda: make_trained(environment),
        n_envs,
        config.seed,
        wrapper_class=lambda env: put_view_on(env, environment),
        vec_env_cls=LeanVecEnv,
    )


class LeanVecEnv(DummyVecEnv):
    """Stable-Baselines3's ``DummyVecEnv`` without its deep copies in each step, which take as long as a step of the
    simpler environments.

    Infos and observation buffers are copied, but not the values in an info. So do not change a value in an info, nor
    keep it for longer than a step: an environment may change it in place.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.buf_infos = _Infos(self.buf_infos)
        self.buf_obs = _Observations(self.buf_obs)


class _Infos(list[dict[str, Any]]):
    def __deepcopy__(self, _memo: object) -> list[dict[str, Any]]:
        return [info.copy() for info in self]


class _Observations(OrderedDict[str, np.ndarray[Any, Any]]):
    def __deepcopy__(self, _memo: object) -> dict[str, np.ndarray[Any, Any]]:
        return {key: observations.copy() for key, observations in self.items()}
