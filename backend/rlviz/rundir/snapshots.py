"""The snapshots of a run: which there are, what they take, and which are kept. Nothing is unpickled here.

    snapshots/<step or name>.zip    manifest.json, weights.pt.zst, state.pkl.zst
    snapshots/<step or name>.verify.json    what the last verification of it found
    replay/<a>-<b>-<digest>.seg     rows of the replay buffer, shared by the snapshots that name them

A snapshot is a zip archive whose comment seals it: a digest of all bytes before, and the same with this installation's
key. So a file that was cut or changed anywhere is told from one that is whole, and that from one of a foreign origin.

The key by which this installation knows its own snapshots.

Handing a snapshot over to the run that is forked from it, and what it takes to go on from there as the parent
did.

Which snapshots are of the run as it is now: a rollback leaves those that came after it behind.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from rlviz.domain.config import Parent, SnapshotPlan
from rlviz.domain.errors import ArtifactNotFound, RlvizError, RunFolderError, SnapshotDamaged, SnapshotRefused
from rlviz.domain.events import RollbackData, SnapshotData, StartedData, Superseded, parse_event
from rlviz.domain.snapshots import SnapshotManifest, SnapshotVerification
from rlviz.domain.versions import SNAPSHOT, read_versioned
from rlviz.rundir.archives import MOST_DIRECTORY_BYTES, NOT_AN_ARCHIVE, directory_bytes, read_member
from rlviz.rundir.control import Control
from rlviz.rundir.files import (
    MAX_JSON_BYTES,
    damaged,
    files_in,
    is_file,
    open_descriptor,
    open_file,
    read_document,
    read_small,
    size_of,
    temporary_name,
    write_atomically,
)
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.metric_rows import MetricRow, counted_rows, superseded_rows

KEY_FILE = ".snapshot-key"
KEY_BYTES = 32


def snapshot_key(runs_dir: Path) -> bytes:
    """The key of the runs in ``runs_dir``, made where there is none. Raises OSError and RunFolderError."""
    path = runs_dir / KEY_FILE
    with suppress(FileNotFoundError):
        if len(key := read_small(path, limit=KEY_BYTES)) == KEY_BYTES:
            return key
        path.unlink()  # a host that failed may have left an empty one
    draft = temporary_name(path)
    with os.fdopen(open_descriptor(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC), "wb") as file:
        draft.chmod(0o600)
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:  # another worker was first
        draft.unlink()
    except OSError:  # a file system without hard links
        draft.replace(path)
    else:
        draft.unlink()
    return read_small(path, limit=KEY_BYTES)


MANIFEST = "manifest.json"

_DIGEST, _SIGNATURE = "sha256 {:64}", " hmac {:64}"
_DIGEST_BYTES = len(_DIGEST.format(""))
_SEAL_BYTES = _DIGEST_BYTES + len(_SIGNATURE.format(""))
_END_BYTES = 22 + _SEAL_BYTES
"""Of a zip archive's end record with such a comment."""


@dataclass(frozen=True)
class Snapshot:
    """One in the list. ``bytes`` is the file alone, ``replay_bytes`` the segments that it needs, which others may
    share. ``problem`` says why it cannot be continued from, as far as a look tells; None: it is whole."""

    path: Path
    manifest: SnapshotManifest
    bytes: int
    replay_bytes: int
    problem: str | None

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def is_inherited(self) -> bool:
        """Whether it is of the run that this one was forked from."""
        return self.manifest.run_id != self.path.parent.parent.name

    @property
    def is_whole(self) -> bool:
        return self.problem is None

    @property
    def is_beginning(self) -> bool:
        """Whether it is that at which this run was forked."""
        return self.is_inherited and self.is_whole


def snapshots_of(folder: RunFolder) -> list[Snapshot]:
    """Those whose manifest can be read, oldest step first. Cheap: the digests are not calculated."""
    found = []
    for path in files_in(folder.snapshots, folder.path, "*.zip"):
        with suppress(OSError, RunFolderError, SnapshotRefused):
            found.append(_look_at(folder, path))
    return sorted(found, key=lambda snapshot: (snapshot.manifest.step, snapshot.manifest.time))


def find_snapshot(folder: RunFolder, name: str) -> Snapshot:
    """Raises ArtifactNotFound, SnapshotRefused and RunFolderError."""
    try:
        return _look_at(folder, folder.snapshot_path(name))
    except FileNotFoundError as error:
        known = ", ".join(snapshot.name for snapshot in snapshots_of(folder)) or "none"
        raise ArtifactNotFound(f"This run has no snapshot {name[:80]!r}. It has: {known}.") from error


