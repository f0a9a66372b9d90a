"""Which rows of a run's metrics are superseded, as its events say."""

from __future__ import annotations

from contextlib import suppress

from rlviz.domain.errors import RunFolderError
from rlviz.domain.event_lines import parse_event
from rlviz.domain.events import DivergedData, RollbackData
from rlviz.domain.superseded import Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, split_lines

_SIGN = b'"superseded"'


class SupersededRows:
    """Follows the events of a run. A second look reads only what is new."""

    def __init__(self, folder: RunFolder) -> None:
        self._tail = JournalTail(folder.events_path)
        self._found = Superseded()

    def now(self) -> Superseded:
        """Equal to what was found before unless there are more. A journal that is damaged as a whole says nothing."""
        with suppress(RunFolderError):
            for data in self._tail.byte_batches():
                if _SIGN in data:  # rare, and cheaper to look for than to parse
                    self._take(data)
        return self._found

    def _take(self, data: bytes) -> None:
        for line in split_lines(data):
            event = parse_event(line.record)
            if event is not None and isinstance(event.data, DivergedData | RollbackData):
                self._found = Superseded([*self._found.stretches, event.data.superseded])


def superseded_rows(folder: RunFolder) -> Superseded:
    """All that the events of the run say are superseded."""
    return SupersededRows(folder).now()
