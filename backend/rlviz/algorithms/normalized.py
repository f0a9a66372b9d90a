"""Normalisation of observations and rewards during training, for every algorithm with a network."""

from __future__ import annotations

from typing import Any

from rlviz.domain.errors import FieldError
from rlviz.domain.spaces import Space

SWITCHES = ("normalize_observations", "normalize_rewards")
CLIP = 10.0
"""Normalised values are clipped to ±10, as in Stable-Baselines3's ``VecNormalize``."""


def vec_normalize(observations: bool, rewards: bool, gamma: float) -> dict[str, Any] | None:
    """Keyword arguments of the library's ``VecNormalize``; None if neither is normalised."""
    if not (observations or rewards):
        return None
    return {"norm_obs": observations, "norm_reward": rewards, "gamma": gamma, "clip_obs": CLIP, "clip_reward": CLIP}


def check_scale(normalize_observations: bool, space: Space) -> list[FieldError]:
    """Not for pictures and states: they are integers that the policy scales or encodes itself."""
    if not normalize_observations or space.is_real:
        return []
    return [
        FieldError(
            "/hyperparameters/normalize_observations",
            f"Only observations of real numbers (Box, float) can be normalised; these are {space.kind}, {space.dtype}. "
            "Switch it off: the network brings such observations to one scale itself.",
        )
    ]