def check_snapshot(folder: RunFolder, path: Path) -> None:
    """Raises FileNotFoundError, or RunFolderError if nothing can be read of the snapshot at ``path``. Cheap: the digest
    is not calculated. One that a newer version wrote, or that lacks a segment, can be read and is no damage."""
    try:
        _look_at(folder, path)
    except SnapshotDamaged as error:
        raise damaged(path, folder.path, "It is no snapshot, or was cut.") from error


def bytes_of(folder: RunFolder) -> int:
    """What all snapshots of a run and their segments take."""
    return sum(map(size_of, [*files_in(folder.snapshots, folder.path), *files_in(folder.replay, folder.path)]))


def write_snapshot(folder: RunFolder, manifest: SnapshotManifest, members: Mapping[str, bytes]) -> Path:
    """Write a snapshot, sealed; whole or absent. Its segments have to be on disk. Raises OSError, RunFolderError."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
        for name, value in members.items():
            archive.writestr(name, value)
        archive.comment = b" " * _SEAL_BYTES
    body = content.getbuffer()[:-_SEAL_BYTES]
    seal = _digest(body) + _signature(folder, body)
    folder.snapshots.mkdir(exist_ok=True)
    path = folder.snapshot_path(manifest.name)
    verification_path(path).unlink(missing_ok=True)  # it was of another of that name
    write_atomically(path, bytes(body) + seal, folder.path)
    return path


def resign(folder: RunFolder, path: Path, sha256: str, made_in: str) -> bool:
    """Sign a snapshot that another installation wrote as this one's own. Nothing of it is loaded.

    ``sha256``: of the file that the user trusts; ``made_in``: id of its run there. Returns False for a file that is not
    whole, which stays as it is. Raises OSError and RunFolderError.
    """
    try:
        with open_file(path, folder.path) as file:
            content = file.read()
        if hashlib.sha256(content).hexdigest() != sha256:
            return False
        manifest, members = _members(content, path.stem)
    except (FileNotFoundError, SnapshotDamaged):
        return False
    if manifest.is_newer or manifest.name != path.stem:
        return False
    if manifest.run_id == made_in:
        manifest = manifest.model_copy(update={"run_id": folder.run_id})
    verification = None
    with suppress(RunFolderError):
        verification = read_snapshot_verification(folder, manifest.name)
    write_snapshot(folder, manifest, members)
    if verification is not None:
        write_snapshot_verification(folder, manifest.name, verification)
    return True


def check_seal(folder: RunFolder, name: str) -> None:
    """Check that a snapshot is whole and this installation's own. Nothing of it is loaded.

    Raises ArtifactNotFound if there is none of that name, SnapshotDamaged and SnapshotRefused.
    """
    read_snapshot(folder, name)


def read_snapshot(folder: RunFolder, name: str) -> tuple[SnapshotManifest, dict[str, bytes]]:
    """Manifest and members of a snapshot that is whole and this installation's own.

    Raises ArtifactNotFound if there is none of that name, SnapshotDamaged and SnapshotRefused.
    """
    path = find_snapshot(folder, name).path
    with open_file(path, folder.path) as file:
        content = file.read()
    body, seal = _body_of(content, name)
    if not hmac.compare_digest(seal[_DIGEST_BYTES:], _signature(folder, body)):
        raise SnapshotRefused(
            f"Snapshot {name} was not written by this installation. A snapshot holds pickled Python objects, which run "
            f"when they are read. If you trust where it comes from: `rlviz trust {folder.run_id}`."
        )
    manifest, members = _members(content, name)
    if manifest.is_newer:
        raise SnapshotRefused(f"Snapshot {name} cannot be used. {_of_a_newer_version(manifest)}")
    return manifest, members


def _body_of(content: bytes, name: str) -> tuple[memoryview, bytes]:
    """What a seal is of, and the seal. Raises SnapshotDamaged unless the digest in the seal is right."""
    body, seal = memoryview(content)[:-_SEAL_BYTES], content[-_SEAL_BYTES:]
    if not hmac.compare_digest(seal[:_DIGEST_BYTES], _digest(body)):
        raise SnapshotDamaged(f"Snapshot {name} is damaged: it is not what was written. Continue from another one.")
    return body, seal


def _members(content: bytes, name: str) -> tuple[SnapshotManifest, dict[str, bytes]]:
    """Raises SnapshotDamaged. No more memory is taken than ``content`` has bytes: its members are not compressed."""
    _body_of(content, name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise zipfile.BadZipFile  # noqa: TRY301  (handled as any other damage)
            members = {member: archive.read(member) for member in archive.namelist()}
        return _parse(members.pop(MANIFEST), name), members
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, RuntimeError) as error:
        raise SnapshotDamaged(f"Snapshot {name} is damaged. Continue from another one.") from error


def read_snapshot_verification(folder: RunFolder, name: str) -> SnapshotVerification | None:
    """None if no verification was requested. Raises RunFolderError if it is unreadable."""
    try:
        return read_document(verification_path(folder.snapshot_path(name)), SnapshotVerification, folder.path)
    except FileNotFoundError:
        return None


def write_snapshot_verification(folder: RunFolder, name: str, found: SnapshotVerification) -> None:
    """Not for a snapshot that was deleted meanwhile."""
    path = folder.snapshot_path(name)
    if is_file(path, folder.path):
        write_atomically(verification_path(path), found.model_dump_json(indent=2).encode(), folder.path)


def verification_path(snapshot: Path) -> Path:
    return snapshot.with_suffix(".verify.json")


def delete_files(snapshot: Snapshot) -> None:
    verification_path(snapshot.path).unlink(missing_ok=True)
    snapshot.path.unlink(missing_ok=True)


def _look_at(folder: RunFolder, path: Path) -> Snapshot:
    with open_file(path, folder.path) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - _END_BYTES))
        is_cut = not file.read(4).startswith(b"PK\x05\x06")
        try:
            if is_cut:
                raise zipfile.BadZipFile
            if directory_bytes(file) > MOST_DIRECTORY_BYTES:
                raise zipfile.BadZipFile
            with zipfile.ZipFile(file) as archive:
                manifest = _parse(read_member(archive, MANIFEST, MAX_JSON_BYTES), path.stem)
        except (KeyError, *NOT_AN_ARCHIVE) as error:
            raise SnapshotDamaged(f"Snapshot {path.stem} is damaged. Continue from another one.") from error
    return Snapshot(
        path,
        manifest,
        bytes=size,
        replay_bytes=sum(segment.bytes for segment in manifest.segments),
        problem=_problem(folder, manifest),
    )


def _problem(folder: RunFolder, manifest: SnapshotManifest) -> str | None:
    if manifest.is_newer:
        return _of_a_newer_version(manifest)
    if manifest.run_id != folder.run_id and not _begins_from(folder, manifest):
        return f"It belongs to run {manifest.run_id[:80]}. What begins there is a fork of that run."
    for segment in manifest.segments:
        path = folder.segment_path(segment.file)
        if not is_file(path, folder.path) or size_of(path) != segment.bytes:
            return f"Part of the replay buffer is missing: {segment.file}."
    return None


def _begins_from(folder: RunFolder, manifest: SnapshotManifest) -> bool:
    """Whether the run is a fork at that very snapshot."""
    try:
        parent = folder.read_config().parent
    except RunFolderError:
        return False
    return parent is not None and (parent.run_id, parent.step) == (manifest.run_id, manifest.step)


def _parse(content: bytes, name: str) -> SnapshotManifest:
    """Whatever version wrote it. Raises SnapshotDamaged."""
    try:
        return read_versioned(SnapshotManifest, content)
    except ValueError as error:
        raise SnapshotDamaged(f"Snapshot {name} is damaged: its manifest cannot be read.") from error


def _of_a_newer_version(manifest: SnapshotManifest) -> str:
    return f"{SNAPSHOT.newer(manifest.schema_version)} Continue it with that version."


def _digest(body: memoryview) -> bytes:
    return _DIGEST.format(hashlib.sha256(body).hexdigest()).encode()


def _signature(folder: RunFolder, body: memoryview) -> bytes:
    key = snapshot_key(folder.path.parent)
    return _SIGNATURE.format(hmac.new(key, body, hashlib.sha256).hexdigest()).encode()


BEGINNING = "0"
"""The name of the snapshot that a fork begins from whose parent is trained again from its beginning."""


def inherit(snapshot: Snapshot, parent: RunFolder, child: RunFolder) -> None:
    """Put ``snapshot`` and its segments into the folder of ``child``, as the same files where the disk allows it.

    The child needs its parent no more: the snapshot is there as long as it is needed. Raises OSError, and
    ArtifactNotFound where the parent, which may train, has just made room for newer ones.
    """
    child.snapshots.mkdir(exist_ok=True)
    try:
        _link(snapshot.path, child.snapshot_path(snapshot.name))
        if snapshot.manifest.segments:
            child.replay.mkdir(exist_ok=True)
        for segment in snapshot.manifest.segments:
            _link(parent.segment_path(segment.file), child.segment_path(segment.file))
    except FileNotFoundError as error:
        raise ArtifactNotFound(
            f"Snapshot {snapshot.name!r} has just made room for newer ones. Choose another one."
        ) from error


def inherit_stretch(snapshot: Snapshot | None, parent: RunFolder, child: RunFolder, until: int) -> None:
    """Put into the folder of ``child`` what it takes to train ``parent`` again from ``snapshot`` (None: from its
    beginning; where it is a fork itself, that is a snapshot that it has inherited) to step ``until``, and to compare: a
    folder of the parent's own, in which it is to be resumed. Raises OSError and RunFolderError."""
    copy = RunFolder(child.parent, parent.run_id)
    begin = 0 if snapshot is None else snapshot.manifest.step
    last_row = 0 if snapshot is None or snapshot.is_inherited else snapshot.manifest.last_row
    config = parent.read_config()
    attempt, total = _attempts(parent, begin, until, config.total_timesteps)
    copy.create(config.model_copy(update={"total_timesteps": total}))
    for source, target in ((parent.events_path, copy.events_path), (parent.rules_path, copy.rules_path)):
        with suppress(FileNotFoundError):
            shutil.copyfile(source, target, follow_symlinks=False)
    with copy.metrics_path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in _rows(parent, last_row, until))
    copy.write_control(Control(attempt=attempt + 1, resume_from=None if snapshot is None else snapshot.name))


