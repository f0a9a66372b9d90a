"""Building environments. Imports Gymnasium: only workers import this."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import gymnasium
from gymnasium.envs.registration import EnvSpec

from rlviz.domain.config import RunConfig
from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.registry import load
from rlviz.environments.base import Environment
from rlviz.environments.custom import environment_of
from rlviz.environments.flattened import flattened
from rlviz.environments.source import load_class
from rlviz.environments.wrappers import RawOutcome, WholeEpisodes

Env = gymnasium.Env[Any, Any]


def make_environment(config: RunConfig, *, render: bool = False, whole_episodes: bool = False) -> Env:
    """The environment of a run, made the same way for training, evaluation and measurements.

    With ``render``, it renders RGB frames of the environment itself, not of the agent's observations. With
    ``whole_episodes``, rewards and ends are the environment's own too, even if a wrapper changes them for learning
    (clipped rewards, a lost life as the end). Raises UnknownName for an environment that is not in the registry.
    """
    return make(environment_of(config), render=render, whole_episodes=whole_episodes)


def make(environment: Environment, *, render: bool = False, whole_episodes: bool = False) -> Env:
    """As ``make_environment``, of a registry entry with its options."""
    env = make_bare(environment, "rgb_array" if render else None)
    if environment.observation_wrapper is None or not whole_episodes:
        return put_view_on(env, environment)
    raw = RawOutcome(env)
    return WholeEpisodes(put_view_on(raw, environment), raw)


def make_bare(environment: Environment, mode: str | None) -> Env:
    """The environment with the wrappers that define a step."""
    if environment.custom is not None:
        return make_custom(environment.custom, mode)
    arguments = {**environment.make_arguments, **environment.options.make_arguments()}
    env: Env = gymnasium.make(environment.gymnasium_id or environment.id, render_mode=mode, **arguments)
    if mode is not None and environment.family.draws_with_pygame:
        from rlviz.environments.quick_frames import QuickFrames

        env = QuickFrames(env)
    return load(environment.step_wrapper)(env, environment.options) if environment.step_wrapper is not None else env


def make_trained(environment: Environment) -> Env:
    """As ``make_bare``, for training: its state can be copied into a snapshot."""
    env = make_bare(environment, None)
    return load(environment.state_wrapper)(env, environment.options) if environment.state_wrapper is not None else env


def put_view_on(env: Env, environment: Environment) -> Env:
    """Add the wrappers for observations and rewards."""
    return (
        load(environment.observation_wrapper)(env, environment.options)
        if environment.observation_wrapper is not None
        else env
    )


def make_custom(custom: CustomEnvironment, render_mode: str | None) -> Env:
    """A custom environment, its observations flattened if they are a Dict or a Tuple. Raises what importing or
    constructing it raises, and NotFlattenable."""
    spec = EnvSpec(
        id="own/Environment-v0",
        entry_point=load_class(custom.entry_point),
        max_episode_steps=custom.max_episode_steps,
        reward_threshold=custom.reward_threshold,
    )
    return flattened(gymnasium.make(spec, render_mode=render_mode))
