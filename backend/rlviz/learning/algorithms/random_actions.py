"""The settings of a run of random actions: its length. It is listed with the algorithms, but has no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rlviz.domain.config import RunActor
from rlviz.learning.algorithms.base import HERE, Algorithm, Hyperparameters, Layout, MemoryNeed

RANDOM_TIMESTEPS = 10_000
"""Default number of steps of a run."""


class NoHyperparameters(Hyperparameters):
    defaults_of: ClassVar[str] = HERE
    own_defaults: ClassVar[Mapping[str, str]] = {}
    rollout_factors: ClassVar[tuple[str, ...]] = ()

    @property
    def environments(self) -> int:
        return 1

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        return {}

    def memory(self, observation: Layout, action: Layout) -> MemoryNeed:
        return MemoryNeed(None, 0, 0)


RANDOM = Algorithm(
    id=RunActor.RANDOM.value,
    name="Random",
    title="Random actions",
    summary="Draws each action from the action space and learns nothing: a baseline for every algorithm.",
    observation_spaces=("Box", "Discrete", "MultiDiscrete", "MultiBinary", "Tuple", "Dict"),
    action_spaces=("Box", "Discrete", "MultiDiscrete", "MultiBinary"),
    model_class="",
    reader="",
    hyperparameters=NoHyperparameters,
    metrics=(),
)
