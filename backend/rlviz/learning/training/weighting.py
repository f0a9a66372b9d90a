"""Weights and caps of the components of an environment's reward, for training only.

``Weighting`` wraps the environments of training, below ``Exploring`` and below the normalisation of rewards. Episodes
are counted below it: their returns stay the environment's own. The difference that it makes is reported as a component
that is not of the environment, so the components sum to what is learned from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, unwrap_vec_wrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from rlviz.domain.config import RunConfig
from rlviz.domain.reward_components import WEIGHTING, Components
from rlviz.domain.reward_plan import RewardPlan
from rlviz.learning.environments.reward_components import COMPONENTS, add_bonus
from rlviz.learning.exploration.bonuses import episode_lengths, is_last_step


def add_weighting(environments: VecEnv, config: RunConfig) -> VecEnv:
    """Return ``environments`` with the weights and caps of the run's plan; unchanged without one."""
    plan = config.reward
    return environments if plan is None or not plan.is_on else Weighting(environments, plan)


def weighting_of(model: BaseAlgorithm) -> Weighting | None:
    """Return the weighting that a model's environments are wrapped in, if there is one."""
    environments = model.get_env()
    return None if environments is None else unwrap_vec_wrapper(environments, Weighting)


class Weighting(VecEnvWrapper):
    """Environments whose reward is the sum of capped and weighted components. Its state is part of snapshots.

    A cap limits the sum of a component over an episode: while the sum is outside, what the component adds is ignored.
    A step without components keeps its reward.
    """

    def __init__(self, environments: VecEnv, plan: RewardPlan) -> None:
        super().__init__(environments)
        self.reset_infos = environments.reset_infos  # not a list of its own, as the library's wrappers have
        self._weights, self._caps = dict(plan.weights), dict(plan.caps)
        self._changed = sorted({*self._weights, *self._caps})
        self._sums: list[dict[str, float]] = []
        """The sums of capped components in the current episode of each environment, before they are capped."""
        self.begin_episodes()

    def reset(self) -> Any:
        observations = self.venv.reset()
        self.begin_episodes()
        return observations

    def begin_episodes(self) -> None:
        """Begin an episode in each environment."""
        self._sums = [dict.fromkeys(self._caps, 0.0) for _ in range(self.num_envs)]

    def step_wait(self) -> VecEnvStepReturn:
        observations, rewards, dones, infos = self.venv.step_wait()
        for index, info in enumerate(infos):
            if components := info.get(COMPONENTS):
                difference = self._difference(self._sums[index], components)
                rewards[index] += difference
                add_bonus(info, WEIGHTING, difference)
            if is_last_step(info):
                self._sums[index] = dict.fromkeys(self._caps, 0.0)
        return observations, rewards, dones, infos

    def _difference(self, sums: dict[str, float], components: Components) -> float:
        """Return what weights and caps add to the reward of a step, and count its components in ``sums``."""
        difference = 0.0
        for name in self._changed:
            value = components.get(name, 0.0)
            counted = value
            if (cap := self._caps.get(name)) is not None:
                before = sums[name]
                sums[name] = before + value
                counted = _limit(sums[name], cap) - _limit(before, cap)
            difference += self._weights.get(name, 1.0) * counted - value
        return difference

    def state(self) -> dict[str, Any]:
        return {"sums": [dict(sums) for sums in self._sums], "lengths": episode_lengths(self.venv)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. Environments that are not within the same episode begin one."""
        self.begin_episodes()
        kept = list(zip(state["sums"], state["lengths"], strict=True))
        if len(kept) != self.num_envs:
            return
        for index, length in enumerate(episode_lengths(self.venv)):
            sums, then = kept[index]
            if length == then:
                self._sums[index].update({name: sums[name] for name in self._caps if name in sums})


def _limit(total: float, cap: float) -> float:
    return float(np.clip(total, -cap, cap)) if total == total else total
