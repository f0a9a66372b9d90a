"""Applies what users and rules change about a run while it trains.

``Steering`` feeds logged rows to the rules and applies their actions, and the users' requests, at the start of the next
rollout, where the library reads every schedule again. Only an early end comes sooner. ``read_past_changes`` reads what
earlier attempts changed from ``events.jsonl``; ``ControlRequests`` passes the requests in ``control.json`` on.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from rlviz.domain.errors import RunFolderError, UnknownName
from rlviz.domain.events import (
    DivergedData,
    FinishedData,
    HyperparameterChangedData,
    RollbackData,
    RuleFiredData,
    RulesChangedData,
    StoppedData,
    parse_event,
)
from rlviz.domain.rules import (
    Action,
    Author,
    Evaluate,
    KnobRequest,
    NotFinite,
    Notify,
    Override,
    PauseTraining,
    RollBack,
    Rule,
    ScaleKnob,
    SetKnob,
    StopTraining,
    TakeSnapshot,
)
from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.checkpoint import Checkpoints
from rlviz.learning.training.guard import Guard
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.rules import CLOCKED, RAISED, Engine, Firing, RuleClock, resolve_conflicts
from rlviz.learning.training.snapshot.schedule import Snapshots
from rlviz.rundir.changes import Changed, KnobChanges
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines

if TYPE_CHECKING:
    from rlviz.learning.training.knobs import AppliedChange, Knobs


@dataclass(frozen=True)
class PastChanges:
    """What earlier attempts of the run changed, read from its events.

    Args:
        answered: Number of the last user request that was answered.
        changes: Changes that an attempt resumed from a snapshot repeats: (step, change), in order.
        recorded: Events that are already in the journal: (step, text).
        counts: Rule text -> how often the rule has fired at least.
        ended: Rule text -> the step at which the rule ended an earlier attempt.
        been: Rule text -> the steps that the rule has rolled training back to.
        fired: Rules that fired after the snapshot: (step, rule text), in order, without those that ended an attempt.
    """

    answered: int = 0
    changes: tuple[tuple[int, HyperparameterChangedData], ...] = ()
    recorded: frozenset[tuple[int, str]] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    ended: Mapping[str, int] = field(default_factory=dict)
    been: Mapping[str, frozenset[int]] = field(default_factory=dict)
    fired: tuple[tuple[int, str], ...] = ()


def read_past_changes(folder: RunFolder, taken_at: tuple[int, int] | None) -> PastChanges:
    """Read the changes made after a snapshot from the run's events.

    Args:
        taken_at: Step and attempt of the snapshot. None if training starts over or rolls back: no change is repeated.
    """
    went_back = -1
    changes = KnobChanges()
    by_rollback: set[Changed] = set()
    recorded: set[tuple[int, str]] = set()
    counts: dict[str, int] = {}
    fired: dict[str, int] = {}
    firings: list[tuple[int, int, str]] = []
    ended: dict[str, int] = {}
    been: dict[str, frozenset[int]] = {}
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        if event is None:
            continue
        changes.take(event)
        match event.data:
            case HyperparameterChangedData() as changed:
                recorded.add((event.step, changed.change.words))
                if changed.by is Author.RULE and event.step == went_back:
                    by_rollback.add(changes.held[-1])
            case RuleFiredData(says=says):
                recorded.add((event.step, says))
                fired[says] = event.step
                firings.append((event.step, changes.attempt, says))
            case RulesChangedData(rules=rules):
                recorded.add((event.step, "\n".join(rules)))
            case RollbackData() as back:
                recorded = {one for one in recorded if one[0] <= event.step}
                firings = [one for one in firings if one[:2] <= (event.step, back.taken_in)]
                ended = {rule: step for rule, step in ended.items() if step <= event.step}
                if back.says is not None:
                    counts[back.says], went_back = max(back.count, counts.get(back.says, 0)), event.step
                    been[back.says] = been.get(back.says, frozenset()) | {event.step}
            case DivergedData():
                recorded = {one for one in recorded if one[0] < event.step}
                firings = [one for one in firings if one[0] < event.step]
                ended = {rule: step for rule, step in ended.items() if step < event.step}
            case FinishedData(ended_early=str(reason)) | StoppedData(ended_early=str(reason)):
                if (says := reason.removesuffix(".")) in fired:
                    ended[says] = fired[says]
    repeated = []
    if taken_at is not None:
        # Repeat what nothing else repeats: changes by users, and by rules that rolled training back.
        repeated = [
            (one.step, one.data)
            for one in changes.held
            if one.follows(*taken_at) and (one.data.by is Author.PERSON or one in by_rollback)
        ]
    kept = frozenset(recorded) if taken_at else frozenset()
    beyond = tuple(
        (step, says)
        for step, attempt, says in firings
        if taken_at is not None and (step, attempt) > taken_at and ended.get(says) != step
    )
    return PastChanges(changes.answered, tuple(repeated), kept, counts, ended, been, beyond)


Carried = tuple[int, str, Override]
"""A change that a rule makes while it rolls training back: (rule number, knob, new override)."""


class Targets(Protocol):
    """What rules act on besides knobs. Called in the training thread at the start of a rollout."""

    def pause(self) -> None: ...

    def evaluate(self) -> bool:
        """Start an evaluation. Returns False if the run is trained without evaluations."""

    def snapshot(self, trigger: Trigger, message: str) -> None: ...

    def roll_back(self, action: RollBack, firing: Firing) -> str | None:
        """Roll training back. Returns None, or a sentence that says why it cannot."""


class RuleActions:
    """Applies the actions of rules that fired, and records them as events.

    Args:
        recorded: Events that are already in the journal, as (step, text); they are not written again.
    """

    def __init__(
        self, journals: RunJournals, knobs: Knobs, targets: Targets, recorded: frozenset[tuple[int, str]] = frozenset()
    ) -> None:
        self._journals, self._knobs, self._targets, self._recorded = journals, knobs, targets, recorded
        self._deferred: list[Carried] = []
        self.carried: Sequence[Carried] = ()
        """Changes to make at the start of the next rollout."""

    def begin_rollout(self, step: int) -> None:
        """Make the changes that came with a rollback to this step, if there was one."""
        carried, self.carried, self._deferred = self.carried, (), []
        for number, name, wanted in carried:
            self.change_knob(step, self._knobs.make_change(name, wanted), Author.RULE, rule=number)

    def act_on(self, step: int, pending: Sequence[Firing]) -> Firing | None:
        """Apply the actions of all rules that fired since the last rollout. Returns the firing that ends training."""
        firings = resolve_conflicts(pending)
        back, problem, ending = None, None, None
        for by, wanted in _going_back(firings):
            problem = self._targets.roll_back(wanted, by)
            back = by if problem is None else None
        for firing in firings:
            done, not_done = [], list(firing.left_out)
            for action in firing.actions:
                if isinstance(action, RollBack):
                    left = problem
                elif back is not None:
                    left = self._do_as_it_goes_back(action, firing, together=firing is back)
                else:
                    left = self._do(step, action, firing)
                if left is None:
                    done.append(action.words)
                else:
                    not_done.append(left)
                if isinstance(action, StopTraining):
                    ending = firing
            self.record_firing(firing, done=done, not_done=not_done)
        return ending

    def change_knob(
        self, step: int, change: SetKnob | ScaleKnob, by: Author, *, rule: int | None = None, request: int = 0
    ) -> str | None:
        """Change a knob. Returns None, or a sentence that says why it cannot be changed."""
        try:
            applied = self._knobs.apply_change(change)
        except UnknownName as error:
            self._journals.warn(step, str(error))
            return str(error)
        if (step, change.words) in self._recorded and self._journals.is_repeating:
            return None
        self._record_change(step, applied, by, rule=rule, request=request)
        return None

    def begin_fork(self, step: int, changed: Collection[str]) -> None:
        """Record the knob changes that a fork inherits from its parent, without those it ``changed`` itself."""
        for applied in self._knobs.begin_fork(changed):
            if (step, applied.change.words) not in self._recorded:
                self._record_change(step, applied, Author.PARENT)

    def record_firing(self, firing: Firing, *, done: list[str], not_done: list[str]) -> None:
        says = firing.rule.words
        if (firing.step, says) in self._recorded:
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

    def record_too_late(self, pending: Sequence[Firing], why: str) -> None:
        """Record firings that cannot be applied because training ends. Only the end itself and messages are done.

        Args:
            why: A clause that completes "Skipped “pause”: …".
        """
        for firing in pending:
            done = [one for one in firing.actions if isinstance(one, StopTraining | Notify)]
            late = [f"Skipped “{one.words}”: {why}." for one in firing.actions if one not in done]
            self.record_firing(firing, done=[one.words for one in done], not_done=[*firing.left_out, *late])

    def roll_back(self, step: int, by: Firing | None) -> None:
        """Prepare for a rollback to ``step``.

        Args:
            by: The rule that rolls back; the knob changes it makes apply after the rollback. None for a user.
        """
        if by is not None:
            self.carried = self._deferred
        self._deferred = []
        self._recorded = frozenset(one for one in self._recorded if one[0] <= step)

    def _record_change(
        self, step: int, applied: AppliedChange, by: Author, *, rule: int | None = None, request: int = 0
    ) -> None:
        self._journals.event(
            step,
            HyperparameterChangedData(
                name=applied.change.knob,
                before=applied.before,
                after=applied.after,
                change=applied.change,
                by=by,
                rule=rule,
                request=request,
                replaced_schedule=applied.replaced_schedule,
                limited=applied.is_limited,
                factor=applied.override.factor if applied.override.value is None else None,
            ),
        )

    def _do(self, step: int, action: Action, firing: Firing) -> str | None:
        """Apply one action. Returns None, or a sentence that says why it cannot be done."""
        match action:
            case SetKnob() | ScaleKnob():
                return self.change_knob(step, action, Author.RULE, rule=firing.number)
            case TakeSnapshot(message=message):
                self._targets.snapshot(Trigger.RULE, message or f"{firing.rule.words}.")
            case PauseTraining():
                self._targets.pause()
            case Evaluate():
                if not self._targets.evaluate():
                    return "Skipped “evaluate”: this run trains without evaluations."
            case _:  # the caller ends training, and the event itself is the notification
                pass
        return None

    def _do_as_it_goes_back(self, action: Action, firing: Firing, *, together: bool) -> str | None:
        """Defer a knob change of the rule that rolls back until after the rollback; refuse every other action.

        The new value is computed from the knob's value before the rollback.
        """
        if isinstance(action, Notify):
            return None
        if not (together and isinstance(action, SetKnob | ScaleKnob)):
            return f"Skipped “{action.words}”: training rolls back."
        try:
            self._deferred.append((firing.number, action.knob, self._knobs.compute_override(action)))
        except UnknownName as error:
            return str(error)
        return None


def _going_back(firings: Sequence[Firing]) -> list[tuple[Firing, RollBack]]:
    """Return the firings that roll training back, each with its action."""
    return [(firing, action) for firing in firings for action in firing.actions if isinstance(action, RollBack)]


def _message(firing: Firing) -> str | None:
    """Return the notification for the user, or None."""
    for action in firing.actions:
        if isinstance(action, Notify):
            return action.message or f"{firing.rule.words}."
        if isinstance(action, StopTraining) and action.then == "report":
            return f"Training was ended. {firing.rule.words}."
    return None


LOSS = "train/loss"


class Steering:
    """Applies rules and user requests to a run in training.

    ``observe_row``, ``check_rules`` and ``begin_rollout`` are for the training thread, all else for any thread.
    When ``end`` is set (a sentence that says why), training must end at the next step; if ``saves`` is False, nothing
    more is saved.
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
        """Clock rules that fired after the snapshot, by step. The clock would not fire them at the same steps again."""
        self._actions = RuleActions(journals, knobs, targets, past.recorded)
        self._engine = Engine(rules)
        self._counts, self._ended = dict(past.counts), dict(past.ended)
        self._engine.raise_counts(self._counts)
        self._new_rules: Sequence[Rule] | None = None
        self._requests: deque[KnobRequest] = deque()
        self._newest_request = past.answered
        self._pending: list[Firing] = []
        self._clock = RuleClock(folder, monotonic)
        self._stop: Firing | None = None
        """The firing that ends training when its grace period is over."""
        self._stop_at = 0.0
        self.is_due = False
        """Whether the training thread should call ``check_rules``."""
        self.end: str | None = None
        self.saves = True
        self._clock.set_rules(rules)

    def begin_fork(self, step: int, changed: Collection[str]) -> None:
        """Record what a fork inherits from its parent, except the hyperparameters that it ``changed``."""
        self._actions.begin_fork(step, changed)

    def request(self, requests: Iterable[KnobRequest]) -> None:
        """Queue knob changes requested by users. Requests that were queued before are ignored."""
        for request in requests:
            if request.number > self._newest_request:
                self._newest_request = request.number
                self._requests.append(request)

    def replace_rules(self, rules: Sequence[Rule]) -> None:
        """Replace the rules. They apply from the next row on."""
        self._new_rules = rules
        self.is_due = True

    def check_clock(self) -> None:
        """Set ``is_due`` if clock rules must be checked or a grace period is over."""
        if self._clock.check_due() or (self._stop is not None and self._monotonic() >= self._stop_at):
            self.is_due = True

    def observe_row(self, step: int, values: Mapping[str, float]) -> None:
        """Evaluate the rules on a logged row of metrics."""
        if self._engine.rules:
            self._queue(self._engine.observe_row(step, values))

    def check_rules(self, step: int) -> None:
        """Within a rollout: apply replaced rules, check clock rules, and end training whose grace period is over."""
        self.is_due = False
        self._replace_rules(step)
        self._ask_by_clock(step)
        if self._stop is not None and self._monotonic() >= self._stop_at:
            self._end_at_once(self._stop)

    def begin_rollout(self, step: int) -> None:
        """Apply all pending changes by users and rules. Call it at the start of a rollout."""
        self._actions.begin_rollout(step)
        self._replace_rules(step)
        while self._repeats and self._repeats[0][0] <= step:
            self._repeat(step, self._repeats.popleft()[1])
        while self._requests and not self._journals.is_repeating:
            request = self._requests.popleft()
            self._actions.change_knob(step, request.change, Author.PERSON, request=request.number)
        self._ask_by_clock(step)
        self._act_on_all(step)

    def handle_error(self, step: int, *, weights_are_lost: bool) -> None:
        """Evaluate the rules after training raised an error.

        Args:
            weights_are_lost: Whether a weight is NaN or infinite. Rules that watch for such values then fire too.
        """
        values = {RAISED: 1.0}
        if weights_are_lost:
            watching = (rule for rule in self._engine.rules if isinstance(rule.when, NotFinite))
            values |= {rule.metric or LOSS: math.nan for rule in watching}
        self.observe_row(step, values)
        self._act_on_all(step)

    def roll_back(self, step: int, by: Firing | None) -> None:
        """Drop what is pending because training rolls back to ``step``. Call ``restore`` next.

        Args:
            by: The rule that rolls back; its knob changes are kept. None for a user.
        """
        if by is not None:
            self._counts[by.rule.words] = by.count
        self._actions.roll_back(step, by)
        self._pending, self._stop, self.end, self.saves = [], None, None, True
        self._repeats.clear()
        self._clocked_again.clear()
        self._ended = {rule: at for rule, at in self._ended.items() if at <= step}

    @property
    def carried(self) -> Sequence[Carried]:
        """Knob changes made by the rule that rolls training back."""
        return self._actions.carried

    def carry_changes(self, carried: Sequence[Carried]) -> None:
        """Apply these changes at the start of the next rollout."""
        self._actions.carried = carried

    def close(self, step: int) -> None:
        """Record the rules that fired last: training has ended."""
        pending, self._pending = self._pending, []
        self._actions.record_too_late(pending, "training has ended")

    def state(self) -> dict[str, Any]:
        return {"knobs": self._knobs.state(), "rules": self._engine.state(), "seconds": self._clock.seconds}

    def restore(self, state: dict[str, Any]) -> None:
        self._knobs.restore(state["knobs"])
        self._engine.restore(state["rules"])
        self._engine.raise_counts(self._counts)
        self._clock.continue_from(state["seconds"])

    def _repeat(self, step: int, changed: HyperparameterChangedData) -> None:
        """Repeat a change of an earlier attempt. It is recorded only if this attempt has diverged from the journal."""
        if self._journals.has_diverged:
            self._actions.change_knob(step, changed.change, changed.by, rule=changed.rule, request=changed.request)
        else:
            self._knobs.apply_change(changed.change)

    def _ask_by_clock(self, step: int) -> None:
        """Check clock rules. While training repeats what an earlier attempt did, they fire at the recorded steps."""
        if not self._clock.is_needed:
            return
        if self._journals.has_diverged:
            self._clocked_again.clear()
        while self._clocked_again and self._clocked_again[0][0] <= step:
            self._queue(self._engine.replay_firings(*self._clocked_again.popleft()))
        if not (self._clocked_again or self._journals.is_repeating):
            self._queue(self._engine.observe_clock(step, self._clock.seconds, self._clock.disk))

    def _replace_rules(self, step: int) -> None:
        rules, self._new_rules = self._new_rules, None
        if rules is not None and tuple(rules) != self._engine.rules:
            self._engine.replace(rules)
            self._clock.set_rules(rules)
            self._journals.event(step, RulesChangedData(rules=[rule.words for rule in rules]))

    def _queue(self, firings: Iterable[Firing]) -> None:
        """Queue firings. Those that end training do so now, after their grace period, or at the next rollout."""
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
        """Drop the stop action of a rule that ended an earlier attempt at the same place.

        A clock rule may fire at another step this time, so its stop is dropped once.
        """
        ended = self._ended.get(firing.rule.words)
        stops = [one for one in firing.actions if isinstance(one, StopTraining)]
        if ended is None or not stops:
            return firing
        if isinstance(firing.rule.when, CLOCKED):
            del self._ended[firing.rule.words]
        elif firing.step > ended:
            return firing
        why = f"Skipped “{stops[0].words}”: the rule has ended the run here before, and the run was resumed."
        rest = tuple(one for one in firing.actions if one not in stops)
        return replace(firing, actions=rest, left_out=(*firing.left_out, why))

    def _act_on_all(self, step: int) -> None:
        pending, self._pending, self._stop = self._pending, [], None
        if (ending := self._actions.act_on(step, pending)) is not None:
            self._end(ending)

    def _end_at_once(self, firing: Firing) -> None:
        """End training now, and record firings that were waiting for the next rollout."""
        pending, self._pending, self._stop = self._pending, [], None
        self._end(firing)
        self._actions.record_too_late(pending, "training ends")

    def _end(self, firing: Firing) -> None:
        stop = _stop_of(firing)
        self.end, self.saves = f"{firing.rule.words}.", stop is None or stop.then != "abort"


