"""TrustService: what a run that came from elsewhere holds, and whether it may be used here."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.domain.origin import Origin
from rlviz.exchange.trusting import Holdings, holdings_of, trust_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.origin import read_origin
from rlviz.rundir.standing import Standing, forget_trust
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import RunChanged
from rlviz.server.use_case import RunUseCases


@dataclass(frozen=True)
class TrustState:
    """``holdings``: None for a run that was made here. ``origin``: None for one that was not imported."""

    standing: Standing
    holdings: Holdings | None
    origin: Origin | None


class TrustService(RunUseCases):
    def standing(self, run_id: str) -> Standing:
        """Cheap. That of a run whose folder is gone is untrusted."""
        return self._trust.standing_of(self._folder(run_id).path)

    def inspect(self, run_id: str) -> TrustState:
        """What there is to be trusted; reads every file of a run that came from elsewhere.

        Raises RunNotFound, ArtifactNotFound if the folder is gone, RunFolderError and OSError.
        """
        folder = self._folder_of(run_id)
        standing = self._trust.standing_of(folder.path)
        if standing is Standing.OWN:
            return TrustState(standing, None, None)
        return TrustState(standing, holdings_of(folder), read_origin(folder))

    def trust(self, run_id: str, content_hash: str) -> RunRow:
        """Allow the policies, snapshots and custom environments of the run to be used.

        ``content_hash``: of what the user has seen. One that may be used already stays as it is. Raises RunNotFound,
        ArtifactNotFound, Conflict for another content, RunIsActive, RunFolderError and OSError.
        """
        folder = self._folder_of(run_id)
        if not self._trust.standing_of(folder.path).may_run:
            trust_run(folder, content_hash)
        return self._changed(run_id)

    def distrust(self, run_id: str) -> RunRow:
        """From now on nothing that the run holds is used; what was made here stays as it is.

        Raises RunNotFound, ArtifactNotFound, RunIsActive while a worker or an evaluation may use it, and OSError.
        """
        with self._database.read() as session:
            self._check_idle(session, get_run(session, run_id), "trusting it no more")
        forget_trust(self._folder_of(run_id).path)
        return self._changed(run_id)

    def _folder_of(self, run_id: str) -> RunFolder:
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        return folder

    def _changed(self, run_id: str) -> RunRow:
        with self._database.read() as session:
            row = get_run(session, run_id)
        self._events.publish(RunChanged(row))
        return row
