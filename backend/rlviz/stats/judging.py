"""Which episodes are worth watching: ranking by return, search, ways to end, and key moments.

A moment must stand out twice: within its episode, and by its size among all episodes played together (``Usual``). An
episode without one has no key moment except its end. Ways to end group episodes by their last states: by name, by
reward, or by a rule that separates these states from others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.environment import LearnedRewards, RewardScale
from rlviz.stats.arrays import Floats, Indices
from rlviz.stats.conditions import Comparable, Condition, Mask, parse_condition
from rlviz.stats.number_text import decimal

Columns: TypeAlias = Mapping[str, NDArray[Any]]

FIELDS: Mapping[str, str] = {
    "return": "Undiscounted sum of rewards.",
    "length": "Environment steps.",
    "step": "Training step of the policy that played.",
    "episode": "Number within its evaluation, from 1.",
    "seed": "Seed the episode was reset with.",
}
"""Fields that can be compared with a number."""

FLAGS: Mapping[str, str] = {
    "terminated": "The environment reached a terminal state.",
    "truncated": "The time limit cut the episode off.",
    "deterministic": "The policy took its most likely actions.",
    "video": "The video is still kept.",
}
"""Flags that hold for an episode or not."""


def parse_query(text: str) -> Condition[Columns]:
    """Parse a search into a function from columns of shape (n,) to a mask of shape (n,).

    Columns must have all of ``FIELDS`` and ``FLAGS``; NaN means unknown. Empty text matches every episode. Raises
    QueryError.
    """
    return parse_condition(text, _Episodes()) if text.strip() else _everything


def _everything(columns: Columns) -> Mask:
    return np.ones(len(columns["return"]), dtype=np.bool_)


class _Episodes:
    comparables: Sequence[str] = tuple(FIELDS)
    flags: Sequence[str] = tuple(FLAGS)

    def comparable(self, name: str) -> Comparable[Columns] | None:
        return Comparable(lambda columns: (columns[name], ~np.isnan(columns[name]))) if name in FIELDS else None

    def flag(self, name: str) -> Callable[[Columns], Mask] | None:
        return (lambda columns: np.asarray(columns[name], dtype=np.bool_)) if name in FLAGS else None


MAX_BINS = 12


@dataclass(frozen=True)
class Ranking:
    """Positions of episodes, from 0. Of equal returns, the earlier episode comes first."""

    worst: int
    median: int
    best: int


@dataclass(frozen=True)
class ReturnBin:
    """Returns from ``low`` (included) to ``high`` (excluded, except in the last bin)."""

    low: float
    high: float
    episodes: tuple[int, ...]
    """Positions of the episodes, from 0, by ascending return."""


def rank_returns(returns: Sequence[float]) -> Ranking:
    """Rank at least one return. With an even number of episodes, the median is the lower of the two middle ones.

    So the median is always a played episode, whose return may be below the median return.
    """
    order = np.argsort(np.asarray(returns, dtype=np.float64), kind="stable")
    best = int(np.argmax(np.asarray(returns, dtype=np.float64)))
    return Ranking(worst=int(order[0]), median=int(order[(len(order) - 1) // 2]), best=best)


def histogram(returns: Sequence[float]) -> list[ReturnBin]:
    """Return bins of equal width from the smallest to the largest return, about √n and at most ``MAX_BINS``.

    One bin without width if all returns are equal; none without returns.
    """
    if not returns:
        return []
    values = np.asarray(returns, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    low, high = float(values.min()), float(values.max())
    if low == high:
        return [ReturnBin(low, high, tuple(order.tolist()))]
    count = min(MAX_BINS, max(2, round(len(values) ** 0.5)))
    edges = np.linspace(low, high, count + 1)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, count - 1)
    return [
        ReturnBin(float(edges[i]), float(edges[i + 1]), tuple(int(at) for at in order if place[at] == i))
        for i in range(count)
    ]


MOST_TYPICAL = 0.02
"""A rule may hold for at most this share of the states that did not end an episode."""

_DIGITS = 6
"""Maximum digits of a threshold."""


@dataclass(frozen=True)
class Component:
    """A number of the observation. Angles (unit ``rad``) are shown in degrees. ``is_flag``: it is 0 or 1."""

    name: str
    unit: str = ""
    is_flag: bool = False


@dataclass(frozen=True)
class Rule:
    """Component number ``place`` lies above (or below) ``threshold``."""

    place: int
    above: bool
    threshold: float
    text: str
    """The rule as a title: ``pole angle > 12°``."""

    def holds(self, states: Floats) -> NDArray[np.bool_]:
        """Return whether the rule holds for each state: shape (n, k) to (n,). It never holds for NaN."""
        values = states[:, self.place]
        return values > self.threshold if self.above else values < self.threshold


@dataclass(frozen=True)
class _Cut:
    """A cut between ``inner``, the outermost state on this side, and ``outer``, the innermost end beyond it."""

    inner: float
    outer: float
    index: float
    gap: float


def separating_rule(
    ends: Floats, before: Floats, typical: Floats, components: Sequence[Component], least: int
) -> Rule | None:
    """Return the rule that best separates ``ends`` from ``typical`` states.

    It maximises Youden's index: the share of ends minus the share of typical states for which it holds. Ties are
    resolved by the widest gap, in standard deviations of the typical states, then by the first component. The
    threshold lies in that gap.

    Args:
        ends: Last states, shape (n, k).
        before: States just before them, shape (n, k), which also limit the gap.
        typical: Other states, shape (m, k).
        components: Descriptions of the k components.
        least: Minimum number of ends for which the rule must hold.

    Returns:
        The rule; None if none holds for ``least`` ends and at most ``MOST_TYPICAL`` of the typical states.
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
    """Return the best cut of one component; values are mirrored for rules with "below"."""
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
    """Return the threshold in the component's unit, and the rule as a title."""
    if component.is_flag:
        return (cut.inner + cut.outer) / 2, f"{component.name} = {int(above)}"
    scale, unit = (180 / math.pi, "°") if component.unit == "rad" else (1.0, f" {component.unit}".rstrip())
    number = roundest_number(cut.inner * scale, cut.outer * scale)
    sign = ">" if above else "<"
    return number / scale, f"{component.name} {sign} {_number(number)}{unit}"


