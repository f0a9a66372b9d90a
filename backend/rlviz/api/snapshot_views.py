"""From snapshots to what goes over the wire."""

from __future__ import annotations

from rlviz.api.schemas.snapshots import RunSnapshots, SnapshotInfo
from rlviz.domain.snapshot_verification import SnapshotVerification
from rlviz.domain.times import utc
from rlviz.rundir.snapshots import Snapshot
from rlviz.services.use_cases.snapshots import SnapshotList

_SAME = {"name", "message", "is_named", "step", "attempt", "trigger", "exact", "not_exact_because"}


def view_snapshots(run_id: str, found: SnapshotList) -> RunSnapshots:
    newest = [one.name for one in found.snapshots if one.is_whole and one.name not in found.behind]
    return RunSnapshots(
        run_id=run_id,
        snapshots=[
            _view(
                one,
                behind=one.name in found.behind,
                inherited=one.manifest.run_id != run_id,
                verification=found.verifications.get(one.name),
            )
            for one in found.snapshots
        ],
        newest=newest[-1] if newest else None,
        bytes=found.bytes,
        spread_over_training=found.spread,
        plan=found.plan,
    )


def _view(
    snapshot: Snapshot, *, behind: bool, inherited: bool, verification: SnapshotVerification | None
) -> SnapshotInfo:
    return SnapshotInfo(
        **snapshot.manifest.model_dump(include=_SAME),
        time=utc(snapshot.manifest.time),
        bytes=snapshot.bytes,
        replay_bytes=snapshot.replay_bytes,
        whole=snapshot.is_whole,
        problem=snapshot.problem,
        behind=behind,
        inherited=inherited,
        verification=verification,
    )
