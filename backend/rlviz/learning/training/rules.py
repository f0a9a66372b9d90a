"""Evaluates the rules of a run: which fire at a row of metrics or at a time, and which actions they decide.

``Engine`` holds one tracker for each rule. A tracker gets each value of its metric in order and answers True, False, or
None if the value decides nothing. True and False have different limits (hysteresis), so that a metric that fluctuates
around a limit fires once. ``RuleClock`` measures seconds of training and disk space for rules that depend on them.
``dry_run`` finds where rules would have fired in a finished run.
"""

from __future__ import annotations

import math
import time
from abc import ABC
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rlviz.domain.errors import RunFolderError
from rlviz.domain.metrics import MetricRecord
from rlviz.domain.rules import (
    TRAINING,
    Action,
    Better,
    Condition,
    DiskLimit,
    Fall,
    MetricIs,
    NewBest,
    NotFinite,
    Plateau,
    Rule,
    SecondsLimit,
    StepsLimit,
    StopTraining,
    TrainingError,
    action_target,
)
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.usage import folder_bytes

LOOK_SECONDS = 0.25
"""How often clock rules are checked."""

DISK_SECONDS = 5.0
"""How often the size of the run folder is measured, if a rule needs it."""

CLOCKED = SecondsLimit | StepsLimit | DiskLimit
"""Conditions that are checked by the clock instead of with every row."""


