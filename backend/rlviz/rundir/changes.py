"""Changes of hyperparameters that are part of a run, read from its events: changes that a rollback discarded do not
count.

Also here: ``to-resume.json`` of a runs folder, the runs that paused when the app ended and resume with it.
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
    """A change that took effect at the start of the rollout at ``step`` of ``attempt``."""

    step: int
    attempt: int
    data: HyperparameterChangedData

    def follows(self, step: int, attempt: float) -> bool:
        """Whether the change came after the snapshot at the start of the rollout at ``step`` of ``attempt``."""
        return self.step > step or (self.step == step and self.attempt > attempt)


@dataclass
class KnobChanges:
    """The changes in effect after all events so far. ``answered`` is the number of the last user request that was
    answered."""

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
            case RollbackData() as back:  # changes after its snapshot are no longer part of the run
                self.held = [one for one in self.held if not one.follows(event.step, back.taken_in)]
            case DivergedData():
                self.held = [one for one in self.held if one.step < event.step]

    def newest(self) -> dict[str, HyperparameterChangedData]:
        """Return the last change of each knob."""
        return {one.data.name: one.data for one in sorted(self.held, key=lambda one: one.step)}


def knob_changes(folder: RunFolder) -> KnobChanges:
    """Return the changes of the run as it is now."""
    return _read(folder)


def knob_changes_at(folder: RunFolder, step: int, attempt: int | None = None) -> KnobChanges:
    """Return the changes in effect at a snapshot taken at the start of the rollout at ``step`` of ``attempt``; None: at
    that step of the run as it is now."""
    found = _read(folder, until=attempt)
    found.held = [one for one in found.held if not one.follows(step, inf if attempt is None else attempt)]
    return found


def _read(folder: RunFolder, until: int | None = None) -> KnobChanges:
    """Read the changes up to attempt ``until``; None: all attempts."""
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
    """Ids of runs to resume, kept on disk until they are dropped: if the service is killed, the next one resumes
    them."""

    def __init__(self, runs_dir: Path) -> None:
        self._path = runs_dir / "to-resume.json"

    def read(self) -> list[str]:
        """Return the ids; none if the file is missing or unreadable, so that no run starts unexpectedly."""
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
