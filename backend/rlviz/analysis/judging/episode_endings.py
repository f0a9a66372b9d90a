"""Ways to end: episodes grouped by what their last states have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from rlviz.analysis.arrays import Floats, Indices
from rlviz.analysis.judging.rule import Component, Rule, separating_rule
from rlviz.analysis.numbers import decimal

MOST_RULES = 4
"""Maximum number of rules for the ends of one outcome; the rest is a group of its own."""

LEAST_SHARE = 0.05
"""A rule holds for at least this share of the ends of its outcome."""


class EndingKind(StrEnum):
    STATE = "state"  # in a named state
    RULE = "rule"  # a component of the last state lies beyond a threshold
    REWARD = "reward"  # the last reward is one that no other step has
    TERMINATED = "terminated"  # terminated, without any of these
    TRUNCATED = "truncated"  # truncated by the time limit


@dataclass(frozen=True, eq=False)
class Ends:
    """The last records of n episodes, oldest first, and what states and rewards are like otherwise.

    ``state`` has shape (n, k), k = 0 for pictures, and so has the ``state_before``; ``reward`` and ``terminated`` have
    shape (n,). ``typical_state``, shape (m, k), and ``typical_reward`` are of steps that ended nothing. ``places``
    names states of a Discrete space.
    """

    state: Floats
    state_before: Floats
    reward: Floats
    terminated: Indices
    typical_state: Floats
    typical_reward: Floats
    components: Sequence[Component] = ()
    places: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """One way to end. ``episodes``: positions among the ends, from 0."""

    kind: EndingKind
    title: str
    episodes: tuple[int, ...]
    rule: Rule | None = None


def group_endings(ends: Ends) -> list[Ending]:
    """Every episode is in exactly one group; the largest group comes first, of equals the one with the first episode.

    What the time limit cut off is one group. Terminated episodes are told apart by the name of the state if it has
    one, else by an exceptional last reward, and then by rules on the components of the last state: the best one, the
    best one for those that it leaves, and so on.
    """
    everyone = np.arange(len(ends.terminated))
    cut_off = everyone[ends.terminated == 0]
    found = [] if not len(cut_off) else [_ending(EndingKind.TRUNCATED, "cut off by the time limit", cut_off)]
    terminal = everyone[ends.terminated != 0]
    named = _by_place(ends, terminal) if ends.places else list(_by_outcome(ends, terminal))
    return sorted([*found, *named], key=lambda group: (-len(group.episodes), group.episodes[0]))


def _by_place(ends: Ends, terminal: Indices) -> list[Ending]:
    groups: dict[str, list[int]] = {}
    for at in terminal.tolist():
        state = ends.state[at, 0]
        name = ends.places.get(int(state)) if math.isfinite(state) else None
        groups.setdefault(name or "terminated", []).append(at)
    return [_ending(EndingKind.STATE, name, np.array(episodes)) for name, episodes in groups.items()]


def _by_outcome(ends: Ends, terminal: Indices) -> Iterator[Ending]:
    """Below all rewards of other steps, above them, or among them."""
    reward = ends.reward[terminal]
    typical = ends.typical_reward[np.isfinite(ends.typical_reward)]
    low, high = (typical.min(), typical.max()) if len(typical) else (-math.inf, math.inf)
    slack = 0.01 * (high - low) if len(typical) else 0.0
    below, above = reward < low - slack, reward > high + slack
    for mask, exceptional in ((below, True), (above, True), (~(below | above), False)):
        if mask.any():
            yield from _by_rule(ends, terminal[mask], exceptional)


def _by_rule(ends: Ends, episodes: Indices, exceptional: bool) -> Iterator[Ending]:
    left, least = episodes, max(1, math.ceil(LEAST_SHARE * len(episodes)))
    for _ in range(MOST_RULES):
        # A Discrete state is a name, not an amount, and has no components: "state > 3" would say nothing.
        if not ends.components:
            break
        state, before = ends.state[left], ends.state_before[left]
        rule = separating_rule(state, before, ends.typical_state, ends.components, least)
        if rule is None:
            break
        holds = rule.holds(state)
        yield Ending(EndingKind.RULE, rule.text, tuple(left[holds].tolist()), rule)
        left = left[~holds]
    if not len(left):
        return
    if exceptional:
        middle = float(np.median(ends.reward[left]))
        yield _ending(EndingKind.REWARD, f"last reward {decimal(middle).replace('-', '−')}", left)
    else:
        yield _ending(EndingKind.TERMINATED, "terminated", left)


def _ending(kind: EndingKind, title: str, episodes: Indices) -> Ending:
    return Ending(kind, title, tuple(episodes.tolist()))


def places_of(squares: Sequence[str]) -> dict[int, str]:
    """The kind of square that an episode ended on, for grid worlds; squares are numbered row by row.

    Letters as in Gymnasium: S start, G goal, F free, H hole, C cliff.
    """
    width = len(squares[0]) if squares else 0
    return {
        row * width + column: _square(letter, row + 1, column + 1)
        for row, letters in enumerate(squares)
        for column, letter in enumerate(letters)
    }


def _square(letter: str, row: int, column: int) -> str:
    where = f"at row {row}, column {column}"
    match letter:
        case "G":
            return "reached the goal"
        case "H":
            return f"fell into a hole {where}"
        case "C":
            return f"fell off the cliff {where}"
        case _:
            return f"ended {where}"
