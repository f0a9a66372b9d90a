"""Trackers: whether the condition of a rule is true, row by row.

A tracker is shown each value of its metric in order, and answers True, False, or None where the value decides nothing.
Between True and False lies a distance (hysteresis), so that a metric which trembles around a number is one episode.

Rules: conditions are watched, and actions done, while a run trains.

RuleClock: what rules that go by the clock are asked with: seconds of training, and bytes of the run folder.

Which rules a run begins with.

Engine: which rules fire, and what they decide.

Where rules would have fired in a run that has been trained.
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
"""How often rules that look at a clock are asked."""

DISK_SECONDS = 5.0
"""How often the bytes of the run folder are counted, if a rule asks for them."""

CLOCKED = SecondsLimit | StepsLimit | DiskLimit
"""Conditions that are asked by the clock, and not with every row."""


class RuleClock:
    """``tick`` is for the watcher's thread. ``disk`` is None until it was counted."""

    def __init__(self, folder: RunFolder, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._began, self._before = monotonic(), 0.0
        self._look_at, self._disk_at = 0.0, 0.0
        self._counts_disk = False
        self.is_needed = False
        """Whether there are rules to ask."""
        self.disk: int | None = None

    def serve(self, rules: Sequence[Rule]) -> None:
        """From now on these are the rules."""
        conditions = [rule.when for rule in rules]
        self.is_needed = any(isinstance(one, CLOCKED) for one in conditions)
        self._counts_disk = any(isinstance(one, DiskLimit) for one in conditions)

    def tick(self) -> bool:
        """Whether rules are to be asked now."""
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
        """Of training, with those of earlier attempts."""
        return self._before + self._monotonic() - self._began

    def go_on_from(self, seconds: float) -> None:
        """``seconds`` of training were done before."""
        self._before, self._began = seconds, self._monotonic()


def rules_in_force(folder: RunFolder, of_config: Sequence[Rule], journals: RunJournals) -> Sequence[Rule]:
    """Those of ``rules.json``, or of the configuration. What cannot be read is warned of, and changes nothing."""
    try:
        changed = folder.read_rules()
    except RunFolderError as error:
        journals.warn_now(f"The rules that were set could not be read; those of the configuration hold. {error}")
        return of_config
    return of_config if changed is None else changed.rules


RAISED = "training/raised"
"""What rules are shown as if it were a metric where training raises an error. No row has it."""

DISK_RELIEF = 0.9
"""Share of its limit below which the disk space of a run has to fall before the limit can be passed again."""


class Tracker(ABC):
    """Everything that it remembers is in its attributes other than ``condition``, in plain values."""

    is_momentary: ClassVar[bool] = False
    """Whether each True is an episode of its own."""

    condition: Any

    def value(self, name: str, step: int, value: float) -> bool | None:
        """A value of a metric that ``watches`` says yes to; NaN if it is not finite."""
        return None

    def clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        """Steps done, seconds trained, and bytes of the run folder if they were counted."""
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

    def value(self, name: str, step: int, value: float) -> bool | None:
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

    def value(self, name: str, step: int, value: float) -> bool | None:
        if math.isfinite(value):
            self.names.discard(name)
        else:
            self.names.add(name)
        return bool(self.names)


class _Best(Tracker):
    """Remembers the best value."""

    def __init__(self, condition: Plateau | NewBest) -> None:
        self.condition = condition
        self.best: float | None = None
        self.best_step = 0

    def improves(self, step: int, value: float, by: float = 0.0) -> bool:
        """Whether ``value`` is better than the best; then it is the best. The first one is, too."""
        if self.best is not None and _gain(self.condition.better, self.best, value) <= by:
            return False
        self.best, self.best_step = value, step
        return True


class _Plateau(_Best):
    def value(self, name: str, step: int, value: float) -> bool | None:
        if math.isnan(value):
            return None
        if self.improves(step, value, self.condition.by):
            return False
        return True if step - self.best_step >= self.condition.steps else None


class _NewBest(_Best):
    is_momentary = True

    def value(self, name: str, step: int, value: float) -> bool | None:
        is_first = self.best is None
        return not math.isnan(value) and self.improves(step, value) and not is_first


class _Fall(Tracker):
    def __init__(self, condition: Fall) -> None:
        self.condition = condition
        self.best = -math.inf
        self.lowest = math.inf
        """Up to the best."""

    def value(self, name: str, step: int, value: float) -> bool | None:
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

    def value(self, name: str, step: int, value: float) -> bool | None:
        return True


class _Limit(Tracker):
    """Once passed, it stays so."""

    def __init__(self, condition: SecondsLimit | StepsLimit) -> None:
        self.condition = condition

    def clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        if isinstance(self.condition, SecondsLimit):
            return bool(seconds >= self.condition.seconds)
        return bool(step >= self.condition.steps)


class _Disk(Tracker):
    def __init__(self, condition: DiskLimit) -> None:
        self.condition = condition

    def clock(self, step: int, seconds: float, disk: int | None) -> bool | None:
        if disk is None:
            return None
        return True if disk >= self.condition.bytes else False if disk < DISK_RELIEF * self.condition.bytes else None


def tracker_of(condition: Condition) -> Tracker:
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
    """``number`` is the rule's place among the rules, from 1; ``left_out`` says, a sentence each, what is not done
    since an earlier rule decided otherwise."""

    number: int
    rule: Rule
    step: int
    count: int
    """How often the rule has fired with this."""
    actions: tuple[Action, ...]
    left_out: tuple[str, ...] = ()

    @property
    def is_last(self) -> bool:
        return self.count >= self.rule.at_most


class _Watched:
    """A rule fires when its condition turns true, and not again before it was false."""

    def __init__(self, rule: Rule) -> None:
        self.rule, self.tracker = rule, tracker_of(rule.when)
        self.is_armed, self.count = True, 0

    def turns(self, is_true: bool | None) -> bool:
        """Whether the rule fires, now that its condition is so."""
        if is_true is None:
            return False
        fires = is_true and self.is_armed and self.count < self.rule.at_most
        self.is_armed = not is_true or self.tracker.is_momentary
        self.count += fires
        return fires


class Engine:
    """Watches ``rules`` over the rows of a run, in the order they were logged.

    Rules that fire at the same row decide in their order: of two that decide about the same, the first counts, and the
    other one's firing says so.
    """

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._watched = [_Watched(rule) for rule in rules]
        self._by_name: dict[str, list[tuple[int, _Watched]]] = {}

    def again(self, step: int, says: Collection[str]) -> list[Firing]:
        """The rules with these words fire at ``step``, as they did when training came there before, whatever a clock
        says now."""
        fired = {n: w for n, w in self._numbered() if w.rule.words in says and w.turns(True)}
        return self._decide(step, fired)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(watched.rule for watched in self._watched)

    def replace(self, rules: Sequence[Rule]) -> None:
        """Watch these from now on. Those that were watched before go on from what they have seen and done."""
        before = self.state()
        self._watched = [_Watched(rule) for rule in rules]
        self._by_name = {}
        self.restore(before)

    def row(self, step: int, values: Mapping[str, float | None]) -> list[Firing]:
        """The next row; None stands for what is not finite."""
        fired: dict[int, _Watched] = {}
        for name, logged in values.items():
            if (watching := self._by_name.get(name)) is None:
                watching = self._by_name[name] = [(n, w) for n, w in self._numbered() if w.tracker.watches(name)]
            value = logged if logged is not None and math.isfinite(logged) else math.nan
            fired.update({n: w for n, w in watching if w.turns(w.tracker.value(name, step, value))})
        return self._decide(step, fired) if fired else []

    def clock(self, step: int, seconds: float, disk: int | None = None) -> list[Firing]:
        """Steps done, seconds trained, and bytes of the run folder if they were counted."""
        fired = {n: w for n, w in self._numbered() if w.turns(w.tracker.clock(step, seconds, disk))}
        return self._decide(step, fired)

    def state(self) -> dict[str, Any]:
        """By what a rule says, so that it is found again among other rules."""
        return {
            watched.rule.model_dump_json(): (watched.is_armed, watched.count, watched.tracker.state())
            for watched in self._watched
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Rules that ``state`` does not know begin anew."""
        for watched in self._watched:
            if (known := state.get(watched.rule.model_dump_json())) is not None:
                watched.is_armed, watched.count, seen = known
                watched.tracker.restore(seen)

    def count_at_least(self, counts: Mapping[str, int]) -> None:
        """Rules, by what they say, have fired so often at least: what led there may be no part of the run any more."""
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
                    left_out.append(f"It does not {action.words}: rule {first} decides about {target}.")
                else:
                    actions.append(action)
            firings.append(Firing(number, watched.rule, step, watched.count, tuple(actions), tuple(left_out)))
        return firings


def settled(pending: Sequence[Firing]) -> list[Firing]:
    """Firings of one rollout, in their order, which wait for its end: of those that decide how training goes on, the
    first counts, as it does of rules that fire at the same row."""
    first: Firing | None = None
    firings = []
    for firing in pending:
        deciding = [one for one in firing.actions if action_target(one) == TRAINING]
        if deciding and first is None:
            first = firing
        elif deciding and first is not None:
            why = (f"It does not {one.words}: rule {first.number} decides about {TRAINING}." for one in deciding)
            rest = tuple(one for one in firing.actions if one not in deciding)
            firing = replace(firing, actions=rest, left_out=(*firing.left_out, *why))
        firings.append(firing)
    return firings


LONGEST_GAP = 60.0
"""Seconds between two rows that count as training. A longer gap was a pause, or lay between two attempts."""


def dry_run(rules: Sequence[Rule], rows: Iterable[MetricRecord]) -> list[Firing]:
    """The firings over ``rows``, up to one that would have ended training.

    What an action would have changed about the rows that follow cannot be known; nor what the run took on disk.
    """
    engine, firings = Engine(rules), []
    seconds, last = 0.0, None
    for row in rows:
        if last is not None:
            seconds += min(max(row.time - last, 0.0), LONGEST_GAP)
        last = row.time
        found = engine.row(row.step, row.values) + engine.clock(row.step, seconds)
        firings += found
        if any(isinstance(action, StopTraining) for firing in found for action in firing.actions):
            break
    return firings
