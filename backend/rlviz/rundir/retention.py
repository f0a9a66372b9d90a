"""Which files of a kind go when only the newest stay: checkpoints, videos, step records; and deletes them.

Which snapshots of a run go, and with them which segments of its replay buffer; and deletes them.

Policies that an earlier attempt has left, where another one begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.domain.snapshots import Trigger
from rlviz.rundir.files import files_in, is_file, size_of
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
    """All but the last ``keep`` of ``paths`` (oldest first)."""
    return list(paths[: max(0, len(paths) - keep)])


def older_checkpoints(folder: RunFolder, keep: int) -> list[Path]:
    """All but the newest ``keep``."""
    return all_but_newest([path for _, path in folder.checkpoint_files()], keep)


def older_videos(folder: RunFolder, keep: int) -> list[Path]:
    """All but the newest ``keep`` evaluation videos, and of what the agent saw in them, with the policies that saw
    it. Of videos, those that were made last are the newest: one may be made again from the records."""
    files = partial(files_in, folder.evaluations.path, folder.path)
    videos = sorted(files("eval_*.mp4"), key=_made_at)
    kinds = (videos, files("eval_*.pictures.zip"), files("eval_*.policy.zip"))
    return [path for paths in kinds for path in all_but_newest(paths, keep)]


def _made_at(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except FileNotFoundError:  # somebody has deleted it just now
        return 0


def step_records(folder: RunFolder) -> list[Path]:
    """Those of evaluations, oldest first."""
    return files_in(folder.evaluations.path, folder.path, "eval_*.steps.parquet")


def retain_checkpoints(folder: RunFolder, keep: int) -> None:
    delete(older_checkpoints(folder, keep))


def retain_videos(folder: RunFolder, keep: int) -> None:
    """Summaries stay."""
    delete(older_videos(folder, keep))


def retain_steps(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest step records until those of the run have at most ``max_bytes``; the newest stay."""
    _retain_bytes(step_records(folder), max_bytes)


def retain_frames(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest frames that are kept as pictures until the rest takes ``max_bytes`` at most."""
    _retain_bytes(files_in(folder.evaluations.path, folder.path, "eval_*.frames.zip"), max_bytes)


def _retain_bytes(paths: Sequence[Path], max_bytes: int) -> None:
    room = max_bytes
    for path in reversed(paths):
        room -= size_of(path)
        if room < 0 and path != paths[-1]:
            path.unlink(missing_ok=True)


def delete(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


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


class EarlierPolicies:
    """The policies of steps after ``step``, as attempt ``attempt`` finds them when it begins: checkpoints, those of the
    filmstrip, and the best one."""

    def __init__(self, folder: RunFolder, attempt: int, step: int) -> None:
        self._place = folder.path / "behind" / str(attempt)
        self._root = folder.path
        self._found = [(at, path, _identity(path)) for at, path in _policies(folder) if at > step]

    def leave(self, beyond: int) -> None:
        """Put those of steps after ``beyond`` into ``behind/<attempt>``, where no reader looks for policies; without
        those that the attempt has replaced by its own. Raises OSError."""
        for step, path, identity in self._found:
            if step > beyond and _identity(path) == identity is not None:
                place = self._place / path.parent.relative_to(self._root)
                place.mkdir(parents=True, exist_ok=True)
                path.replace(place / path.name)


def leave_behind(folder: RunFolder, attempt: int, beyond: int | None, final_step: int | None) -> None:
    """Make room for attempt ``attempt``: the final policy, of step ``final_step``, becomes a checkpoint as any other.

    With ``beyond`` the run goes back to that step, and policies of later ones are left behind. Raises OSError.
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
    """What differs once a file is replaced; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