def inherit_segments(source: RunFolder, child: RunFolder) -> None:
    """Put the segments that ``source`` has written into the folder of ``child`` too. Raises OSError."""
    for path in files_in(source.replay, source.path, "*.seg"):
        child.replay.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            _link(path, child.segment_path(path.name))


def begins_with_parent(child: RunFolder, parent: Parent) -> bool:
    """Whether its parent has still to be trained again for it, from the parent's beginning."""
    return child.parent.is_dir() and all(one.manifest.run_id != parent.run_id for one in snapshots_of(child))


def beginning_of(child: RunFolder, parent: Parent) -> Snapshot:
    """The snapshot of the parent that a fork begins from: that of its very step, if it is there already. Raises
    ArtifactNotFound, SnapshotRefused and RunFolderError."""
    with suppress(RlvizError):
        found = find_snapshot(child, str(parent.step))
        if (found.manifest.run_id, found.manifest.step) == (parent.run_id, parent.step):
            return found
    return find_snapshot(child, parent.snapshot)


def _attempts(folder: RunFolder, begin: int, until: int, total: int) -> tuple[int, int]:
    """The number of the last attempt, and how long training was to be on the way from step ``begin`` to ``until``: if
    it was made longer on the way, as long as it had to be. ``total``: as the configuration says."""
    newest, length = 1, total
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        if event is not None and isinstance(event.data, StartedData):
            newest = max(newest, event.data.attempt)
            if event.step <= begin or length < until:
                length = event.data.total_timesteps or total
    return newest, length


