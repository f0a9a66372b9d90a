"""Steering: what people and rules change about training while it goes on.

Rows are shown to the rules as they are logged. What rules and people want is done at the start of the next rollout,
where the library begins to collect and every schedule is read anew; only an end may come sooner.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rlviz.domain.events import HyperparameterChangedData, RulesChangedData
from rlviz.domain.knobs import Author, KnobRequest
from rlviz.domain.rules import NotFinite, Rule, StopTraining
from rlviz.rundir.folder import RunFolder
from rlviz.training.journals import RunJournals
from rlviz.training.past_changes import PastChanges
from rlviz.training.rule_actions import Carried, RuleActions, Targets
from rlviz.training.rules.clock import CLOCKED, RuleClock
from rlviz.training.rules.engine import Engine, Firing
from rlviz.training.rules.trackers import RAISED

if TYPE_CHECKING:
    from rlviz.training.knobs import Knobs

LOSS = "train/loss"


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
        self._journals, self._knobs, self._monotonic = journals, knobs, monotonic
        past = past or PastChanges()
        self._repeats = deque(past.changes)
        self._clocked_again = _clocked(past.fired, rules)
        """Which rules that follow a clock fired in what is trained again, and where: a clock would not say so again."""
        self._actions = RuleActions(journals, knobs, targets, past.recorded)
        self._engine = Engine(rules)
        self._counts, self._ended = dict(past.counts), dict(past.ended)
        self._engine.count_at_least(self._counts)
        self._new_rules: Sequence[Rule] | None = None
        self._requests: deque[KnobRequest] = deque()
        self._heard_of = past.answered
        self._pending: list[Firing] = []
        self._clock = RuleClock(folder, monotonic)
        self._stop: Firing | None = None
        """Has training end within its grace period."""
        self._stop_at = 0.0
        self.is_due = False
        """Whether ``look`` should be called."""
        self.end: str | None = None
        self.saves = True
        self._clock.serve(rules)

    def begin_fork(self, step: int, changed: Collection[str]) -> None:
        """What was restored is of the parent of a fork that has ``changed`` hyperparameters."""
        self._actions.begin_fork(step, changed)

    def request(self, requests: Iterable[KnobRequest]) -> None:
        """Take in changes that people ask for. Those that were taken in before are ignored."""
        for request in requests:
            if request.number > self._heard_of:
                self._heard_of = request.number
                self._requests.append(request)

    def renew_rules(self, rules: Sequence[Rule]) -> None:
        """Replace the rules, from the next row on."""
        self._new_rules = rules
        self.is_due = True

    def tick(self) -> None:
        """See whether a rule that follows the clock is due, or a grace period is over."""
        if self._clock.tick() or (self._stop is not None and self._monotonic() >= self._stop_at):
            self.is_due = True

    def row(self, step: int, values: Mapping[str, float]) -> None:
        """Show the rules a row of metrics that was logged."""
        if self._engine.rules:
            self._take(self._engine.row(step, values))

    def look(self, step: int) -> None:
        """Within a rollout: take over new rules, fire rules that follow the clock, and end training whose grace period
        is over."""
        self.is_due = False
        self._renew(step)
        self._ask_by_clock(step)
        if self._stop is not None and self._monotonic() >= self._stop_at:
            self._end_at_once(self._stop)

    def begin_rollout(self, step: int) -> None:
        """At the start of a rollout: make all changes that people and rules have asked for."""
        self._actions.begin_rollout(step)
        self._renew(step)
        while self._repeats and self._repeats[0][0] <= step:
            self._repeat(step, self._repeats.popleft()[1])
        while self._requests and not self._journals.is_repeating:
            request = self._requests.popleft()
            self._actions.turn(step, request.change, Author.PERSON, request=request.number)
        self._ask_by_clock(step)
        self._act_on_all(step)

    def fail(self, step: int, *, weights_are_lost: bool) -> None:
        """Training has raised an error. Where ``weights_are_lost``, one has become NaN or infinite: rules that watch a
        metric for such values fire as if it had one."""
        values = {RAISED: 1.0}
        if weights_are_lost:
            watching = (rule for rule in self._engine.rules if isinstance(rule.when, NotFinite))
            values |= {rule.metric or LOSS: math.nan for rule in watching}
        self.row(step, values)
        self._act_on_all(step)

    def go_back(self, step: int, by: Firing | None) -> None:
        """Training goes back to ``step``: what waits to be done there is done no more, but for what rule ``by``
        changes with it. To be followed by ``restore``."""
        if by is not None:
            self._counts[by.rule.words] = by.count
        self._actions.go_back(step, by)
        self._pending, self._stop, self.end, self.saves = [], None, None, True
        self._repeats.clear()
        self._clocked_again.clear()
        self._ended = {rule: at for rule, at in self._ended.items() if at <= step}

    @property
    def carried(self) -> Sequence[Carried]:
        """What the rule that has training go back changes with it."""
        return self._actions.carried

    def carry(self, carried: Sequence[Carried]) -> None:
        """Have that changed at the start of the next rollout."""
        self._actions.carried = carried

    def close(self, step: int) -> None:
        """Training has ended: say what fired last."""
        pending, self._pending = self._pending, []
        self._actions.record_too_late(pending, "training has ended")

    def state(self) -> dict[str, Any]:
        return {"knobs": self._knobs.state(), "rules": self._engine.state(), "seconds": self._clock.seconds}

    def restore(self, state: dict[str, Any]) -> None:
        self._knobs.restore(state["knobs"])
        self._engine.restore(state["rules"])
        self._engine.count_at_least(self._counts)
        self._clock.go_on_from(state["seconds"])

    def _repeat(self, step: int, changed: HyperparameterChangedData) -> None:
        """Make a change of an earlier attempt again. The journal has it, unless this attempt came otherwise before."""
        if self._journals.has_diverged:
            self._actions.turn(step, changed.change, changed.by, rule=changed.rule, request=changed.request)
        else:
            self._knobs.turn(changed.change)

    def _ask_by_clock(self, step: int) -> None:
        """What was trained before is trained again as it was: there, rules fire where they did."""
        if not self._clock.is_needed:
            return
        if self._journals.has_diverged:
            self._clocked_again.clear()
        while self._clocked_again and self._clocked_again[0][0] <= step:
            self._take(self._engine.again(*self._clocked_again.popleft()))
        if not (self._clocked_again or self._journals.is_repeating):
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
            stop = _stop_of(firing)
            if stop is None or self.end is not None:
                continue
            stop_at = self._monotonic() + stop.grace_seconds
            if self._stop is None or stop_at < self._stop_at:
                self._stop, self._stop_at = firing, stop_at
            if stop.grace_seconds == 0:
                self._end_at_once(firing)

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
        pending, self._pending, self._stop = self._pending, [], None
        if (ending := self._actions.act_on(step, pending)) is not None:
            self._end(ending)

    def _end_at_once(self, firing: Firing) -> None:
        """Everything that has fired and would wait for the next rollout is said now."""
        pending, self._pending, self._stop = self._pending, [], None
        self._end(firing)
        self._actions.record_too_late(pending, "training ends")

    def _end(self, firing: Firing) -> None:
        stop = _stop_of(firing)
        self.end, self.saves = f"{firing.rule.words}.", stop is None or stop.then != "abort"


def _clocked(fired: Iterable[tuple[int, str]], rules: Sequence[Rule]) -> deque[tuple[int, Collection[str]]]:
    """Of what has ``fired``, the rules that follow a clock, by step."""
    clocked = {rule.words for rule in rules if isinstance(rule.when, CLOCKED)}
    found: dict[int, set[str]] = {}
    for step, says in fired:
        if says in clocked:
            found.setdefault(step, set()).add(says)
    return deque(sorted(found.items()))


def _stop_of(firing: Firing) -> StopTraining | None:
    return next((one for one in firing.actions if isinstance(one, StopTraining)), None)
