"""Builds environments, and vectorised environments for Stable-Baselines3. Only workers may import it."""

from __future__ import annotations

import inspect
import os
from collections import OrderedDict
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from rlviz.domain.config import RunConfig
from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import EnvironmentFaulty
from rlviz.domain.registry import load
from rlviz.learning.environments.base import Environment, load_class
from rlviz.learning.environments.conforming import CLOSE_SECONDS, Conforming, check_spaces, counted_from_zero
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.gameboy.own import GameOptions
from rlviz.learning.environments.wrappers import NamedCell, RawOutcome, WholeEpisodes, flatten_observations

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")


Env = gymnasium.Env[Any, Any]


def make_environment(config: RunConfig, *, render: bool = False, whole_episodes: bool = False) -> Env:
    """Make the environment of a run, in the same way for training, evaluation and measurements.

    Args:
        config: The run's configuration.
        render: Whether the environment renders RGB frames. These show the environment, not the agent's observations.
        whole_episodes: Whether rewards and ends are the environment's own, even if a wrapper changes them for learning
            (clipped rewards, a lost life as the end).

    Raises:
        UnknownName: The environment is not in the registry.
    """
    return make(find_environment(config), render=render, whole_episodes=whole_episodes)


def make(environment: Environment, *, render: bool = False, whole_episodes: bool = False) -> Env:
    """Make the environment of a registry entry with its options, as ``make_environment`` does."""
    env = make_bare(environment, "rgb_array" if render else None)
    if environment.world is not None:
        env = NamedCell(env, environment.world)
    if environment.observation_wrapper is None or not whole_episodes:
        return add_view_wrappers(env, environment)
    raw = RawOutcome(env)
    return WholeEpisodes(add_view_wrappers(raw, environment), raw)


def make_bare(environment: Environment, mode: str | None) -> Env:
    """Make the environment with the wrappers that define a step."""
    if environment.custom is not None:
        return _make_own(environment, environment.custom, mode)
    arguments = {**environment.make_arguments, **environment.options.make_arguments()}
    env: Env = gymnasium.make(environment.gymnasium_id or environment.id, render_mode=mode, **arguments)
    if environment.reward_splitter is not None:
        env = load(environment.reward_splitter)(env)
    if mode is not None and environment.family.draws_with_pygame:
        from rlviz.learning.environments.quick_frames import QuickFrames

        env = QuickFrames(env)
    return load(environment.step_wrapper)(env, environment.options) if environment.step_wrapper is not None else env


def _make_own(environment: Environment, custom: CustomEnvironment, mode: str | None) -> Env:
    """Make a class or a game of the user's."""
    if custom.game is None:
        return make_custom(custom, mode)
    from rlviz.learning.environments.gameboy.own_play import make_game  # needs PyBoy

    assert isinstance(environment.options, GameOptions)
    return make_game(custom.game, environment.options, mode)


def make_trained(environment: Environment) -> Env:
    """Make the environment for training: with capturable state, and with values as Stable-Baselines3 counts them."""
    env = make_bare(environment, None)
    if environment.state_wrapper is not None:
        env = load(environment.state_wrapper)(env, environment.options)
    return counted_from_zero(env)


def add_view_wrappers(env: Env, environment: Environment) -> Env:
    """Add the wrappers for observations and rewards."""
    return (
        load(environment.observation_wrapper)(env, environment.options)
        if environment.observation_wrapper is not None
        else env
    )


def make_custom(custom: CustomEnvironment, render_mode: str | None, *, close_seconds: float = CLOSE_SECONDS) -> Env:
    """Make a custom environment. Observations that are a Dict or a Tuple are flattened.

    Args:
        custom: The result of probing its class.
        render_mode: As for ``gymnasium.make``.
        close_seconds: Time limit for its ``close``.

    Raises:
        EnvironmentFaulty: It cannot be used, or its spaces differ from the probed ones.
        NotFlattenable: A part of its observations cannot be flattened to numbers.
        Exception: Any error of importing or constructing it.
    """
    loaded = load_class(custom.entry_point)
    spec = EnvSpec(
        id="own/Environment-v0",
        entry_point=lambda **arguments: Conforming(_construct(loaded, **arguments), close_seconds),
        max_episode_steps=custom.max_episode_steps,
        reward_threshold=custom.reward_threshold,
    )
    env = flatten_observations(gymnasium.make(spec, render_mode=render_mode))
    check_spaces(custom, env)
    return env


def _construct(loaded: Any, render_mode: str | None) -> Env:
    """Make an instance of the user's class, which may not take ``render_mode``.

    Raises EnvironmentFaulty if it tries to end the process.
    """
    try:
        if _takes(loaded, "render_mode"):
            env: Env = loaded(render_mode=render_mode)
        else:
            env = loaded()
            env.render_mode = render_mode
    except SystemExit as error:
        raise EnvironmentFaulty("Its __init__() called sys.exit(). An environment must not end its process.") from error
    return env


def _takes(function: Any, name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def make_training_environments(config: RunConfig, n_envs: int) -> VecEnv:
    """Make ``n_envs`` environments of a run, with consecutive seeds from the run's seed on.

    Episodes are counted below the wrappers for the agent: returns are the environment's own, and a lost life does not
    end an episode.
    """
    environment = find_environment(config)
    world = environment.world
    names_cells = world is not None and config.exploration is not None and config.exploration.counts_visits

    def make_one() -> Env:
        env = make_trained(environment)
        return NamedCell(env, world) if names_cells and world is not None else env

    return make_vec_env(
        make_one,
        n_envs,
        config.seed,
        wrapper_class=lambda env: add_view_wrappers(env, environment),
        vec_env_cls=LeanVecEnv,
    )


class LeanVecEnv(DummyVecEnv):
    """Stable-Baselines3's ``DummyVecEnv`` without deep copies, which take as long as a step of simple environments.

    Infos and observation buffers are copied, but not the values in an info. Do not change a value in an info, and do
    not keep it for longer than a step, because the environment may change it in place.
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
