"""The actions that could have been taken instead of a recorded one: which are offered, and which are valid."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from rlviz.domain.errors import InvalidRequest, NoOtherFuture
from rlviz.domain.spaces import SpaceLayout

MOST_CHOICES = 24
"""Larger spaces offer the first of their actions; any other one can be given by its numbers."""


@dataclass(frozen=True)
class ActionChoice:
    """An action by its numbers, as in step records, with a name for the menu."""

    name: str
    action: list[float]


def name_action(layout: SpaceLayout, labels: Sequence[str], action: Sequence[float]) -> str:
    """Return the name of a discrete action, or the components of another one with their values."""
    if layout.kind == "Discrete":
        place = int(action[0]) - _starts(layout)[0]
        return labels[place] if place < len(labels) else f"action {int(action[0])}"
    values = [_number(value) for value in action]
    if len(labels) == len(values):
        values = [f"{label} {value}" for label, value in zip(labels, values, strict=True)]
    return ", ".join(values)


def offer_actions(layout: SpaceLayout, labels: Sequence[str], taken: Sequence[float]) -> list[ActionChoice]:
    """Return the actions to offer instead of ``taken``.

    A discrete space offers its other actions; a continuous one the opposite, zero, and its bounds; several discrete
    numbers every action that differs in one of them. Raises NoOtherFuture for composed actions.
    """
    _check_layout(layout)
    if layout.kind == "Discrete":
        return [ActionChoice(name_action(layout, labels, one), one) for one in _varied(layout, taken)]
    if layout.kind != "Box":
        return [ActionChoice(name_action(layout, labels, one), one) for one in _varied(layout, taken)]
    size = len(taken)
    named = {
        "the opposite": [-value for value in taken],
        "zero": [0.0] * size,
        "the maximum": list(layout.high or []),
        "the minimum": list(layout.low or []),
    }
    found: list[ActionChoice] = []
    for name, action in named.items():
        other = _rounded(layout, action)
        if len(other) == size and _is_within(layout, other) and not _is_known(other, taken, found):
            values = name_action(layout, labels if size > 1 else (), other)
            found.append(ActionChoice(f"{name} ({values})", other))
    return found


def check_action(layout: SpaceLayout, taken: Sequence[float], action: Sequence[float]) -> list[float]:
    """Return ``action`` as the environment takes it. Raises InvalidRequest, or NoOtherFuture for composed actions."""
    _check_layout(layout)
    if len(action) != len(taken):
        raise InvalidRequest.field("/action", f"Give {len(taken)} numbers; got {len(action)}.")
    other = _rounded(layout, action)
    if not _is_within(layout, other):
        raise InvalidRequest.field("/action", _bounds_text(layout))
    if other == list(taken):
        raise InvalidRequest.field("/action", "This action was taken. Choose another one.")
    return other


def _check_layout(layout: SpaceLayout) -> None:
    if layout.parts or not layout.numbers:
        raise NoOtherFuture(f"Single actions of this environment cannot be chosen: its action space is {layout.kind}.")


def _varied(layout: SpaceLayout, taken: Sequence[float]) -> list[list[float]]:
    """Return the actions that differ from ``taken`` in one number."""

    def all_of_them() -> Iterator[list[float]]:
        for place, (count, start) in enumerate(zip(_counts(layout), _starts(layout), strict=True)):
            for value in range(start, start + count):
                if value != taken[place]:
                    yield [*taken[:place], float(value), *taken[place + 1 :]]

    return [one for one, _ in zip(all_of_them(), range(MOST_CHOICES), strict=False)]


def _counts(layout: SpaceLayout) -> list[int]:
    return layout.counts or [2] * layout.numbers  # MultiBinary


def _starts(layout: SpaceLayout) -> list[int]:
    return layout.starts or [0] * layout.numbers


def _rounded(layout: SpaceLayout, action: Sequence[float]) -> list[float]:
    """Round to the precision of the space, so that equal actions have equal numbers. Minus zero becomes zero."""
    exact = array("f", action).tolist() if layout.dtype == "float32" else list(action)
    return [value + 0.0 for value in exact]


def _is_within(layout: SpaceLayout, action: Sequence[float]) -> bool:
    if not all(map(isfinite, action)):
        return False
    if layout.kind == "Box":
        low, high = layout.low or [], layout.high or []
        within = all(one <= value <= most for one, value, most in zip(low, action, high, strict=True))
        return within and (layout.dtype.startswith("float") or all(value.is_integer() for value in action))
    bounds = zip(_counts(layout), _starts(layout), action, strict=True)
    return all(value.is_integer() and start <= value < start + count for count, start, value in bounds)


def _is_known(action: list[float], taken: Sequence[float], found: Sequence[ActionChoice]) -> bool:
    return action == list(taken) or any(action == one.action for one in found)


def _bounds_text(layout: SpaceLayout) -> str:
    if layout.kind == "Box":
        pairs = zip(layout.low or [], layout.high or [], strict=True)
        bounds = [f"{_number(low)} to {_number(high)}" for low, high in pairs]
    else:
        bounds = [
            f"{start} to {start + count - 1}" for count, start in zip(_counts(layout), _starts(layout), strict=True)
        ]
    whole = "" if layout.dtype.startswith("float") else "whole "
    return f"The environment takes {whole}numbers within {_list(bounds)}."


def _list(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"({', '.join(values)})"


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")
