"""ForeignRunMonitor: watches a run that a program of the user's own writes."""

from __future__ import annotations

from rlviz.launchers.base import Exit
from rlviz.rundir.atomic import remove_leftovers
from rlviz.services.supervision.played_run_monitor import PlayedRunMonitor

FOLDER_LOST = "The folder of this run was deleted, moved or renamed while its program wrote into it."


class ForeignRunMonitor(PlayedRunMonitor):
    """Its program hands over videos without a word in the journals, so that their folder is looked at too. The run may
    end long before its program does, which is then no business of this app's."""

    _evaluations_at: int | None = None

    def poll(self) -> bool:
        try:
            changed_at = self.folder.evaluations.path.stat().st_mtime_ns
        except OSError:
            changed_at = None
        if changed_at != self._evaluations_at:
            self._evaluations_at, self._has_news = changed_at, True
        goes_on = super().poll()
        if goes_on and self.ended:
            self.folder.tidy()
            remove_leftovers(self.folder.evaluations.path, self.folder.path)
            return False
        return goes_on

    def _cause(self, gone: Exit) -> str:
        return gone.cause() if self.folder.is_there() else FOLDER_LOST