def _clocked(fired: Iterable[tuple[int, str]], rules: Sequence[Rule]) -> deque[tuple[int, Collection[str]]]:
    """Select the clock rules from ``fired`` and group their texts by step."""
    clocked = {rule.words for rule in rules if isinstance(rule.when, CLOCKED)}
    found: dict[int, set[str]] = {}
    for step, says in fired:
        if says in clocked:
            found.setdefault(step, set()).add(says)
    return deque(sorted(found.items()))


def _stop_of(firing: Firing) -> StopTraining | None:
    return next((one for one in firing.actions if isinstance(one, StopTraining)), None)


class RollbackTarget(Protocol):
    def request(self, name: str) -> None:
        """Roll back to the snapshot called ``name`` at the next step."""


class Controlled(Protocol):
    """The parts of training that ``control.json`` can change."""

    @property
    def snapshots(self) -> Snapshots: ...
    @property
    def checkpoints(self) -> Checkpoints: ...
    @property
    def steering(self) -> Steering: ...
    @property
    def rollbacks(self) -> RollbackTarget: ...


class ControlRequests:
    """Passes each request in ``control.json`` on once. Requests made before ``attach`` wait in the file.

    If a part fails to handle a request, a warning is logged and the other requests are still passed on.
    """

    def __init__(self, folder: RunFolder, guard: Guard) -> None:
        self._folder, self._guard = folder, guard
        self._components: Controlled | None = None
        self._rules_number = self._went_back_for = 0
        self._lock = Lock()

    def attach(self, components: Controlled, rules_number: int) -> None:
        """Pass requests on to ``components`` from now on. ``rules_number`` identifies the rules they already have."""
        with self._lock:
            self._components, self._rules_number = components, rules_number
            with suppress(RunFolderError):  # a damaged control file requests nothing
                self._pass_on(self._folder.read_control(), components)

    def detach(self) -> None:
        with self._lock:
            self._components = None

    def handle_control(self, control: Control) -> None:
        """Pass on the requests in ``control``. For any thread."""
        with self._lock:
            if self._components is not None:
                self._pass_on(control, self._components)

    def _pass_on(self, control: Control, components: Controlled) -> None:
        with self._guard("A snapshot"):
            components.snapshots.requested.add_requests(control.snapshot_requests)
        with self._guard("A checkpoint"):
            components.checkpoints.request(control.checkpoint_request)
        if control.snapshots is not None:
            with self._guard("A snapshot"):
                components.snapshots.set_plan(control.snapshots)
        with self._guard("A change of a hyperparameter"):
            components.steering.request(control.knob_requests)
        if control.rules_number > self._rules_number:
            self._rules_number = control.rules_number
            with self._guard("A rule"), suppress(RunFolderError):  # unreadable: the previous rules stay active
                if (changed := self._folder.read_rules()) is not None:
                    components.steering.replace_rules(changed.rules)
        back = control.rollback_request
        if back is not None and back.number > self._went_back_for:
            self._went_back_for = back.number
            with self._guard("A rollback"):
                components.rollbacks.request(back.snapshot)
