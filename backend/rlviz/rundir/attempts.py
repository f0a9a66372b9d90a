"""What the events of a run say of its attempts."""

from __future__ import annotations

from typing import NamedTuple

from rlviz.domain.event_lines import parse_event
from rlviz.domain.events import DivergedData, Ending, RollbackData, StartedData
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines


class Attempts(NamedTuple):
    """``newest``: number of the newest attempt that has begun or ended, 1 if none has; ``total_timesteps``: steps that
    it was to train for, None for those of the configuration; ``begun``: how often one began, or took the place of rows
    that were there."""

    newest: int
    total_timesteps: int | None
    begun: int


def attempts_of(folder: RunFolder) -> Attempts:
    """Raises RunFolderError for what is no journal."""
    newest, total, begun = 1, None, 0
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        match event.data if event is not None else None:
            case StartedData() as started:
                newest, total, begun = max(newest, started.attempt), started.total_timesteps, begun + 1
            case RollbackData() | DivergedData():
                begun += 1
            case Ending() as ending:
                newest = max(newest, ending.attempt or 1)
    return Attempts(newest, total, begun)
