"""HTTP routes to inspect and trust runs from other machines."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from rlviz.domain.errors import ArtifactNotFound, Conflict, InvalidRequest, RunFolderError, RunIsActive, RunNotFound
from rlviz.domain.ids import utc
from rlviz.server.dependencies import provided
from rlviz.server.lanes import Lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.trust.models import CameFrom, RunTrust, TrustRun
from rlviz.server.trust.service import TrustService

Trust = Annotated[TrustService, Depends(provided(TrustService))]

router = Router(prefix="/runs/{run_id}/trust", tag="exchange", lane=Lane.CHECKS)


@router.get("", responses=documented(RunNotFound, ArtifactNotFound, RunFolderError))
def get_trust(run_id: str, trust: Trust) -> RunTrust:
    """Return where a run came from, and which of its files can execute code on this machine.

    All files of a run that was made elsewhere are read, to compute the hash of its content.
    """
    return _view(trust, run_id)


@router.post(
    "", responses=documented(RunNotFound, ArtifactNotFound, Conflict, RunIsActive, RunFolderError, InvalidRequest)
)
def trust_run(run_id: str, body: TrustRun, trust: Trust) -> RunTrust:
    """Allow the policies, snapshots and environment of a run that was made elsewhere to be used here.

    Intact snapshots are signed by this installation, so that training can resume from them exactly. Trusting a run
    that may already be used only signs snapshots that came from another runs folder.
    """
    trust.trust(run_id, body.content_hash)
    return _view(trust, run_id)


@router.delete("", responses=documented(RunNotFound, ArtifactNotFound, RunIsActive, RunFolderError))
def distrust_run(run_id: str, trust: Trust) -> RunTrust:
    """Stop trusting the run: its code is no longer used. A run that was made here stays as it is."""
    trust.distrust(run_id)
    return _view(trust, run_id)


def _view(trust: TrustService, run_id: str) -> RunTrust:
    found = trust.inspect(run_id)
    holdings, origin = found.holdings, found.origin
    return RunTrust(
        run_id=run_id,
        standing=found.standing,
        content_hash=None if holdings is None else holdings.content.hash,
        files=0 if holdings is None else len(holdings.content.files),
        size_bytes=0 if holdings is None else holdings.content.size,
        entry_points=[] if holdings is None else list(holdings.entry_points),
        policies=0 if holdings is None else holdings.policies,
        snapshots=0 if holdings is None else holdings.snapshots,
        came_from=None
        if origin is None
        else CameFrom(
            file=origin.file,
            run_id=origin.run_id,
            made_by=origin.made_by,
            exported_at=utc(origin.exported_at),
            imported_at=utc(origin.imported_at),
            left_out=origin.left_out,
            left_out_count=origin.left_out_count,
        ),
    )
