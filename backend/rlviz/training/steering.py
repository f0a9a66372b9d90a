"""Steering: what people and rules change about training while it goes on.

Rows are shown to the rules as they are logged. What rules and people want is done at the start of the next rollout,
where the library begins to collect and every schedule is read anew; only an end may come sooner.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from rlviz.domain.errors import UnknownName
from rlviz.domain.events import HyperparameterChangedData, RuleFiredData, RulesChangedData
from rlviz.domain.knobs import Author, KnobWish, ScaleKnob, SetKnob
from rlviz.domain.rules import (
    Action,
    Evaluate,
    NotFinite,
    Notify,
    PauseTraining,
    RollBack,
    Rule,
    StopTraining,
    TakeSnapshot,
)
from rlviz.domain.snapshot import Trigger
from rlviz.rundir.folder import RunFolder
from rlviz.training.journals import RunJournals
from rlviz.training.knobs import Knobs, Override
from rlviz.training.past_changes import PastChanges
from rlviz.training.rules.clock import CLOCKED, RuleClock
from rlviz.training.rules.engine import Engine, Firing

LOSS = "train/loss"


class Targets(Protocol):
    """What rules act on besides knobs. For the training thread, at the start of a rollout."""

    def pause(self) -> None: ...

    def evaluate(self) -> bool:
        """Returns whether the run has a plan for it."""

    def snapshot(self, trigger: Trigger, message: str) -> None: ...

    def roll_back(self, action: RollBack, firing: Firing) -> str | None:
        """Have training go back after this. Returns why it cannot, in a sentence."""


class Steering:
    """``row``, ``look`` and ``begin_rollout`` are for the training thread, everything else for any.

    Once ``end`` says why, training shall end at the next step, and with ``saves`` being False nothing more be saved.
    """

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        knobs: Knobs,
        rules: Sequence[Rule],
        targets: Targets,
        *,
        past: PastChanges | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._journals, self._knobs, self._targets = journals, knobs, targets
        self._monotonic = monotonic
        past = past or PastChanges()
        self._told, self._repeats = past.told, deque(past.changes)
        self._engine = Engine(rules)
        self._counts, self._ended = dict(past.counts), dict(past.ended)
        self._engine.count_at_least(self._counts)
        self._deferred: list[tuple[int, str, Override]] = []
        self._carried: list[tuple[int, str, Override]] = []
        self._new_rules: Sequence[Rule] | None = None
        self._wishes: deque[KnobWish] = deque()
        self._heard_of = past.answered
        self._pending: list[Firing] = []
        self._clock = RuleClock(folder, monotonic)
        self._stop: StopTraining | None = None
        self._stop_reason = ""
        self._stop_at = 0.0
        self.is_due = False
        """Whether ``look`` has something to look at."""
        self.end: str | None = None
        self.saves = True
        self._clock.serve(rules)

    def wish(self, wishes: Iterable[KnobWish]) -> None:
        """Changes that people ask for; those heard of before are left out."""
        for wish in wishes:
            if wish.number > self._heard_of:
                self._heard_of = wish.number
                self._wishes.append(wish)

    def renew_rules(self, rules: Sequence[Rule]) -> None:
        """From the next row on, these are the rules."""
        self._new_rules = rules
        self.is_due = True

    def tick(self) -> None:
        """Look at the clock."""
        if self._clock.tick() or (self._stop is not None and self._monotonic() >= self._stop_at):
            self.is_due = True

    def row(self, step: int, values: Mapping[str, float]) -> None:
        """A row is logged."""
        if self._engine.rules:
            self._take(self._engine.row(step, values))

    def look(self, step: int) -> None:
        """Within a rollout: take up new rules, and see what the clock says."""
        self.is_due = False
        self._renew(step)
        self._ask_by_clock(step)
        if self._stop is not None and self._monotonic() >= self._stop_at:
            self._end()

    def begin_rollout(self, step: int) -> None:
        """Do what people and rules want."""
        carried, self._carried, self._deferred = self._carried, [], []
        for number, name, wanted in carried:
            self._turn(step, self._knobs.as_change(name, wanted), Author.RULE, rule=number)
        self._renew(step)
        while self._repeats and self._repeats[0][0] <= step:
            self._knobs.turn(self._repeats.popleft()[1])
        while self._wishes and not self._journals.is_repeating:
            wish = self._wishes.popleft()
            self._turn(step, wish.change, Author.PERSON, request=wish.number)
        self._ask_by_clock(step)
        self._act_on_all(step)
        if self._stop is not None:
            self._end()

    def lose(self, step: int) -> None:
        """Weights have become something that is no number, and training has broken down over it: to rules, the metric
        that they watch for it is none."""
        lost = {rule.metric or LOSS: math.nan for rule in self._engine.rules if isinstance(rule.when, NotFinite)}
        if lost:
            self.row(step, lost)
            self._act_on_all(step)

    def go_back(self, step: int, by: Firing | None) -> None:
        """Training goes back to ``step``: what waits to be done there is done no more, but for what rule ``by``
        changes with it. To be followed by ``restore``."""
        if by is not None:
            self._counts[by.rule.words] = by.count
            self._carried = self._deferred
        self._deferred, self._pending, self._stop, self.end, self.saves = [], [], None, None, True
        self._repeats.clear()
        self._told = frozenset(one for one in self._told if one[0] <= step)
        self._ended = {rule: at for rule, at in self._ended.items() if at <= step}

    def close(self, step: int) -> None:
        """Training has ended: say what fired last."""
        for firing in self._pending:
            late = [f"It does not {one.words}: training has ended." for one in firing.actions]
            self._tell(firing, done=[], not_done=[*firing.left_out, *late])
        self._pending = []

    def state(self) -> dict[str, Any]:
        return {"knobs": self._knobs.state(), "rules": self._engine.state(), "seconds": self._clock.seconds}

    def restore(self, state: dict[str, Any]) -> None:
        self._knobs.restore(state["knobs"])
        self._engine.restore(state["rules"])
        self._engine.count_at_least(self._counts)
        self._clock.go_on_from(state["seconds"])

    def _ask_by_clock(self, step: int) -> None:
        if self._clock.is_needed:
            self._take(self._engine.clock(step, self._clock.seconds, self._clock.disk))

    def _renew(self, step: int) -> None:
        rules, self._new_rules = self._new_rules, None
        if rules is not None and tuple(rules) != self._engine.rules:
            self._engine.replace(rules)
            self._clock.serve(rules)
            self._journals.event(step, RulesChangedData(rules=[rule.words for rule in rules]))

    def _take(self, firings: Iterable[Firing]) -> None:
        """What shall end training does so now, after its grace period, or at the start of the next rollout."""
        for fired in firings:
            firing = self._excuse(fired)
            self._pending.append(firing)
            stop = next((one for one in firing.actions if isinstance(one, StopTraining)), None)
            if stop is not None and self._stop is None and self.end is None:
                self._stop, self._stop_at = stop, self._monotonic() + stop.grace_seconds
                self._stop_reason = f"{firing.rule.words}."
                if stop.grace_seconds == 0:
                    self._end()

    def _excuse(self, firing: Firing) -> Firing:
        """A rule that has ended an earlier attempt does not end this one at the same place. A clock may come to it at
        another step, and does so once."""
        ended = self._ended.get(firing.rule.words)
        stops = [one for one in firing.actions if isinstance(one, StopTraining)]
        if ended is None or not stops:
            return firing
        if isinstance(firing.rule.when, CLOCKED):
            del self._ended[firing.rule.words]
        elif firing.step > ended:
            return firing
        why = f"It does not {stops[0].words}: it ended the run here before, which was then resumed."
        rest = tuple(one for one in firing.actions if one not in stops)
        return replace(firing, actions=rest, left_out=(*firing.left_out, why))

    def _act_on_all(self, step: int) -> None:
        pending, self._pending = self._pending, []
        for firing in pending:
            self._act(step, firing)

    def _end(self) -> None:
        """Everything that has fired and would wait for the next rollout is said now."""
        stop, self._stop = self._stop, None
        if stop is None:
            return
        self.end, self.saves = self._stop_reason, stop.then != "abort"
        for firing in self._pending:
            done = [one for one in firing.actions if isinstance(one, StopTraining | Notify)]
            late = [f"It does not {one.words}: training ends." for one in firing.actions if one not in done]
            self._tell(firing, done=[one.words for one in done], not_done=[*firing.left_out, *late])
        self._pending = []

    def _act(self, step: int, firing: Firing) -> None:
        done, not_done = [], list(firing.left_out)
        goes_back = False
        for action in sorted(firing.actions, key=lambda one: not isinstance(one, RollBack)):
            if goes_back and isinstance(action, SetKnob | ScaleKnob):
                problem = self._defer(action, firing)
            else:
                problem = self._do(step, action, firing)
                goes_back = goes_back or (isinstance(action, RollBack) and problem is None)
            if problem is None:
                done.append(action.words)
            else:
                not_done.append(problem)
        self._tell(firing, done=done, not_done=not_done)

    def _do(self, step: int, action: Action, firing: Firing) -> str | None:
        """Why it could not be done, in a sentence; None if it was."""
        match action:
            case SetKnob() | ScaleKnob():
                return self._turn(step, action, Author.RULE, rule=firing.number)
            case TakeSnapshot(message=message):
                self._targets.snapshot(Trigger.RULE, message or f"{firing.rule.words}.")
            case RollBack():
                return self._targets.roll_back(action, firing)
            case PauseTraining():
                self._targets.pause()
            case Evaluate():
                if not self._targets.evaluate():
                    return "It does not evaluate: this run is trained without evaluations."
            case StopTraining() | Notify():  # the end is looked after by itself, and the event notifies
                pass
        return None

    def _defer(self, change: SetKnob | ScaleKnob, firing: Firing) -> str | None:
        """Where training goes back to, the change is made of what the knob is now."""
        try:
            self._deferred.append((firing.number, change.knob, self._knobs.from_here(change)))
        except UnknownName as error:
            return str(error)
        return None

    def _turn(
        self, step: int, change: SetKnob | ScaleKnob, by: Author, *, rule: int | None = None, request: int = 0
    ) -> str | None:
        try:
            turned = self._knobs.turn(change)
        except UnknownName as error:
            self._journals.warn(step, str(error))
            return str(error)
        if (step, change.words) in self._told and self._journals.is_repeating:
            return None
        self._journals.event(
            step,
            HyperparameterChangedData(
                name=turned.knob,
                before=turned.before,
                after=turned.after,
                change=change,
                by=by,
                rule=rule,
                request=request,
                replaced_schedule=turned.replaced_schedule,
                limited=turned.is_limited,
            ),
        )
        return None

    def _tell(self, firing: Firing, *, done: list[str], not_done: list[str]) -> None:
        says = firing.rule.words
        if (firing.step, says) in self._told:
            return
        self._journals.event(
            firing.step,
            RuleFiredData(
                rule=firing.number,
                says=says,
                done=done,
                not_done=not_done,
                notify=_message(firing),
                count=firing.count,
                is_last=firing.is_last,
            ),
        )


def _message(firing: Firing) -> str | None:
    """What the user is told of it."""
    for action in firing.actions:
        if isinstance(action, Notify):
            return action.message or f"{firing.rule.words}."
        if isinstance(action, StopTraining) and action.then == "report":
            return f"Training was ended. {firing.rule.words}."
    return None
