"""TrustService: inspects runs from other machines, and records whether they may be used here."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.domain.origin import Origin
from rlviz.exchange.trusting import Holdings, inspect_holdings, trust_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.origin import read_origin
from rlviz.rundir.snapshots import has_foreign_snapshots
from rlviz.rundir.standing import Standing, forget_trust
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import RunChanged
from rlviz.server.use_case import RunUseCases


@dataclass(frozen=True)
class TrustState:
    """``holdings``: None for a run that was made here. ``origin``: None for a run that was not imported."""

    standing: Standing
    holdings: Holdings | None
    origin: Origin | None


class TrustService(RunUseCases):
    def standing(self, run_id: str) -> Standing:
        """Return the standing of a run; untrusted if its folder is gone. Cheap."""
        return self._trust.standing_of(self._folder(run_id).path)

    def inspect(self, run_id: str) -> TrustState:
        """Return which code a run contains. Reads its snapshots, and every file of a run that was made elsewhere.

        A run that may be used, but whose snapshots were signed in another runs folder, is reported as untrusted: they
        are not used before the user trusts them.

        Raises RunNotFound, ArtifactNotFound if the folder is gone, RunFolderError and OSError.
        """
        folder = self._folder_of(run_id)
        standing = self._trust.standing_of(folder.path)
        if standing.is_usable and has_foreign_snapshots(folder):
            standing = Standing.UNTRUSTED
        if standing is Standing.OWN:
            return TrustState(standing, None, None)
        return TrustState(standing, inspect_holdings(folder), read_origin(folder))

    def trust(self, run_id: str, content_hash: str) -> RunRow:
        """Allow the policies, snapshots and custom environments of the run to be used.

        Of a run that may already be used, only snapshots from another runs folder are signed.

        Args:
            run_id: The run.
            content_hash: Hash of the content that the user inspected.

        Raises:
            RunNotFound: There is no such run.
            ArtifactNotFound: The folder is gone.
            Conflict: The content has another hash.
            RunIsActive, RunFolderError, OSError: The folder cannot be used now.
        """
        folder = self._folder_of(run_id)
        if not self._trust.standing_of(folder.path).may_run or has_foreign_snapshots(folder):
            trust_run(folder, content_hash)
        return self._changed(run_id)

    def distrust(self, run_id: str) -> RunRow:
        """Stop trusting a run, so that its code is no longer used. A run that was made here stays as it is.

        Raises RunNotFound, ArtifactNotFound, RunIsActive while a worker or an evaluation may use it, and OSError.
        """
        with self._database.read() as session:
            self._check_idle(session, get_run(session, run_id), "revoking its trust")
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
