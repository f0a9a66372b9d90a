"""Which changes of hyperparameters, made while a run trained, are part of the run: its journal tells of all there were,
and of what it left behind.

``to-resume.json`` of a runs folder: the runs that ended with the app, and go on with it.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import (
    DivergedData,
    EventRecord,
    HyperparameterChangedData,
    RollbackData,
    StartedData,
    parse_event,
)
from rlviz.domain.ids import is_run_id
from rlviz.rundir.files import read_small, write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines


@dataclass(frozen=True)
class Changed:
    """A change, made at the start of the rollout at ``step`` of ``attempt``."""

    step: int
    attempt: int
    data: HyperparameterChangedData

    def follows(self, step: int, attempt: float) -> bool:
        """Whether the change came after the snapshot at the start of the rollout at ``step`` of ``attempt``."""
        return self.step > step or (self.step == step and self.attempt > attempt)


@dataclass
class KnobChanges:
    """Those that hold after all events that ``take`` was called with, in order; ``answered`` is the number of the last
    request of a person that was answered."""

    held: list[Changed] = field(default_factory=list)
    attempt: int = 1
    answered: int = 0

    def take(self, event: EventRecord) -> None:
        match event.data:
            case StartedData() as started:
                self.attempt = started.attempt
            case HyperparameterChangedData() as changed:
                self.answered = max(self.answered, changed.request)
                self.held.append(Changed(event.step, self.attempt, changed))
            case RollbackData() as back:  # what came after its snapshot is no part of the run
                self.held = [one for one in self.held if not one.follows(event.step, back.taken_in)]
            case DivergedData():
                self.held = [one for one in self.held if one.step < event.step]

    def newest(self) -> dict[str, HyperparameterChangedData]:
        """The last change of each knob."""
        return {one.data.name: one.data for one in sorted(self.held, key=lambda one: one.step)}


def knob_changes(folder: RunFolder) -> KnobChanges:
    """Those of the run as it is now."""
    return _read(folder)


def knob_changes_at(folder: RunFolder, step: int, attempt: int | None = None) -> KnobChanges:
    """Those that held where a snapshot was taken, at the start of the rollout at ``step`` of ``attempt``; with None, at
    that step of the run as it is now."""
    found = _read(folder, until=attempt)
    found.held = [one for one in found.held if not one.follows(step, inf if attempt is None else attempt)]
    return found


def _read(folder: RunFolder, until: int | None = None) -> KnobChanges:
    """``until``: the last attempt that counts."""
    found = KnobChanges()
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        if event is None:
            continue
        if until is not None and isinstance(event.data, StartedData) and event.data.attempt > until:
            break
        found.take(event)
    return found


class ToResume:
    """The ids, kept on disk until they are dropped: a service that is killed meanwhile leaves them to the next."""

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / "to-resume.json"

    def read(self) -> list[str]:
        """None of them if the file is not there, or cannot be read: nobody shall be surprised by what it may hold."""
        with suppress(OSError, ValueError, RunFolderError):
            found = json.loads(read_small(self._path))
            if isinstance(found, list):
                return [one for one in found if isinstance(one, str) and is_run_id(one)]
        return []

    def write(self, run_ids: Collection[str]) -> None:
        """Raises OSError."""
        if run_ids:
            write_atomically(self._path, json.dumps(sorted(run_ids)).encode())
        else:
            self._path.unlink(missing_ok=True)