def roundest_number(start: float, stop: float) -> float:
    """Return the number with the fewest digits in [start, stop), in either direction; of several, the one nearest to
    the middle."""
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


MOST_RULES = 4
"""Maximum number of rules per outcome; the remaining ends form their own group."""

LEAST_SHARE = 0.05
"""Minimum share of the ends of an outcome for which a rule holds."""


class EndingKind(StrEnum):
    STATE = "state"  # in a named state
    RULE = "rule"  # a component of the last state lies beyond a threshold
    REWARD = "reward"  # no other step has the last reward
    TERMINATED = "terminated"  # terminated for no known reason
    TRUNCATED = "truncated"  # truncated by the time limit


@dataclass(frozen=True, eq=False)
class Ends:
    """The last records of n episodes, oldest first, and typical states and rewards.

    Attributes:
        state: Last states, shape (n, k); k = 0 for pictures.
        state_before: States before them, shape (n, k).
        reward: Last rewards, shape (n,).
        terminated: Whether each episode terminated, shape (n,).
        typical_state: States that did not end an episode, shape (m, k).
        typical_reward: Rewards of such steps.
        components: Descriptions of the k components.
        places: Names of states of a Discrete space.
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
    """Group all episodes by how they ended; the largest group first, then by first episode.

    Truncated episodes form one group. Terminated ones are grouped by the name of their state, else by an exceptional
    last reward, then by rules on the last state: the best rule first, then the best for the rest, and so on.
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
    """Yield groups for last rewards below, above, and among those of other steps."""
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
        # A Discrete state is a name, not an amount: "state > 3" would be meaningless.
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


