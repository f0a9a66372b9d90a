"""TakeUpService: run folders that appear in the runs folder while the service runs."""

from __future__ import annotations

from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.errors import Conflict, RunNotFound
from rlviz.rundir.folder import run_folders
from rlviz.services.projection.folder_projection import Indexed, index_folder
from rlviz.services.use_cases.base import RunUseCases


class TakeUpService(RunUseCases):
    def take_up(self, run_id: str) -> RunRow:
        """List a run whose folder somebody has put into the runs folder; one that is listed stays as it is.

        Raises RunNotFound where there is no such folder, and Conflict for one that does not say how it ended.
        """
        with self._database.read() as session:
            known = session.get(RunRow, run_id)
        if known is not None:
            return known
        folder = next((one for one in run_folders(self._settings.runs_dir) if one.run_id == run_id), None)
        if folder is None:
            raise RunNotFound(run_id)
        found = Indexed()
        index_folder(folder, found)
        if any(not row.state.is_final for row in found.runs):
            raise Conflict(f"Run {run_id!r} has not ended: a run that trains elsewhere cannot be taken up.")
        with self._database.write() as session:
            if session.get(RunRow, run_id) is None:  # the supervisor lists foreign runs that it finds, too
                session.add_all(found.runs)
                session.flush()
                session.add_all(found.evaluations)
        with self._database.read() as session:
            row = get_run(session, run_id)
        self._broadcast.run_changed(row)
        return row
