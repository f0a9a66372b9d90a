"""What people and rules have changed about a run in earlier attempts, as its events say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rlviz.domain.event_lines import parse_event
from rlviz.domain.events import (
    DivergedData,
    FinishedData,
    HyperparameterChangedData,
    RollbackData,
    RuleFiredData,
    RulesChangedData,
    StoppedData,
)
from rlviz.domain.knobs import Author
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.knob_changes import Changed, KnobChanges


@dataclass(frozen=True)
class PastChanges:
    """What earlier attempts changed.

    ``answered``: number of the last request of a person that was answered. ``changes``: the changes that an attempt
    which goes on from a snapshot makes again, each with its step, in order. ``recorded``: events that need not be
    written again, as step and text. ``counts``: by the text of a rule, how often it has fired at least. ``ended``: by
    the text of a rule, the step at which it ended an earlier attempt. ``been``: by the text of a rule, the steps that
    it has had training go back to. ``fired``: of an attempt that goes on from a snapshot, which rules fired beyond it,
    as step and text, in order; without those that ended an attempt.
    """

    answered: int = 0
    changes: tuple[tuple[int, HyperparameterChangedData], ...] = ()
    recorded: frozenset[tuple[int, str]] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    ended: Mapping[str, int] = field(default_factory=dict)
    been: Mapping[str, frozenset[int]] = field(default_factory=dict)
    fired: tuple[tuple[int, str], ...] = ()


def past_changes(folder: RunFolder, taken_at: tuple[int, int] | None) -> PastChanges:
    """The changes beyond the step and attempt of a snapshot. With None, training begins anew or goes back for good, and
    no change is repeated."""
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
        # Nothing else makes these again: a person made them, or a rule as it went back.
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
