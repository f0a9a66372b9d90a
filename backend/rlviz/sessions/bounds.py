"""Between which bounds the numbers of an action lie."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

Bounds = tuple[tuple[float | None, float | None], ...]


def bounds_of(space: gymnasium.Space[Any]) -> Bounds | None:
    """Least and greatest of each number of a Box, flattened; None within: unbounded. None for other spaces."""
    if not isinstance(space, gymnasium.spaces.Box):
        return None
    return tuple((_finite(low), _finite(high)) for low, high in zip(space.low.flat, space.high.flat, strict=True))


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