def name_squares(squares: Sequence[str]) -> dict[int, str]:
    """Return how an episode ended on each kind of square of a grid world; squares are numbered row by row.

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


@dataclass(frozen=True, eq=False)
class Trajectory:
    """An episode of n actions. Row i is the state after i actions, as in ``domain/recording.py``.

    Attributes:
        reward: Reward that led to each state, shape (n + 1,); NaN at the reset.
        value: Value of each state, V(s) or the maximum of Q(s, a), shape (n + 1,); NaN without a policy.
        terminated: Whether it reached a terminal state.
        truncated: Whether the time limit ended it.
    """

    reward: Floats
    value: Floats
    terminated: bool
    truncated: bool

    @property
    def length(self) -> int:
        """Number of actions."""
        return len(self.reward) - 1


COLLAPSE_STEPS = 10
"""Maximum number of steps over which a collapse of the value is measured."""

COLLAPSE_SHARE = 0.5
"""Minimum collapse as a share of the episode's range of values."""

COLLAPSE_SIZE = 0.2
"""Minimum collapse as a share of the usual value."""

COLLAPSE_CHANGES = 8.0
"""Minimum collapse as a multiple of the usual change per step: flickering values reach six. Ignored in episodes shorter
than twice COLLAPSE_STEPS, because most of those steps may belong to the collapse."""

OUTLIER = 5.0
"""Minimum surprise as a multiple of the median, and minimum deviation of a reward from the median."""

SURPRISE_SIZE = 0.05
"""Minimum surprise as a share of the usual value."""

REWARD_SIZE = 0.1
"""Minimum difference of a reward from the episode's median, as a share of the largest reward of all episodes."""

RARE = 0.1
"""Maximum share of an episode's steps that may have about the largest reward."""

FINAL_STEPS = 10
"""Steps before a termination at which its moment starts."""


class MomentKind(StrEnum):
    LARGEST_REWARD = "largest_reward"
    LARGEST_SURPRISE = "largest_surprise"
    VALUE_COLLAPSE = "value_collapse"
    FINAL_STEPS = "final_steps"


@dataclass(frozen=True)
class Moment:
    """A key moment. ``step``: the record to show; ``amount``: the reward, the surprise, or the fall of the value.

    The steps before a termination have no amount.
    """

    kind: MomentKind
    step: int
    amount: float | None


@dataclass(frozen=True)
class Usual:
    """Typical sizes in episodes played together.

    ``value``: typical size of values, or what it would be if the policy knew the rewards; ``reward``: the largest
    size of a reward; ``surprise``: the median surprise, 0 if unknown.
    """

    value: float
    reward: float
    surprise: float

    @classmethod
    def from_episodes(cls, episodes: Sequence[Trajectory], learned: LearnedRewards) -> Usual:
        rewards = _known([one.reward for one in episodes])
        values = np.abs(_known([one.value for one in episodes]))
        reward = float(np.abs(rewards).max(initial=0.0))
        value = float(np.percentile(values, 90)) if values.size else 0.0
        surprises: Floats = np.empty(0)
        if learned.has_td_errors:
            surprises = _known([surprise(one, learned) for one in episodes])
            value = max([value, *(_worth(one, learned) for one in episodes)])
        return cls(value, reward, float(np.median(surprises)) if surprises.size else 0.0)


def key_moments(episode: Trajectory, learned: LearnedRewards, usual: Usual | None = None) -> list[Moment]:
    """Return at most one moment of each kind, by step. Kinds that do not stand out, or cannot be computed, are left
    out.

    Args:
        episode: The episode.
        learned: The rewards that the policy's values refer to.
        usual: Typical sizes in the episodes played with it; None: it was played alone.
    """
    usual = usual or Usual.from_episodes([episode], learned)
    surprising = _largest_surprise(episode, learned, usual)
    found = (_largest_reward(episode, usual), surprising, _collapse(episode, usual), _final_steps(episode))
    return sorted((moment for moment in found if moment is not None), key=lambda moment: moment.step)


def surprise(episode: Trajectory, learned: LearnedRewards) -> Floats:
    """Return |r + γV(s′) − V(s)| at each state s′, shape (n + 1,); NaN at the reset.

    This is the size of the one-step temporal-difference error (Sutton and Barto, 2018, section 6.1). A terminal
    state has the value 0; after a truncation the last value counts, because the episode would have continued.
    """
    assert learned.gamma is not None
    following = episode.value.copy()
    if episode.terminated:
        following[-1] = 0.0
    error = np.full_like(following, np.nan)
    error[1:] = np.abs(_learned(episode, learned)[1:] + learned.gamma * following[1:] - episode.value[:-1])
    return error


