"""Deletes old files of a run: checkpoints, videos, step records, frames, snapshots and replay buffer segments, when
only the newest should stay. Also moves aside the policies of an earlier attempt when the run goes back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.domain.snapshots import Trigger
from rlviz.rundir.files import is_file, list_files, read_size
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


def all_but_newest(paths: Sequence[Path], keep: int) -> list[Path]:
    """Return all but the last ``keep`` of ``paths`` (oldest first)."""
    return list(paths[: max(0, len(paths) - keep)])


def older_checkpoints(folder: RunFolder, keep: int) -> list[Path]:
    """Return all but the newest ``keep`` checkpoints."""
    return all_but_newest([path for _, path in folder.checkpoint_files()], keep)


def older_videos(folder: RunFolder, keep: int) -> list[Path]:
    """Return all but the newest ``keep`` evaluation videos, with the pictures and policies that belong to them.

    Videos are ordered by when they were made, because one may be made again from records.
    """
    files = partial(list_files, folder.evaluations.path, folder.path)
    videos = sorted(files("eval_*.mp4"), key=_made_at)
    kinds = (videos, files("eval_*.pictures.zip"), files("eval_*.policy.zip"))
    return [path for paths in kinds for path in all_but_newest(paths, keep)]


def _made_at(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except FileNotFoundError:  # deleted meanwhile
        return 0


def step_records(folder: RunFolder) -> list[Path]:
    """Return the step records of evaluations, oldest first."""
    return list_files(folder.evaluations.path, folder.path, "eval_*.steps.parquet")


def retain_checkpoints(folder: RunFolder, keep: int) -> None:
    delete_paths(older_checkpoints(folder, keep))


def retain_videos(folder: RunFolder, keep: int) -> None:
    """Delete all but the newest ``keep`` videos. Summaries stay."""
    delete_paths(older_videos(folder, keep))


def retain_steps(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest step records until the rest uses at most ``max_bytes``; the newest stay."""
    _retain_bytes(step_records(folder), max_bytes)


def retain_frames(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest frames kept as pictures until the rest uses at most ``max_bytes``."""
    _retain_bytes(list_files(folder.evaluations.path, folder.path, "eval_*.frames.zip"), max_bytes)


def _retain_bytes(paths: Sequence[Path], max_bytes: int) -> None:
    room = max_bytes
    for path in reversed(paths):
        room -= read_size(path)
        if room < 0 and path != paths[-1]:
            path.unlink(missing_ok=True)


def delete_paths(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


_EVENTS = (Trigger.BEST, Trigger.SOLVED, Trigger.RULE)
"""Triggers that keep one snapshot each; for rules, the message tells which rule."""


def delete_snapshot(folder: RunFolder, name: str) -> None:
    """Delete a snapshot and the segments that no other snapshot needs. Only while no worker trains the run. Raises
    ArtifactNotFound."""
    delete_files(find_snapshot(folder, name))
    drop_segments(folder)


def keep_snapshot(folder: RunFolder, name: str, new_name: str, message: str) -> None:
    """Give snapshot ``name`` a new name, which keeps it until the user deletes it, and a message.

    A worker may be training the run. Raises ArtifactNotFound (also if it was just deleted for newer ones),
    SnapshotDamaged, SnapshotRefused and OSError.
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
        raise ArtifactNotFound(f"Snapshot {name!r} was just deleted for newer ones. Choose another one.")


def retain_snapshots(folder: RunFolder, keep: int, max_bytes: float) -> None:
    """Delete the snapshots that ``dropped_snapshots`` returns."""
    for snapshot in dropped_snapshots(folder, keep, max_bytes):
        delete_files(snapshot)


def dropped_snapshots(folder: RunFolder, keep: int, max_bytes: float = math.inf) -> list[Snapshot]:
    """Return the snapshots to delete.

    These stay: every named snapshot, the newest one per trigger (a best policy, the reward threshold, a rule), and
    the newest ``keep`` of the others; fewer if all together would exceed ``max_bytes``. The newest one always stays.

    "Newest" means taken last: in a run that went back, abandoned snapshots of later steps are older. The snapshot
    that a fork starts from stays, too, but is deleted first if space is short.
    """
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
    """Return the files to delete with ``dropped_snapshots``, in a safe order of deletion. Only while no worker trains
    the run."""
    dropped = dropped_snapshots(folder, keep)
    gone = {snapshot.path for snapshot in dropped}
    needed = {segment.file for one in snapshots_of(folder) if one.path not in gone for segment in one.manifest.segments}
    segments = {segment.file for snapshot in dropped for segment in snapshot.manifest.segments} - needed
    files = [path for one in dropped for path in (one.path, verification_path(one.path))]
    files += [folder.segment_path(name) for name in sorted(segments)]
    return [path for path in files if is_file(path, folder.path)]


def drop_segments(folder: RunFolder, beyond: int | None = None) -> None:
    """Delete the segments that no snapshot names. During training, segments from row ``beyond`` on stay for coming
    snapshots."""
    names = {segment.file for snapshot in snapshots_of(folder) for segment in snapshot.manifest.segments}
    for path in list_files(folder.replay, folder.path, "*.seg"):
        first = path.name.partition("-")[0]
        if path.name not in names and not (beyond is not None and first.isdecimal() and int(first) >= beyond):
            path.unlink(missing_ok=True)


def _together(snapshots: Iterable[Snapshot]) -> int:
    snapshots = list(snapshots)
    segments = {segment.file: segment.bytes for snapshot in snapshots for segment in snapshot.manifest.segments}
    return sum(snapshot.bytes for snapshot in snapshots) + sum(segments.values())


class EarlierPolicies:
    """The policies of steps after ``step`` when attempt ``attempt`` starts: checkpoints, filmstrip and best policy."""

    def __init__(self, folder: RunFolder, attempt: int, step: int) -> None:
        self._place = folder.path / "behind" / str(attempt)
        self._root = folder.path
        self._found = [(at, path, _identity(path)) for at, path in _policies(folder) if at > step]

    def leave(self, beyond: int) -> None:
        """Move policies of steps after ``beyond`` to ``behind/<attempt>``, where no reader looks for policies, except
        those that the attempt has replaced. Raises OSError."""
        for step, path, identity in self._found:
            if step > beyond and _identity(path) == identity is not None:
                place = self._place / path.parent.relative_to(self._root)
                place.mkdir(parents=True, exist_ok=True)
                path.replace(place / path.name)


def move_policies_aside(folder: RunFolder, attempt: int, beyond: int | None, final_step: int | None) -> None:
    """Prepare for attempt ``attempt``: the final policy, of step ``final_step``, becomes an ordinary checkpoint.

    With ``beyond``, the run goes back to that step, and later policies are moved aside. Raises OSError.
    """
    if is_file(folder.model_path):
        folder.checkpoints.mkdir(exist_ok=True)
        folder.model_path.replace(folder.checkpoint_path(final_step or 0))
    if beyond is not None:
        EarlierPolicies(folder, attempt, beyond).leave(beyond)


def _policies(folder: RunFolder) -> Iterator[tuple[int, Path]]:
    yield from folder.checkpoint_files()
    yield from folder.film_files()
    with suppress(RunFolderError):
        if (best := folder.best_policy()) is not None:
            yield best.step, folder.best_model_path


def _identity(path: Path) -> tuple[int, int] | None:
    """Return values that change when a file is replaced; None if it is missing."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
