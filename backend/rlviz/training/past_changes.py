"""What people and rules have changed about a run in earlier attempts, as its events say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rlviz.domain.events import (
    DivergedData,
    FinishedData,
    HyperparameterChangedData,
    RollbackData,
    RuleFiredData,
    RulesChangedData,
    StartedData,
    parse_event,
)
from rlviz.domain.knobs import Author, KnobChange
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal


@dataclass(frozen=True)
class PastChanges:
    """What earlier attempts changed.

    ``answered``: number of the last request of a person that was answered. ``changes``: the changes that an attempt
    which goes on from a snapshot makes again, each with its step, in order. ``told``: events that need not be written
    again, as step and text. ``counts``: by the text of a rule, how often it has fired at least. ``ended``: by the text
    of a rule, the step at which it ended an earlier attempt.
    """

    answered: int = 0
    changes: tuple[tuple[int, KnobChange], ...] = ()
    told: frozenset[tuple[int, str]] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    ended: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Changed:
    step: int
    attempt: int
    change: KnobChange
    is_repeated_beyond: bool
    """Whether this change must be repeated beyond the snapshot, because nothing else makes it again: a person made it,
    or a rule as it went back."""

    def follows(self, step: int, attempt: int) -> bool:
        """Whether the change came after the snapshot at the start of the rollout at ``step`` of ``attempt``."""
        return self.step > step or (self.step == step and self.attempt > attempt)


def past_changes(folder: RunFolder, taken_at: tuple[int, int] | None) -> PastChanges:
    """The changes beyond the step and attempt of a snapshot. With None, training begins anew or goes back for good, and
    no change is repeated."""
    answered, attempt, went_back = 0, 1, -1
    changes: list[_Changed] = []
    told: set[tuple[int, str]] = set()
    counts: dict[str, int] = {}
    fired: dict[str, int] = {}
    ended: dict[str, int] = {}
    for line in read_journal(folder.events_path):
        event = parse_event(line.record)
        if event is None:
            continue
        match event.data:
            case StartedData() as started:
                attempt = started.attempt
            case HyperparameterChangedData() as changed:
                answered = max(answered, changed.request)
                told.add((event.step, changed.change.words))
                kept = changed.by is Author.PERSON or event.step == went_back
                changes.append(_Changed(event.step, attempt, changed.change, kept))
            case RuleFiredData(says=says):
                told.add((event.step, says))
                fired[says] = event.step
            case RulesChangedData(rules=rules):
                told.add((event.step, "\n".join(rules)))
            case RollbackData() as back:  # what came after is no part of the run
                changes = [one for one in changes if not one.follows(event.step, back.taken_in)]
                told = {one for one in told if one[0] <= event.step}
                ended = {rule: step for rule, step in ended.items() if step <= event.step}
                if back.says is not None:
                    counts[back.says], went_back = max(back.count, counts.get(back.says, 0)), event.step
            case DivergedData():
                changes = [one for one in changes if one.step < event.step]
                told = {one for one in told if one[0] < event.step}
                ended = {rule: step for rule, step in ended.items() if step < event.step}
            case FinishedData(ended_early=str(reason)) if (says := reason.removesuffix(".")) in fired:
                ended[says] = fired[says]
    repeated = []
    if taken_at is not None:
        repeated = [(one.step, one.change) for one in changes if one.is_repeated_beyond and one.follows(*taken_at)]
    return PastChanges(answered, tuple(repeated), frozenset(told) if taken_at else frozenset(), counts, ended)