def _rows(folder: RunFolder, after: int, until: int) -> Iterator[MetricRow]:
    """Those beyond row ``after``, up to step ``until``, that count."""
    return takewhile(lambda row: row["step"] <= until, counted_rows(folder, after=after))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without hard links
        shutil.copyfile(source, target, follow_symlinks=False)


def is_behind(snapshot: Snapshot, superseded: Superseded) -> bool:
    """Whether what led to ``snapshot`` is superseded: an earlier attempt took it beyond the step that the run went back
    to, or after rows that do not count now. Never true of the snapshot with which a fork begins: it is older than every
    step that the fork can go back from."""
    taken = snapshot.manifest
    return not snapshot.is_inherited and any(
        taken.attempt < stretch.attempt
        and (
            stretch.first <= taken.last_row <= stretch.last
            or (stretch.beyond is not None and taken.step > stretch.beyond)
        )
        for stretch in superseded.stretches
    )


def was_cut_off_early(folder: RunFolder, plan: SnapshotPlan) -> bool:
    """Whether the run was to take snapshots and has never taken one, not even one that is damaged now. Raises
    RunFolderError."""
    if not plan.is_on or any(files_in(folder.snapshots, folder.path, "*.zip")):
        return False
    events = (parse_event(line.record) for line in journal_lines(folder.events_path))
    return not any(event is not None and isinstance(event.data, SnapshotData | RollbackData) for event in events)


def whole_of_run(folder: RunFolder) -> list[Snapshot]:
    """Those that look whole and are of the run as it is now, oldest step first; of a fork, also that with which it
    begins."""
    superseded = superseded_rows(folder)
    return [one for one in snapshots_of(folder) if one.is_whole and not is_behind(one, superseded)]


def newest_of_run(folder: RunFolder) -> Snapshot | None:
    """The one furthest on of those."""
    whole = whole_of_run(folder)
    return whole[-1] if whole else None
