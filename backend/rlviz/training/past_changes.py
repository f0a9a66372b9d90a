"""What people and rules have changed about a run in earlier attempts, as its events say."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.domain.events import (
    DivergedData,
    HyperparameterChangedData,
    RollbackData,
    RuleFiredData,
    RulesChangedData,
    parse_event,
)
from rlviz.domain.knobs import Author, KnobChange
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal


@dataclass(frozen=True)
class PastChanges:
    """``answered`` is the last request of a person that was answered. ``changes`` are those that people made beyond a
    step, in order: an attempt that goes on from there makes them again, at the same steps. ``told`` are events that
    need not be written again: the step and what was said."""

    answered: int = 0
    changes: tuple[tuple[int, KnobChange], ...] = ()
    told: frozenset[tuple[int, str]] = frozenset()


def past_changes(folder: RunFolder, beyond: int | None) -> PastChanges:
    """Those beyond the step of a snapshot; None: training begins anew, or goes back for good, and repeats none."""
    answered = 0
    changes: list[tuple[int, KnobChange]] = []
    told: set[tuple[int, str]] = set()
    for line in read_journal(folder.events_path):
        event = parse_event(line.record)
        if event is None:
            continue
        match event.data:
            case HyperparameterChangedData() as changed:
                answered = max(answered, changed.request)
                told.add((event.step, changed.change.words))
                if changed.by is Author.PERSON:
                    changes.append((event.step, changed.change))
            case RuleFiredData(says=says):
                told.add((event.step, says))
            case RulesChangedData(rules=rules):
                told.add((event.step, "\n".join(rules)))
            case RollbackData() | DivergedData():  # what came after is no part of the run
                limit = event.step - isinstance(event.data, DivergedData)
                changes = [one for one in changes if one[0] <= limit]
                told = {one for one in told if one[0] <= limit}
    if beyond is None:
        return PastChanges(answered)
    return PastChanges(answered, tuple(one for one in changes if one[0] > beyond), frozenset(told))
