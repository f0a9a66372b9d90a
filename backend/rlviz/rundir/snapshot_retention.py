"""Which snapshots of a run go, and with them which segments of its replay buffer; and deletes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from rlviz.domain.errors import ArtifactNotFound
from rlviz.domain.snapshot import Trigger
from rlviz.rundir.files import files_in, is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import (
    Snapshot,
    delete_files,
    find_snapshot,
    read_snapshot,
    read_snapshot_verification,
    snapshots_of,
    verification_path,
    write_snapshot,
    write_snapshot_verification,
)

_EVENTS = (Trigger.BEST, Trigger.SOLVED, Trigger.RULE)
"""A rule says in the message which one it is."""


def delete_snapshot(folder: RunFolder, name: str) -> None:
    """Delete it, and the segments that no other needs. For a run that nobody trains; raises ArtifactNotFound."""
    delete_files(find_snapshot(folder, name))
    drop_segments(folder)


def keep_snapshot(folder: RunFolder, name: str, new_name: str, message: str) -> None:
    """Give snapshot ``name`` a name, by which it is kept until somebody deletes it, and a message.

    A worker may train the run meanwhile. Raises ArtifactNotFound, SnapshotDamaged, SnapshotRefused, OSError, and
    ArtifactNotFound too where it has just made room for newer ones.
    """
    manifest, members = read_snapshot(folder, name)
    renamed = manifest.model_copy(update={"name": new_name, "is_named": True, "message": message})
    verification = read_snapshot_verification(folder, name)
    write_snapshot(folder, renamed, members)
    if verification is not None:
        write_snapshot_verification(folder, new_name, verification)
    if new_name != name:
        delete_files(find_snapshot(folder, name))
    kept = find_snapshot(folder, new_name)
    if not kept.is_whole:
        delete_files(kept)
        raise ArtifactNotFound(f"Snapshot {name!r} has just made room for newer ones. Choose another one.")


def retain_snapshots(folder: RunFolder, keep: int, max_bytes: float) -> None:
    """Delete those that ``dropped_snapshots`` names."""
    for snapshot in dropped_snapshots(folder, keep, max_bytes):
        delete_files(snapshot)


def dropped_snapshots(folder: RunFolder, keep: int, max_bytes: float = math.inf) -> list[Snapshot]:
    """What goes when these stay: every named one, the newest that each event has had taken (a best policy, the reward
    threshold, a rule), and the newest ``keep`` of the others, fewer where all of them together would take more than
    ``max_bytes``; the newest one stays in any case.

    The newest is that taken last: of a run that went back, those of later steps that were left behind are older. That
    with which a fork begins stays too, and goes first where there is too little room."""
    found = sorted(snapshots_of(folder), key=lambda one: (not one.is_inherited, one.manifest.attempt))
    passing = [snapshot for snapshot in found if not (snapshot.manifest.is_named or snapshot.is_beginning)]
    of_events = {
        (snapshot.manifest.trigger, snapshot.manifest.message): snapshot
        for snapshot in passing
        if snapshot.manifest.trigger in _EVENTS
    }
    dropped = [snapshot for snapshot in passing[:-keep] if snapshot not in of_events.values()]
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
