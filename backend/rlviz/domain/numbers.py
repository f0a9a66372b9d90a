"""What counts as a number that a journal can record."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any

from rlviz.domain.records import MAX_STEP


def number_of(value: object) -> float | int | None:
    """``value`` as a plain number that JSON can represent; None if it is not a number.

    Scalars of NumPy and torch count, and arrays of one element. An integer that a float64 cannot represent exactly
    becomes a float, infinite if it is too large for one.
    """
    if type(value) is float:
        return value
    if callable(item := getattr(value, "item", None)) and hasattr(value, "dtype"):
        try:
            value = item()
        except Exception:  # an array of several elements, or one of a library that refuses
            return None
    if isinstance(value, int):
        return int(value) if abs(value) <= MAX_STEP else _as_float(value)
    return _as_float(value) if isinstance(value, Real | Decimal) else None


def _as_float(value: Any) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception:  # a class of someone else's
        return None
