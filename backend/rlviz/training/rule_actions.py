"""What rules that have fired, and people, change about training: done at the start of a rollout, and recorded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from rlviz.domain.errors import UnknownName
from rlviz.domain.events import HyperparameterChangedData, RuleFiredData
from rlviz.domain.knobs import Author, Override, ScaleKnob, SetKnob
from rlviz.domain.rules import Action, Evaluate, Notify, PauseTraining, RollBack, StopTraining, TakeSnapshot
from rlviz.domain.snapshot import Trigger
from rlviz.training.journals import RunJournals
from rlviz.training.rules.engine import Firing, settled

if TYPE_CHECKING:
    from rlviz.training.knobs import AppliedChange, Knobs

Carried = tuple[int, str, Override]
"""A change that a rule makes as it goes back: the rule's number, the knob, and what becomes of it."""


class Targets(Protocol):
    """What rules act on besides knobs. For the training thread, at the start of a rollout."""

    def pause(self) -> None: ...

    def evaluate(self) -> bool:
        """Returns whether the run has a plan for it."""

    def snapshot(self, trigger: Trigger, message: str) -> None: ...

    def roll_back(self, action: RollBack, firing: Firing) -> str | None:
        """Have training go back after this. Returns why it cannot, in a sentence."""


class RuleActions:
    """``recorded``: events that need not be written again, by step and text."""

    def __init__(
        self, journals: RunJournals, knobs: Knobs, targets: Targets, recorded: frozenset[tuple[int, str]] = frozenset()
    ) -> None:
        self._journals, self._knobs, self._targets, self._recorded = journals, knobs, targets, recorded
        self._deferred: list[Carried] = []
        self.carried: Sequence[Carried] = ()
        """To be made at the start of the next rollout."""

    def begin_rollout(self, step: int) -> None:
        """Training may have gone back to here: make the changes that came with it."""
        carried, self.carried, self._deferred = self.carried, (), []
        for number, name, wanted in carried:
            self.turn(step, self._knobs.as_change(name, wanted), Author.RULE, rule=number)

    def act_on(self, step: int, pending: Sequence[Firing]) -> Firing | None:
        """Do what all that have fired since the last rollout want. Returns the one that has training end."""
        firings = settled(pending)
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

    def turn(
        self, step: int, change: SetKnob | ScaleKnob, by: Author, *, rule: int | None = None, request: int = 0
    ) -> str | None:
        """Change a knob. Returns why that cannot be, in a sentence."""
        try:
            applied = self._knobs.turn(change)
        except UnknownName as error:
            self._journals.warn(step, str(error))
            return str(error)
        if (step, change.words) in self._recorded and self._journals.is_repeating:
            return None
        self._record_change(step, applied, by, rule=rule, request=request)
        return None

    def begin_fork(self, step: int, changed: Collection[str]) -> None:
        """The knobs go on as the parent of the fork had them changed, but for those that the fork has ``changed``."""
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
        """Training ends: what waits for the next rollout is not done any more. ``why``: a clause. The end itself, and a
        message, are."""
        for firing in pending:
            done = [one for one in firing.actions if isinstance(one, StopTraining | Notify)]
            late = [f"It does not {one.words}: {why}." for one in firing.actions if one not in done]
            self.record_firing(firing, done=[one.words for one in done], not_done=[*firing.left_out, *late])

    def go_back(self, step: int, by: Firing | None) -> None:
        """Training goes back to ``step``, for rule ``by`` if one has asked for it: what that changes with it is changed
        there."""
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
        """Why it could not be done, in a sentence; None if it was."""
        match action:
            case SetKnob() | ScaleKnob():
                return self.turn(step, action, Author.RULE, rule=firing.number)
            case TakeSnapshot(message=message):
                self._targets.snapshot(Trigger.RULE, message or f"{firing.rule.words}.")
            case PauseTraining():
                self._targets.pause()
            case Evaluate():
                if not self._targets.evaluate():
                    return "It does not evaluate: this run is trained without evaluations."
            case _:  # the end is looked after by who asked, and the event notifies
                pass
        return None

    def _do_as_it_goes_back(self, action: Action, firing: Firing, *, together: bool) -> str | None:
        """Where training goes back to, a change of a knob is made of what the knob is now, if the same rule makes it;
        everything else would be of a moment that is left behind."""
        if isinstance(action, Notify):
            return None
        if not (together and isinstance(action, SetKnob | ScaleKnob)):
            return f"It does not {action.words}: training goes back to before."
        try:
            self._deferred.append((firing.number, action.knob, self._knobs.from_here(action)))
        except UnknownName as error:
            return str(error)
        return None


def _going_back(firings: Sequence[Firing]) -> list[tuple[Firing, RollBack]]:
    """The one that has training go back, if one of them does."""
    return [(firing, action) for firing in firings for action in firing.actions if isinstance(action, RollBack)]


def _message(firing: Firing) -> str | None:
    """What the user is told of it."""
    for action in firing.actions:
        if isinstance(action, Notify):
            return action.message or f"{firing.rule.words}."
        if isinstance(action, StopTraining) and action.then == "report":
            return f"Training was ended. {firing.rule.words}."
    return None
