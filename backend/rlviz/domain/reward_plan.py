"""RewardPlan: how much each component of an environment's reward counts in training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import ConfigDict, Field, field_validator

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.reward_components import MOST_COMPONENTS

ComponentName = Annotated[str, Field(max_length=LIMITS.choice.maximum)]
Weight = Annotated[float, Field(ge=LIMITS.reward_weight.minimum, le=LIMITS.reward_weight.maximum)]
Cap = Annotated[float, Field(gt=LIMITS.reward_cap.minimum, le=LIMITS.reward_cap.maximum)]


class RewardPlan(LazyModel):
    """Weights and caps of the components of an environment's reward. They change only what training learns from.

    Training learns from the sum of all components, each first capped, then multiplied by its weight.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    weights: dict[ComponentName, Weight] = Field(
        default={},
        max_length=MOST_COMPONENTS,
        description="Factor of each component, by name; 0 switches it off. Others have a factor of 1.",
    )
    caps: dict[ComponentName, Cap] = Field(
        default={},
        max_length=MOST_COMPONENTS,
        description="Limit of a component's sum in an episode, by name, before it is weighted: training learns from at "
        "most +cap and at least −cap. Others have none.",
    )

    @field_validator("weights")
    @classmethod
    def _leave_out_ones(cls, weights: Mapping[str, float]) -> dict[str, float]:
        """Leave out weights of 1, so that plans that do the same are equal."""
        return {name: weight for name, weight in weights.items() if weight != 1}

    @property
    def is_on(self) -> bool:
        return bool(self.weights or self.caps)

    def limits_gain(self, component: str) -> bool:
        """Return whether an episode cannot earn more and more with a component: it is capped or switched off."""
        return component in self.caps or self.weights.get(component) == 0

    def __str__(self) -> str:
        """Return for instance ``main_engine × 0, approach within ±50``."""
        weights = [f"{name} × {weight:g}" for name, weight in self.weights.items()]
        return ", ".join([*weights, *(f"{name} within ±{cap:g}" for name, cap in self.caps.items())])
