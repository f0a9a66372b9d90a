"""ForeignRuns: finds the runs that programs of the user's own begin in the runs folder."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.exc import DatabaseError
from sqlmodel import col, select

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.domain.errors import RunFolderError
from rlviz.domain.run_actor import RunActor
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.services.projection.folder_projection import Indexed, index_folder
from rlviz.services.streaming.broadcast import Broadcast

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5

SETTLED_SECONDS = 2.0
"""So long after a change of the runs folder it is listed each time: the time of a change may be as coarse as that."""


class ForeignRuns:
    """``tick`` adds rows for foreign runs that have none, and hands those that go on to ``follow``.

    Where nothing was added to the runs folder, a look is one call to the system. Folders of other runs are left to the
    next start, as before: whoever copies them may not be done.
    """

    def __init__(
        self,
        runs_dir: Path,
        database: Database,
        broadcast: Broadcast,
        follow: Callable[[RunRow], None],
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runs_dir, self._database, self._broadcast, self._follow = runs_dir, database, broadcast, follow
        self._clock, self._monotonic = clock, monotonic
        self._looked_at = float("-inf")
        self._changed_at: int | None = None
        self._others: set[str] = set()

    def tick(self) -> None:
        if self._monotonic() - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = self._monotonic()
        changed_at = self._runs_dir.stat().st_mtime_ns
        if changed_at == self._changed_at and self._clock() - changed_at / 1e9 > SETTLED_SECONDS:
            return
        with self._database.read() as session:
            known = set(session.exec(select(col(RunRow.id))))
        self._others -= known
        for folder in run_folders(self._runs_dir, known | self._others):
            try:
                self._take(folder)
            except (OSError, DatabaseError):
                raise  # the disk or the catalogue: all of them are tried again
            except Exception:  # whatever is wrong with this folder, the others are found
                log.exception("Run %s cannot be taken in", folder.run_id)
                self._others.add(folder.run_id)
        self._changed_at = changed_at

    def _take(self, folder: RunFolder) -> None:
        try:
            is_foreign = folder.read_config().actor is RunActor.FOREIGN
        except (RunFolderError, OSError):
            is_foreign = False
        if not is_foreign:
            self._others.add(folder.run_id)
            return
        with self._database.write() as session:
            if session.get(RunRow, folder.run_id) is not None or not folder.is_there():
                return
            found = Indexed()
            index_folder(folder, found)
            if not found.runs:
                return
            [row] = found.runs
            session.add(row)
            session.flush()
            session.add_all(found.evaluations)
        log.info("A program of its own writes run %s", row.id)
        self._broadcast.run_changed(row)
        if row.state.has_worker:
            self._follow(row)
