"""The environments of a model, and what normalises what they show."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.monitor import Monitor

from rlviz.environments.state import NotCapturable, capture_environment, restore_environment
from rlviz.environments.wrappers import Env

_NORMALIZATION = ("obs_rms", "ret_rms", "returns", "old_obs", "old_reward")
"""What the library's ``VecNormalize`` learns and holds between two steps."""


def environments_of(model: BaseAlgorithm) -> list[Env]:
    environments: Any = model.get_env()
    return list(environments.unwrapped.envs)


def capture_environments(model: BaseAlgorithm) -> dict[str, Any]:
    """``problem`` says why the state of an environment, which is then None, could not be copied."""
    each: list[bytes | None] = []
    problem = None
    for env in environments_of(model):
        _forget_finished_episodes(env)
        try:
            each.append(capture_environment(env))
        except NotCapturable as error:
            each.append(None)
            problem = str(error)
    wrapper = model.get_vec_normalize_env()
    normalization = None
    if wrapper is not None:
        normalization = {name: getattr(wrapper, name) for name in _NORMALIZATION if hasattr(wrapper, name)}
    return {"each": each, "normalization": normalization, "problem": problem}


def restore_normalization(model: BaseAlgorithm, states: dict[str, Any]) -> None:
    """What was learned of observations and rewards, without what is held between two steps."""
    wrapper, learned = model.get_vec_normalize_env(), states["normalization"]
    if wrapper is not None and learned is not None:
        vars(wrapper).update({name: learned[name] for name in ("obs_rms", "ret_rms") if name in learned})


def restore_environments(model: BaseAlgorithm, states: dict[str, Any]) -> dict[int, str]:
    """What is known of the model itself has to be restored before. An environment that cannot be brought there begins
    an episode anew; returns why, by index, for each of those."""
    wrapper = model.get_vec_normalize_env()
    if wrapper is not None and states["normalization"] is not None:
        vars(wrapper).update(states["normalization"])
    problems = {}
    for index, (env, state) in enumerate(zip(environments_of(model), states["each"], strict=True)):
        try:
            if state is None:
                raise NotCapturable(states["problem"])  # noqa: TRY301  (as one that turns out to be impossible now)
            restore_environment(env, state)
        except NotCapturable as error:
            problems[index] = f"{error} An episode was begun anew."
            _begin_anew(model, index, env)
    return problems


def _begin_anew(model: Any, index: int, env: Env) -> None:
    observation, _ = env.reset(seed=(model.seed or 0) + model.num_timesteps + index)
    model._last_episode_starts[index] = True
    wrapper = model.get_vec_normalize_env()
    if wrapper is None:
        model._last_obs[index] = observation
        return
    if model._last_original_obs is None:
        model._last_original_obs = wrapper.unnormalize_obs(model._last_obs)
    model._last_original_obs[index] = observation
    model._last_obs = wrapper.normalize_obs(model._last_original_obs)
    wrapper.returns[index] = 0


def _forget_finished_episodes(env: Any) -> None:
    """The library's Monitor keeps figures of every episode, which nobody reads, for ever."""
    while not isinstance(env, Monitor):
        if (env := getattr(env, "env", None)) is None:
            return
    for figures in (env.episode_returns, env.episode_lengths, env.episode_times):
        figures.clear()