def _learned(episode: Trajectory, learned: LearnedRewards) -> Floats:
    """Return the rewards as the policy learned from them."""
    return np.sign(episode.reward) if learned.scale is RewardScale.SIGN else episode.reward


def _known(parts: Sequence[Floats]) -> Floats:
    """Return all finite numbers in one array."""
    together: Floats = np.concatenate([np.empty(0), *parts])
    finite: Floats = together[np.isfinite(together)]
    return finite


def _worth(episode: Trajectory, learned: LearnedRewards) -> float:
    """Return the size that values would have with the episode's rewards: the largest single one, or their discounted
    sum if spread evenly."""
    assert learned.gamma is not None
    rewards = _known([_learned(episode, learned)])
    if not rewards.size:
        return 0.0
    gamma, steps = min(learned.gamma, 1.0), len(rewards)
    horizon = steps if gamma == 1 else (1 - gamma**steps) / (1 - gamma)
    return max(float(np.abs(rewards).max()), abs(float(rewards.mean())) * horizon)


def _largest_reward(episode: Trajectory, usual: Usual) -> Moment | None:
    """Return the first of the largest rewards, if few are as large and it is far above the usual."""
    rewards = episode.reward
    known = _known([rewards])
    if known.size < 2:
        return None
    middle, largest = float(np.median(known)), float(known.max())
    above, deviation = largest - middle, float(np.median(np.abs(known - middle)))
    if above <= 0 or above < OUTLIER * deviation or above < REWARD_SIZE * usual.reward:
        return None
    if (known > middle + above / 2).sum() > max(1, RARE * known.size):
        return None
    step = int(np.flatnonzero(rewards == largest)[0])
    return Moment(MomentKind.LARGEST_REWARD, step, largest)


def _largest_surprise(episode: Trajectory, learned: LearnedRewards, usual: Usual) -> Moment | None:
    """Return the first of the largest surprises, if it is large for a value, and an outlier in its episode and among
    all."""
    if not learned.has_td_errors:
        return None
    error = surprise(episode, learned)
    known = _known([error])
    if not known.size:
        return None
    largest = float(known.max())
    expected = max(float(np.median(known)), usual.surprise)
    if largest <= 0 or largest < OUTLIER * expected or largest < SURPRISE_SIZE * usual.value:
        return None
    return Moment(MomentKind.LARGEST_SURPRISE, int(np.flatnonzero(error == largest)[0]), largest)


def _collapse(episode: Trajectory, usual: Usual) -> Moment | None:
    """Return where the largest fall of the value starts (of several, the last); None if it is too small."""
    value = np.where(np.isfinite(episode.value), episode.value, np.nan)
    known = value[~np.isnan(value)]
    if known.size < 2:
        return None
    lowest = _lowest_ahead(value, COLLAPSE_STEPS)
    fall = np.nan_to_num(value - lowest, nan=-np.inf)
    depth = float(fall.max())
    flicker = float(np.median(np.abs(np.diff(known)))) if known.size > 2 * COLLAPSE_STEPS else 0.0
    least = max(
        COLLAPSE_SHARE * float(known.max() - known.min()), COLLAPSE_SIZE * usual.value, COLLAPSE_CHANGES * flicker
    )
    if depth <= 0 or depth < least:
        return None
    # All states of a plateau are equally high above the following ones: the fall starts at the last of them.
    return Moment(MomentKind.VALUE_COLLAPSE, int(np.flatnonzero(fall == depth)[-1]), depth)


def _lowest_ahead(value: Floats, steps: int) -> Floats:
    """Return for each state the minimum value over it and the next ``steps``, shape (n,)."""
    lowest = value.copy()
    for ahead in range(1, min(steps, len(value) - 1) + 1):
        lowest[:-ahead] = np.fmin(lowest[:-ahead], value[ahead:])
    return lowest


def _final_steps(episode: Trajectory) -> Moment | None:
    if not episode.terminated or episode.length == 0:
        return None
    return Moment(MomentKind.FINAL_STEPS, max(0, episode.length - FINAL_STEPS), None)
