"""Helpers to write the keys that an environment is played with. The keys themselves are in the file of each family.

Keys are named by their position on the keyboard (``KeyboardEvent.code`` of the browser), so that keys that are side by
side are so on every layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rlviz.domain.key_bindings import Binding, Controls

LEFT, RIGHT, UP, DOWN, SPACE = "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Space"

_LETTERS = {LEFT: "KeyA", RIGHT: "KeyD", UP: "KeyW", DOWN: "KeyS"}
"""Letters that games use in place of the arrow keys."""


KeysByAction = Mapping[int, str | tuple[str, ...]]


class Push(NamedTuple):
    """A key that moves a component of the action to a bound."""

    key: str
    bound: float
    label: str


def pressed(keys: KeysByAction, labels: Sequence[str], *, neutral: int | None = None) -> Controls:
    """Controls for a Discrete action space: the key of each action, or the keys to hold together.

    ``labels`` are those of the action space.
    """
    bindings = [
        Binding((held,) if isinstance(held, str) else held, float(action), label=labels[action])
        for action, held in keys.items()
    ]
    return Controls(with_letters(bindings), (None if neutral is None else float(neutral),))


def pushed(*components: Sequence[Push], neutral: Sequence[float] | None = None) -> Controls:
    """Controls for a Box action space: the keys of each component, in the order of the components; 0 is neutral."""
    bindings = [
        Binding((push.key,), push.bound, place, push.label)
        for place, pushes in enumerate(components)
        for push in pushes
    ]
    rest = (0.0,) * len(components) if neutral is None else tuple(neutral)
    return Controls(with_letters(bindings), rest, is_continuous=True)


def with_letters(bindings: Sequence[Binding]) -> tuple[Binding, ...]:
    """``bindings``, and the same with letters in place of arrow keys, unless one of these letters is bound already."""
    used = {key for binding in bindings for key in binding.keys}
    if used & set(_LETTERS.values()):
        return tuple(bindings)
    again = [
        Binding(tuple(_LETTERS.get(key, key) for key in binding.keys), binding.value, binding.component, binding.label)
        for binding in bindings
        if not set(_LETTERS).isdisjoint(binding.keys)
    ]
    return (*bindings, *again)
