"""Engine: which rules fire, and what they decide."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rlviz.domain.rules import TRAINING, Action, Rule, target_of
from rlviz.training.rules.trackers import tracker_of


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
                target = target_of(action)
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
        deciding = [one for one in firing.actions if target_of(one) == TRAINING]
        if deciding and first is None:
            first = firing
        elif deciding and first is not None:
            why = (f"It does not {one.words}: rule {first.number} decides about {TRAINING}." for one in deciding)
            rest = tuple(one for one in firing.actions if one not in deciding)
            firing = replace(firing, actions=rest, left_out=(*firing.left_out, *why))
        firings.append(firing)
    return firings
