"""Rule: one component of an observation is beyond a threshold. ``separating_rule`` finds the one that best separates
ends from other states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rlviz.analysis.arrays import Floats
from rlviz.analysis.numbers import decimal

MOST_TYPICAL = 0.02
"""A rule holds for at most this share of the states that did not end an episode."""

_DIGITS = 6
"""Thresholds are written with at most so many digits."""


@dataclass(frozen=True)
class Component:
    """A number of the observation. Angles (unit ``rad``) are told in degrees. ``is_flag``: it is 0 or 1."""

    name: str
    unit: str = ""
    is_flag: bool = False


@dataclass(frozen=True)
class Rule:
    """Component number ``place`` lies beyond ``threshold``: above it, or below."""

    place: int
    above: bool
    threshold: float
    text: str
    """As a title: ``pole angle > 12°``."""

    def holds(self, states: Floats) -> NDArray[np.bool_]:
        """Whether the rule holds for each of the states, shape (n, k) to shape (n,). It never holds for NaN."""
        values = states[:, self.place]
        return values > self.threshold if self.above else values < self.threshold


@dataclass(frozen=True)
class _Cut:
    """Between ``inner``, the outermost state that is not beyond, and ``outer``, the innermost end that is."""

    inner: float
    outer: float
    index: float
    gap: float


def separating_rule(
    ends: Floats, before: Floats, typical: Floats, components: Sequence[Component], least: int
) -> Rule | None:
    """The rule that holds for the most of ``ends``, shape (n, k), and for the least of ``typical``, shape (m, k).

    It maximises Youden's index: the share of the ends less that of the typical states for which it holds. Of equals,
    the one with the widest gap to typical states and to those just ``before`` the ends, shape (n, k), in standard
    deviations of the typical states; then the first component. The threshold lies in that gap.
    None if no rule holds for ``least`` ends and at most ``MOST_TYPICAL`` of the typical states.
    """
    if not len(ends) or not len(typical):
        return None
    known = [
        (cut, place, above)
        for place in range(ends.shape[1])
        for above in (True, False)
        if (cut := _best_cut(ends[:, place], before[:, place], typical[:, place], above, least)) is not None
    ]
    if not known:
        return None
    cut, place, above = min(known, key=lambda each: (-round(each[0].index, 3), -each[0].gap, each[1]))
    threshold, text = _threshold(components[place], cut, above)
    return Rule(place, above, threshold, text)


def _best_cut(ends: Floats, before: Floats, typical: Floats, above: bool, least: int) -> _Cut | None:
    """The best place to cut one component; values are mirrored where the rule looks below."""
    side = 1.0 if above else -1.0
    ends, before, typical = (np.sort(side * values[np.isfinite(values)]) for values in (ends, before, typical))
    if not len(ends) or not len(typical):
        return None
    beyond_typical = 1 - np.searchsorted(typical, ends, side="left") / len(typical)
    covered = len(ends) - np.searchsorted(ends, ends, side="left")
    index = covered / len(ends) - beyond_typical
    index[(beyond_typical > MOST_TYPICAL) | (covered < least)] = -np.inf
    at = int(np.argmax(index))
    if not index[at] > 0:
        return None
    outer = float(ends[at])
    within = [values[values < outer] for values in (ends, before, typical)]
    inner = max((float(values[-1]) for values in within if len(values)), default=outer - 1.0)
    spread = float(typical.std()) or 1.0
    return _Cut(side * inner, side * outer, float(index[at]), (outer - inner) / spread)


def _threshold(component: Component, cut: _Cut, above: bool) -> tuple[float, str]:
    """The threshold in the component's own unit, and the rule as a title."""
    if component.is_flag:
        return (cut.inner + cut.outer) / 2, f"{component.name} = {int(above)}"
    scale, unit = (180 / math.pi, "°") if component.unit == "rad" else (1.0, f" {component.unit}".rstrip())
    number = roundest(cut.inner * scale, cut.outer * scale)
    sign = ">" if above else "<"
    return number / scale, f"{component.name} {sign} {_number(number)}{unit}"


def roundest(start: float, stop: float) -> float:
    """The number with the fewest digits in [start, stop), in either direction. Of several, the one nearest to the
    middle."""
    low, high, middle = min(start, stop), max(start, stop), (start + stop) / 2
    for number in _candidates(low, high, middle):
        if low <= number <= high and number != stop:
            return number
    return start


def _candidates(low: float, high: float, middle: float) -> Iterator[float]:
    if low <= 0 <= high:
        yield 0.0
    size = math.floor(math.log10(max(abs(low), abs(high), 1e-300)))
    for digits in range(_DIGITS):
        unit = 10.0 ** (size - digits)
        nearest = round(middle / unit)
        for number in sorted((nearest - 1, nearest, nearest + 1), key=lambda each: abs(each * unit - middle)):
            yield round(number * unit, max(0, digits - size))


def _number(value: float) -> str:
    return (f"{value:.6g}" if abs(value) < 1e5 else decimal(value)).replace("-", "−")
