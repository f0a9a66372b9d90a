"""PlayedRunMonitor: watches a run in which a person plays."""

from __future__ import annotations

from sqlmodel import Session

from rlviz.catalog.models import EvaluationRow
from rlviz.rundir.atomic import remove_leftovers
from rlviz.rundir.folder import RunFolder
from rlviz.services.projection.folder_projection import evaluation_rows
from rlviz.services.supervision.run_monitor import RunMonitor


class PlayedRunMonitor(RunMonitor):
    """Its worker writes evaluations without a request: the records of what was played. It is the worker of a session,
    which continues after the run."""

    worker_is_ours = False

    def poll(self) -> bool:
        goes_on = super().poll()
        if not goes_on:
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
        return goes_on

    def _update_row(self) -> None:
        """The evaluations first: who learns of an episode finds its records."""
        with self._database.write() as session:
            news = book_evaluations(session, self.folder)
        for row in news:
            self._broadcast.evaluation_changed(row)
        super()._update_row()


def book_evaluations(session: Session, folder: RunFolder) -> list[EvaluationRow]:
    """Bring the rows of the evaluations in ``folder`` up to date; return those that changed."""
    news = []
    for row in evaluation_rows(folder, []):
        known = session.get(EvaluationRow, (row.run_id, row.id))
        if known is None or known.record != row.record:
            news.append(session.merge(row))
    return news