class RuleClock:
    """Measures what clock rules depend on: seconds of training and the size of the run folder in bytes.

    ``check_due`` is for the watcher's thread. ``disk`` is None until it was measured.
    """

    def __init__(self, folder: RunFolder, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._began, self._before = monotonic(), 0.0
        self._look_at, self._disk_at = 0.0, 0.0
        self._counts_disk = False
        self.is_needed = False
        """Whether there are clock rules."""
        self.disk: int | None = None

    def set_rules(self, rules: Sequence[Rule]) -> None:
        """Measure what ``rules`` need from now on."""
        conditions = [rule.when for rule in rules]
        self.is_needed = any(isinstance(one, CLOCKED) for one in conditions)
        self._counts_disk = any(isinstance(one, DiskLimit) for one in conditions)

    def check_due(self) -> bool:
        """Return whether the rules must be checked now."""
        now = self._monotonic()
        if self._counts_disk and now >= self._disk_at:
            self._disk_at = now + DISK_SECONDS
            self.disk = folder_bytes(self._folder.path)
        if not self.is_needed or now < self._look_at:
            return False
        self._look_at = now + LOOK_SECONDS
        return True

    @property
    def seconds(self) -> float:
        """Seconds of training, including earlier attempts."""
        return self._before + self._monotonic() - self._began

    def continue_from(self, seconds: float) -> None:
        """Continue counting from ``seconds`` of training."""
        self._before, self._began = seconds, self._monotonic()


def read_active_rules(folder: RunFolder, of_config: Sequence[Rule], journals: RunJournals) -> Sequence[Rule]:
    """Return the rules of ``rules.json``, or of the configuration. An unreadable file is ignored, with a warning."""
    try:
        changed = folder.read_rules()
    except RunFolderError as error:
        journals.warn_now(f"The changed rules could not be read; the rules of the configuration apply. {error}")
        return of_config
    return of_config if changed is None else changed.rules


RAISED = "training/raised"
"""The metric that rules see when training raises an error. No journal row contains it."""

DISK_RELIEF = 0.9
"""The condition is false again when the run uses less than this share of the limit."""


class Tracker(ABC):
    """Decides whether a condition is true. All attributes other than ``condition`` are its state, as plain values."""

    is_momentary: ClassVar[bool] = False
    """Whether each True is an event of its own, so that the rule fires again without a False between."""

    condition: Any

    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        """Process a value of a watched metric; NaN if it is not finite."""
        return None

    def observe_clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        """Process the steps done, the seconds trained, and the size of the run folder in bytes if measured."""
        return None

    def watches(self, name: str) -> bool:
        return bool(getattr(self.condition, "metric", "") == name)

    def state(self) -> dict[str, Any]:
        return {
            name: set(value) if isinstance(value, set) else value
            for name, value in vars(self).items()
            if name != "condition"
        }

    def restore(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


class _Metric(Tracker):
    def __init__(self, condition: MetricIs) -> None:
        self.condition = condition
        self.inside = self.outside = 0

    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        if math.isnan(value):
            self.inside = self.outside = 0
        elif self._holds(value):
            self.inside, self.outside = self.inside + 1, 0
        else:
            self.inside, self.outside = 0, self.outside + 1
        rows = self.condition.rows
        return True if self.inside >= rows else False if self.outside >= rows else None

    def _holds(self, value: float) -> bool:
        limit = self.condition.value
        match self.condition.side:
            case "above":
                return bool(value > limit)
            case "at_least":
                return bool(value >= limit)
            case "below":
                return bool(value < limit)
            case _:
                return bool(value <= limit)


class _NotFinite(Tracker):
    def __init__(self, condition: NotFinite) -> None:
        self.condition = condition
        self.names: set[str] = set()

    def watches(self, name: str) -> bool:
        return self.condition.metric in (None, name)

    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        if math.isfinite(value):
            self.names.discard(name)
        else:
            self.names.add(name)
        return bool(self.names)


class _Best(Tracker):
    """Keeps the best value so far."""

    def __init__(self, condition: Plateau | NewBest) -> None:
        self.condition = condition
        self.best: float | None = None
        self.best_step = 0

    def improves(self, step: int, value: float, by: float = 0.0) -> bool:
        """Return whether ``value`` is better than the best by more than ``by``, and keep it. The first one counts."""
        if self.best is not None and _gain(self.condition.better, self.best, value) <= by:
            return False
        self.best, self.best_step = value, step
        return True


class _Plateau(_Best):
    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        if math.isnan(value):
            return None
        if self.improves(step, value, self.condition.by):
            return False
        return True if step - self.best_step >= self.condition.steps else None


class _NewBest(_Best):
    is_momentary = True

    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        is_first = self.best is None
        return not math.isnan(value) and self.improves(step, value) and not is_first


class _Fall(Tracker):
    def __init__(self, condition: Fall) -> None:
        self.condition = condition
        self.best = -math.inf
        self.lowest = math.inf
        """Lowest value up to the best one."""

    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        if not math.isfinite(value):
            return None
        if value > self.best:
            self.best, self.lowest = value, min(self.lowest, value)
            return False
        if self.best == -math.inf:
            return None
        depth = self.condition.share * max(abs(self.best), self.best - self.lowest)
        fallen = self.best - value
        if depth > 0 and fallen >= depth:
            return True
        return False if fallen <= depth / 2 else None


class _Error(Tracker):
    is_momentary = True

    def __init__(self, condition: TrainingError) -> None:
        self.condition = condition

    def watches(self, name: str) -> bool:
        return name == RAISED

    def observe_value(self, name: str, step: int, value: float) -> bool | None:
        return True


class _Limit(Tracker):
    """True from the limit on."""

    def __init__(self, condition: SecondsLimit | StepsLimit) -> None:
        self.condition = condition

    def observe_clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        if isinstance(self.condition, SecondsLimit):
            return bool(seconds >= self.condition.seconds)
        return bool(step >= self.condition.steps)


class _Disk(Tracker):
    def __init__(self, condition: DiskLimit) -> None:
        self.condition = condition

    def observe_clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        if disk is None:
            return None
        return True if disk >= self.condition.bytes else False if disk < DISK_RELIEF * self.condition.bytes else None


def make_tracker(condition: Condition) -> Tracker:
    match condition:
        case MetricIs():
            return _Metric(condition)
        case NotFinite():
            return _NotFinite(condition)
        case Plateau():
            return _Plateau(condition)
        case NewBest():
            return _NewBest(condition)
        case Fall():
            return _Fall(condition)
        case TrainingError():
            return _Error(condition)
        case SecondsLimit() | StepsLimit():
            return _Limit(condition)
        case DiskLimit():
            return _Disk(condition)


def _gain(better: Better, before: float, after: float) -> float:
    return after - before if better == "higher" else before - after


@dataclass(frozen=True)
class Firing:
    """A rule fired at a row.

    Args:
        number: The rule's position, from 1.
        left_out: One sentence for each action that is not done because an earlier rule decided otherwise.
    """

    number: int
    rule: Rule
    step: int
    count: int
    """How often the rule has fired, this time included."""
    actions: tuple[Action, ...]
    left_out: tuple[str, ...] = ()

    @property
    def is_last(self) -> bool:
        return self.count >= self.rule.at_most


class _Watched:
    """A rule that fires when its condition becomes true, and again only after it was false."""

    def __init__(self, rule: Rule) -> None:
        self.rule, self.tracker = rule, make_tracker(rule.when)
        self.is_armed, self.count = True, 0

    def update(self, is_true: bool | None) -> bool:
        """Process the condition's new value. Returns whether the rule fires."""
        if is_true is None:
            return False
        fires = is_true and self.is_armed and self.count < self.rule.at_most
        self.is_armed = not is_true or self.tracker.is_momentary
        self.count += fires
        return fires


class Engine:
    """Evaluates ``rules`` on the rows of a run, in the order they were logged.

    Rules that fire at the same row act in their order. If two decide about the same thing, the first one wins, and the
    firing of the other says so.
    """

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._watched = [_Watched(rule) for rule in rules]
        self._by_name: dict[str, list[tuple[int, _Watched]]] = {}

    def replay_firings(self, step: int, says: Collection[str]) -> list[Firing]:
        """Fire the rules with these texts at ``step``, as they fired in an earlier attempt, regardless of the clock."""
        fired = {n: w for n, w in self._numbered() if w.rule.words in says and w.update(True)}
        return self._decide(step, fired)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(watched.rule for watched in self._watched)

    def replace(self, rules: Sequence[Rule]) -> None:
        """Replace the rules. Rules that were there before keep their state."""
        before = self.state()
        self._watched = [_Watched(rule) for rule in rules]
        self._by_name = {}
        self.restore(before)

    def observe_row(self, step: int, values: Mapping[str, float | None]) -> list[Firing]:
        """Process the next row. A value of None was not finite."""
        fired: dict[int, _Watched] = {}
        for name, logged in values.items():
            if (watching := self._by_name.get(name)) is None:
                watching = self._by_name[name] = [(n, w) for n, w in self._numbered() if w.tracker.watches(name)]
            value = logged if logged is not None and math.isfinite(logged) else math.nan
            fired.update({n: w for n, w in watching if w.update(w.tracker.observe_value(name, step, value))})
        return self._decide(step, fired) if fired else []

    def observe_clock(self, step: int, seconds: float, disk: int | None = None) -> list[Firing]:
        """Process the steps done, the seconds trained, and the size of the run folder in bytes if measured."""
        fired = {n: w for n, w in self._numbered() if w.update(w.tracker.observe_clock(step, seconds, disk))}
        return self._decide(step, fired)

    def state(self) -> dict[str, Any]:
        """Return the state by each rule's JSON, so that a rule finds its state among other rules."""
        return {
            watched.rule.model_dump_json(): (watched.is_armed, watched.count, watched.tracker.state())
            for watched in self._watched
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state. Rules without a saved state start fresh."""
        for watched in self._watched:
            if (known := state.get(watched.rule.model_dump_json())) is not None:
                watched.is_armed, watched.count, seen = known
                watched.tracker.restore(seen)

    def raise_counts(self, counts: Mapping[str, int]) -> None:
        """Raise the counts of rules, by text: firings that were rolled back still count."""
        for watched in self._watched:
            watched.count = max(watched.count, counts.get(watched.rule.words, 0))

    def _numbered(self) -> Iterator[tuple[int, _Watched]]:
        return enumerate(self._watched, start=1)

    @staticmethod
    def _decide(step: int, fired: Mapping[int, _Watched]) -> list[Firing]:
        decided: dict[str, int] = {}
        firings = []
        for number in sorted(fired):
            watched = fired[number]
            actions, left_out = [], []
            for action in watched.rule.do:
                target = action_target(action)
                if target is not None and (first := decided.setdefault(target, number)) != number:
                    left_out.append(f"Skipped “{action.words}”: rule {first} also changes {target}.")
                else:
                    actions.append(action)
            firings.append(Firing(number, watched.rule, step, watched.count, tuple(actions), tuple(left_out)))
        return firings


def resolve_conflicts(pending: Sequence[Firing]) -> list[Firing]:
    """Resolve conflicts between the firings of one rollout: the first that decides how training continues wins.

    The others lose those actions, and their ``left_out`` says why.
    """
    first: Firing | None = None
    firings = []
    for firing in pending:
        deciding = [one for one in firing.actions if action_target(one) == TRAINING]
        if deciding and first is None:
            first = firing
        elif deciding and first is not None:
            why = (f"Skipped “{one.words}”: rule {first.number} also changes {TRAINING}." for one in deciding)
            rest = tuple(one for one in firing.actions if one not in deciding)
            firing = replace(firing, actions=rest, left_out=(*firing.left_out, *why))
        firings.append(firing)
    return firings


LONGEST_GAP = 60.0
"""A longer gap between two rows, in seconds, counts as a pause or as the time between two attempts."""


def dry_run(rules: Sequence[Rule], rows: Iterable[MetricRecord]) -> list[Firing]:
    """Return where ``rules`` would have fired over ``rows``, up to the first that ends training.

    It cannot account for what the actions would have changed in later rows, nor for disk space.
    """
    engine, firings = Engine(rules), []
    seconds, last = 0.0, None
    for row in rows:
        if last is not None:
            seconds += min(max(row.time - last, 0.0), LONGEST_GAP)
        last = row.time
        found = engine.observe_row(row.step, row.values) + engine.observe_clock(row.step, seconds)
        firings += found
        if any(isinstance(action, StopTraining) for firing in found for action in firing.actions):
            break
    return firings
