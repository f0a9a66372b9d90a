"""What a program may log: steps, names and numbers, checked."""

from __future__ import annotations

import math
from contextlib import suppress
from numbers import Integral, Real

from rlviz.domain.records import MAX_STEP


def checked_step(step: object) -> int:
    """Raises ValueError."""
    if isinstance(step, bool) or not isinstance(step, Integral) or not 0 <= int(step) <= MAX_STEP:
        raise ValueError(f"step is {step!r}: a whole number of environment steps is needed, 0 or more.")
    return int(step)


def checked_name(name: object) -> str:
    """Return a name as a plain text. Raises TypeError."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"{name!r} is no name of a metric: a text is needed.")
    return str(name)


def as_number(name: object, value: object) -> float:
    """NumPy's and torch's scalars too. Raises TypeError."""
    if callable(item := getattr(value, "item", None)):
        with suppress(ValueError, RuntimeError):  # an array of more than one
            value = item()
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, Real):
        raise TypeError(f"{name} is a {type(value).__name__}: only numbers are recorded.")
    try:
        return float(value)
    except OverflowError:
        return math.inf
