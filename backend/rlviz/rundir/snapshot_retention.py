"""Which snapshots of a run go, and with them which segments of its replay buffer; and deletes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from rlviz.domain.snapshot import Trigger
from rlviz.rundir.files import files_in, is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import Snapshot, delete_files, find_snapshot, snapshots_of, verification_path


def delete_snapshot(folder: RunFolder, name: str) -> None:
    """Delete it, and the segments that no other needs. For a run that nobody trains; raises ArtifactNotFound."""
    delete_files(find_snapshot(folder, name))
    drop_segments(folder)


def retain_snapshots(folder: RunFolder, keep: int, max_bytes: int) -> None:
    """Delete those that ``dropped_snapshots`` names."""
    for snapshot in dropped_snapshots(folder, keep, max_bytes):
        delete_files(snapshot)


def dropped_snapshots(folder: RunFolder, keep: int, max_bytes: float = math.inf) -> list[Snapshot]:
    """What goes when these stay: every named one, the newest taken at a best policy, and the newest ``keep`` of the
    others, fewer where all of them together would take more than ``max_bytes``; the newest one stays in any case.

    The newest is that taken last: of a run that went back, those of later steps that were left behind are older. That
    with which a fork begins stays too, and goes first where there is too little room."""
    found = sorted(snapshots_of(folder), key=lambda one: (not one.is_inherited, one.manifest.attempt))
    passing = [snapshot for snapshot in found if not (snapshot.manifest.is_named or snapshot.is_beginning)]
    bests = [snapshot for snapshot in passing if snapshot.manifest.trigger is Trigger.BEST]
    dropped = [snapshot for snapshot in passing[:-keep] if snapshot not in bests[-1:]]
    kept = [snapshot for snapshot in found if snapshot not in dropped]
    for snapshot in [one for one in kept if not one.manifest.is_named and one is not found[-1]]:
        if _together(kept) <= max_bytes:
            break
        kept.remove(snapshot)
        dropped.append(snapshot)
    return dropped


def older_snapshots(folder: RunFolder, keep: int) -> list[Path]:
    """The files that go with ``dropped_snapshots``, in an order in which they can be deleted. For a run that nobody
    trains."""
    dropped = dropped_snapshots(folder, keep)
    gone = {snapshot.path for snapshot in dropped}
    needed = {segment.file for one in snapshots_of(folder) if one.path not in gone for segment in one.manifest.segments}
    segments = {segment.file for snapshot in dropped for segment in snapshot.manifest.segments} - needed
    files = [path for one in dropped for path in (one.path, verification_path(one.path))]
    files += [folder.segment_path(name) for name in sorted(segments)]
    return [path for path in files if is_file(path, folder.path)]


def drop_segments(folder: RunFolder, beyond: int | None = None) -> None:
    """Delete the segments that no snapshot names. While a run trains, those that begin at row ``beyond`` or later are
    for snapshots to come."""
    names = {segment.file for snapshot in snapshots_of(folder) for segment in snapshot.manifest.segments}
    for path in files_in(folder.replay, folder.path, "*.seg"):
        first = path.name.partition("-")[0]
        if path.name not in names and not (beyond is not None and first.isdecimal() and int(first) >= beyond):
            path.unlink(missing_ok=True)


def _together(snapshots: Iterable[Snapshot]) -> int:
    snapshots = list(snapshots)
    segments = {segment.file: segment.bytes for snapshot in snapshots for segment in snapshot.manifest.segments}
    return sum(snapshot.bytes for snapshot in snapshots) + sum(segments.values())
