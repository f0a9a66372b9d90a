"""Builds a Stable-Baselines3 model from a RunConfig, and makes its updates interruptible."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from threading import Event
from typing import Any

import gymnasium
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.preprocessing import is_image_space, is_image_space_channels_first
from stable_baselines3.common.vec_env import VecNormalize

from rlviz.domain.config import RunConfig
from rlviz.domain.registry import load
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.make import make_training_environments
from rlviz.learning.exploration.bonuses import add_exploration
from rlviz.learning.training.guard import LeavesTraining
from rlviz.learning.training.weighting import add_weighting

SMALLEST_PICTURE = 36
"""Pixels per side that the library's convolutions (Mnih et al., 2015) need. Smaller images are flattened."""


def build_model(config: RunConfig) -> BaseAlgorithm:
    """Build the seeded model with its environments. Raises InvalidRequest for a configuration that cannot train."""
    algorithm = ALGORITHMS.get(config.algo)
    hyperparameters = algorithm.validate(config.hyperparameters, config.total_timesteps)
    torch.set_num_threads(config.torch_threads)
    environments = make_training_environments(config, hyperparameters.environments)
    environments = add_exploration(add_weighting(environments, config), config)
    arguments = _with_classes(hyperparameters.model_arguments(prod(environments.action_space.shape or ())))
    policy = algorithm.policy or policy_for(environments.observation_space)
    if (normalization := hyperparameters.normalization()) is not None:
        environments = VecNormalize(environments, **normalization)  # above the episode statistics: returns stay raw
    model: BaseAlgorithm = load(algorithm.model_class)(
        policy, environments, seed=config.seed, device="cpu", **arguments
    )
    _seed_what_was_drawn_from(model, config.seed)
    return model


def _seed_what_was_drawn_from(model: BaseAlgorithm, seed: int) -> None:
    """Seed the observation space if the model has sampled from it.

    A convolutional network samples an image to learn its own shape, which gives the space a randomly seeded generator.
    Nothing else samples from it.
    """
    space = model.observation_space
    if space._np_random is not None:
        space.seed(seed)


@contextmanager
def closing_environments(model: BaseAlgorithm) -> Iterator[BaseAlgorithm]:
    """Close the model's environments when the block ends."""
    try:
        yield model
    finally:
        environments = model.get_env()
        if environments is not None:
            environments.close()


def policy_for(observations: gymnasium.Space[Any]) -> str:
    """Return the policy class: convolutions for images, a multilayer perceptron for vectors and very small images."""
    if is_image_space(observations):
        assert observations.shape is not None
        first = is_image_space_channels_first(observations)  # type: ignore[arg-type]
        if min(observations.shape[1:] if first else observations.shape[:2]) >= SMALLEST_PICTURE:
            return "CnnPolicy"
    return "MlpPolicy"


def _with_classes(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return ``arguments`` with the activation function's reference replaced by the class."""
    policy = dict(arguments.get("policy_kwargs", {}))
    if "activation_fn" in policy:
        policy["activation_fn"] = load(policy["activation_fn"])
    return {**arguments, "policy_kwargs": policy}


class UpdateInterrupted(LeavesTraining):
    """A stop was requested during an update. The model is consistent: as it was after the last gradient step."""


def make_interruptible(model: BaseAlgorithm, stop: Event) -> None:
    """Make updates of ``model`` raise UpdateInterrupted once ``stop`` is set.

    The library has no callback during an update, but with every algorithm each gradient step begins by taking a
    minibatch from a buffer. At that point the previous step has changed all it changes: networks, targets, optimizers.
    """
    if (replay := getattr(model, "replay_buffer", None)) is not None:
        sample = replay.sample

        def sample_unless_stopped(*arguments: Any, **keywords: Any) -> Any:
            if stop.is_set():
                raise UpdateInterrupted
            return sample(*arguments, **keywords)

        replay.sample = sample_unless_stopped
    if (rollout := getattr(model, "rollout_buffer", None)) is not None:
        get = rollout.get

        def get_until_stopped(*arguments: Any, **keywords: Any) -> Iterator[Any]:
            for minibatch in get(*arguments, **keywords):
                if stop.is_set():
                    raise UpdateInterrupted
                yield minibatch

        rollout.get = get_until_stopped
