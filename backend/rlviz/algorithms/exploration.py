"""Exploration: the noise with which a policy is trained, beyond what the library's ``predict`` samples.

TD3 adds action noise to what its policy chooses. State-dependent exploration (gSDE) keeps one noise for several steps,
until training draws the next. Imports Stable-Baselines3: only workers import this.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.noise import ActionNoise


@dataclass(frozen=True)
class Explored:
    """How far exploration has come in an episode. ``noise`` is None where no action noise is added."""

    steps: int
    noise: ActionNoise | None


@dataclass(frozen=True)
class Exploration:
    """As in training: gSDE draws anew every ``rollout_steps`` steps of an environment, and within them every
    ``sde_sample_freq`` steps, if that is not -1. Without ``rollout_steps`` an episode is one rollout."""

    action_noise: ActionNoise | None = None
    rollout_steps: int | None = None
    sde_sample_freq: int = -1

    @classmethod
    def of(cls, model: Any) -> Self:
        """That of a model in training, or of one that was saved whole."""
        noise = getattr(model, "action_noise", None)
        # Off-policy models have ``n_steps`` too, which are those of their returns.
        train_freq, n_steps = getattr(model, "train_freq", None), getattr(model, "n_steps", None)
        return cls(
            getattr(noise, "base_noise", noise),  # that of one environment
            n_steps if train_freq is None else getattr(train_freq, "frequency", train_freq),
            getattr(model, "sde_sample_freq", -1),
        )

    def act(self, model: BaseAlgorithm, observation: Any, explored: Explored | None) -> tuple[Any, Explored]:
        """Sample actions for a batch, as training does. ``explored`` is what was returned last; None at the beginning
        of an episode. Draws from NumPy's and torch's global generators."""
        if explored is None:
            explored = Explored(0, self._fresh_noise())
        if getattr(model, "use_sde", False) and self._is_drawn_at(explored.steps):
            model.policy.reset_noise()  # type: ignore[operator]
        actions, _ = model.predict(observation, deterministic=False)
        noise = deepcopy(explored.noise)  # another future may go on from here as well
        if noise is not None:
            drawn = np.stack([noise() for _ in actions])
            policy: Any = model.policy
            actions = policy.unscale_action(np.clip(policy.scale_action(actions) + drawn, -1, 1))
        return actions, Explored(explored.steps + 1, noise)

    def _fresh_noise(self) -> ActionNoise | None:
        noise = deepcopy(self.action_noise)
        if noise is not None:
            noise.reset()
        return noise

    def _is_drawn_at(self, step: int) -> bool:
        place = step % self.rollout_steps if self.rollout_steps else step
        return place == 0 or (self.sde_sample_freq > 0 and place % self.sde_sample_freq == 0)
