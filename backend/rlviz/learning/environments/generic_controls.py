"""Keys for environments that define none, such as custom ones. Imports Gymnasium, so only workers may import it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from rlviz.domain.environment import Binding, Controls

_ROWS = (
    tuple(f"Digit{digit}" for digit in "1234567890"),
    *(tuple(f"Key{letter}" for letter in row) for row in ("QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM")),
)
_ALL = tuple(chain.from_iterable(_ROWS))
_PAIRS = (
    ("ArrowLeft", "ArrowRight"),
    ("ArrowDown", "ArrowUp"),
    *((f"Key{less}", f"Key{more}") for less, more in ("AD", "SW", "JL", "KI", "FH", "GT", "QE", "UO", "ZX", "NM")),
)
"""Pairs of keys for a component; the first key decreases it."""

_UNBOUNDED = 1.0
"""The value of a key for a component without a bound."""


def generic_controls(space: gymnasium.Space[Any]) -> Controls:
    """Return controls for ``space``, for as many components as there are keys.

    A Discrete space gets digits, a MultiDiscrete one a row of keys for each component, a Box a pair of keys for each.
    """
    if isinstance(space, spaces.Discrete):
        first = int(space.start)
        return Controls(
            tuple(
                Binding((key,), float(first + place), label=f"action {first + place}")
                for place, key in zip(range(int(space.n)), _ALL, strict=False)
            ),
            (None,),
        )
    if isinstance(space, spaces.MultiDiscrete):
        return _in_rows([int(count) for count in space.nvec.flat], [int(start) for start in space.start.flat])
    if isinstance(space, spaces.MultiBinary):
        count = math.prod(space.shape)
        bindings = (Binding((key,), 1.0, place, f"bit {place}") for place, key in zip(range(count), _ALL, strict=False))
        return Controls(tuple(bindings), (0.0,) * count)
    assert isinstance(space, spaces.Box)
    return _in_pairs(space.low.flatten().tolist(), space.high.flatten().tolist())


def _in_rows(counts: Sequence[int], starts: Sequence[int]) -> Controls:
    """Return a row of keys for each component, whose first value is neutral."""
    bindings = [
        Binding((key,), float(value), place, f"component {place}: {value}")
        for place, (row, count, start) in enumerate(zip(_ROWS, counts, starts, strict=False))
        for key, value in zip(row, range(start + 1, start + count), strict=False)
    ]
    return Controls(tuple(bindings), tuple(float(start) for start in starts))


def _in_pairs(low: Sequence[float], high: Sequence[float]) -> Controls:
    """Return a pair of keys for each component. Neutral is zero, or the bound nearest to zero."""
    least = [bound if math.isfinite(bound) else -_UNBOUNDED for bound in low]
    most = [bound if math.isfinite(bound) else _UNBOUNDED for bound in high]
    neutral = [float(value) for value in np.clip(np.zeros(len(least)), least, most)]
    bindings = [
        Binding((key,), bound, place, f"component {place} {sign}")
        for place, pair in zip(range(len(least)), _PAIRS, strict=False)
        for key, bound, sign in zip(pair, (least[place], most[place]), "−+", strict=True)
        if bound != neutral[place]
    ]
    return Controls(tuple(bindings), tuple(neutral), is_continuous=True)
