"""Descriptions of the spaces of a user's environment, and whether they are still those that were found.

Imports Gymnasium: only workers import this.
"""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import EnvironmentFaulty
from rlviz.domain.spaces import Space

UNKNOWN = Space("Unknown")
"""In place of a space that was not looked at yet."""

MOST_COUNTED = 2**53 - 1
"""So many elements of a space are told apart at most: whole numbers in JSON are exact up to there."""

_KNOWN = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def describe_space(space: gymnasium.Space[Any], what: str) -> Space:
    """``what``: "observation" or "action". Raises EnvironmentFaulty for a space that cannot be learned from."""
    if not isinstance(space, _KNOWN):
        advice = "Dict and Tuple of those too" if what == "observation" else "use one of those"
        raise EnvironmentFaulty(
            f"Its {what} space is {type(space).__name__}; only Box, Discrete, MultiDiscrete and MultiBinary can be "
            f"learned from here ({advice})."
        )
    if 0 in (space.shape or ()):
        raise EnvironmentFaulty(f"Its {what} space {space} has no numbers.")
    if what == "action" and isinstance(space, spaces.Box) and not np.isfinite([space.low, space.high]).all():
        raise EnvironmentFaulty(
            f"Its action space {space} has no bounds, which Stable-Baselines3 needs. Give it finite ones: actions are "
            "best learned from between -1 and 1."
        )
    kind = next(known.__name__ for known in _KNOWN if isinstance(space, known))
    counts = tuple(map(int, space.nvec.flat)) if isinstance(space, spaces.MultiDiscrete) else ()
    n = int(space.n) if isinstance(space, spaces.Discrete) else math.prod(counts) if counts else None
    return Space(
        kind,
        tuple(space.shape or ()),
        None if n is None else min(n, MOST_COUNTED),
        dtype=str(space.dtype),
        counts=counts,
        starts=_starts(space),
        is_bounded=_is_bounded(space),
    )


def check_spaces(custom: CustomEnvironment, env: gymnasium.Env[Any, Any]) -> None:
    """Raises EnvironmentFaulty if the spaces of ``env`` are others than those that were found when its class was
    probed: it was changed since."""
    for what, described, space in (
        ("observation", custom.observation_space, env.observation_space),
        ("action", custom.action_space, env.action_space),
    ):
        if described.kind == UNKNOWN.kind:
            continue
        now = describe_space(space, what)
        if _identity(now) != _identity(described):
            raise EnvironmentFaulty(
                f"Its {what} space is {_text(now)} now, and was {_text(described)}: {custom.entry_point} was changed. "
                "Train a new run, or undo the change."
            )


def _identity(space: Space) -> tuple[object, ...]:
    """What a policy depends on."""
    return space.kind, space.shape, space.n, space.counts, space.dtype if space.kind == "Box" else ""


def _text(space: Space) -> str:
    if space.kind == "Discrete":
        return f"Discrete({space.n})"
    if space.kind == "MultiDiscrete":
        return f"MultiDiscrete({list(space.counts)})"
    return f"{space.kind}({' × '.join(map(str, space.shape)) or 'one number'}, {space.dtype})"


def _starts(space: gymnasium.Space[Any]) -> tuple[int, ...]:
    if isinstance(space, spaces.Discrete):
        starts: tuple[int, ...] = (int(space.start),)
    elif isinstance(space, spaces.MultiDiscrete):
        starts = tuple(int(start) for start in space.start.flat)
    else:
        return ()
    return starts if any(starts) else ()


def _is_bounded(space: gymnasium.Space[Any]) -> bool:
    if not isinstance(space, spaces.Box):
        return True
    return bool((np.isfinite(space.low) & np.isfinite(space.high) & (space.low < space.high)).all())
