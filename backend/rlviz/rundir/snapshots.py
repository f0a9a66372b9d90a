"""The snapshots of a run: listing, reading, writing, signing, and inheriting them in a fork. Nothing is unpickled here.

    snapshots/<step or name>.zip    manifest.json, weights.pt.zst, state.pkl.zst
    snapshots/<step or name>.verify.json    result of its last verification
    replay/<a>-<b>-<digest>.seg     rows of the replay buffer, shared by the snapshots that name them

A snapshot is a zip archive whose comment is a seal: a digest of all preceding bytes, and a signature with this
installation's key. So a damaged file can be told from an intact one, and an intact one from one made elsewhere.
A rollback leaves later snapshots behind: they stay in the folder, but are not part of the run any more.
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
    damage_error,
    is_file,
    list_files,
    open_descriptor,
    open_file,
    read_document,
    read_size,
    read_small,
    temporary_name,
    write_atomically,
)
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.metric_rows import MetricRow, counted_rows, superseded_rows

KEY_FILE = ".snapshot-key"
KEY_BYTES = 32


def snapshot_key(runs_dir: Path) -> bytes:
    """Return the key for runs in ``runs_dir``; create it if missing. Raises OSError and RunFolderError."""
    path = runs_dir / KEY_FILE
    with suppress(FileNotFoundError):
        if len(key := read_small(path, limit=KEY_BYTES)) == KEY_BYTES:
            return key
        path.unlink()  # a crash of the host may leave an empty file
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
"""Bytes of a zip archive's end record with such a comment."""


@dataclass(frozen=True)
class Snapshot:
    """A snapshot in the list.

    Attributes:
        path: Its file.
        manifest: Its manifest.
        bytes: Size of the file.
        replay_bytes: Size of the segments that it needs, which others may share.
        problem: Why training cannot resume from it, as far as a quick check tells; None: intact.
    """

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
        """Whether it belongs to the parent of this fork."""
        return self.manifest.run_id != self.path.parent.parent.name

    @property
    def is_whole(self) -> bool:
        return self.problem is None

    @property
    def is_beginning(self) -> bool:
        """Whether this fork starts from it."""
        return self.is_inherited and self.is_whole


def snapshots_of(folder: RunFolder) -> list[Snapshot]:
    """Return the snapshots with a readable manifest, by step. Cheap: digests are not checked."""
    found = []
    for path in list_files(folder.snapshots, folder.path, "*.zip"):
        with suppress(OSError, RunFolderError, SnapshotRefused):
            found.append(_look_at(folder, path))
    return sorted(found, key=lambda snapshot: (snapshot.manifest.step, snapshot.manifest.time))


def find_snapshot(folder: RunFolder, name: str) -> Snapshot:
    """Return a snapshot by name. Raises ArtifactNotFound, SnapshotRefused and RunFolderError."""
    try:
        return _look_at(folder, folder.snapshot_path(name))
    except FileNotFoundError as error:
        known = ", ".join(snapshot.name for snapshot in snapshots_of(folder)) or "none"
        raise ArtifactNotFound(f"This run has no snapshot {name[:80]!r}. It has: {known}.") from error


def check_snapshot(folder: RunFolder, path: Path) -> None:
    """Raise FileNotFoundError, or RunFolderError if the snapshot at ``path`` is unreadable.

    Cheap: the digest is not checked. A snapshot of a newer version, or one that lacks a segment, is not damage.
    """
    try:
        _look_at(folder, path)
    except SnapshotDamaged as error:
        raise damage_error(path, folder.path, "It is not a snapshot, or is truncated.") from error


def snapshots_bytes(folder: RunFolder) -> int:
    """Return the bytes of all snapshots of a run and their segments."""
    return sum(map(read_size, [*list_files(folder.snapshots, folder.path), *list_files(folder.replay, folder.path)]))


def write_snapshot(folder: RunFolder, manifest: SnapshotManifest, members: Mapping[str, bytes]) -> Path:
    """Write a sealed snapshot, completely or not at all. Its segments must already be on disk. Raises OSError and
    RunFolderError."""
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
    verification_path(path).unlink(missing_ok=True)  # it described an older one of that name
    write_atomically(path, bytes(body) + seal, folder.path)
    return path


def sign_as_own(folder: RunFolder, path: Path, sha256: str, made_in: str) -> bool:
    """Sign a snapshot of another installation as our own. Nothing in it is loaded.

    Args:
        folder: Folder of the run.
        path: File of the snapshot.
        sha256: Hash of the file that the user trusts.
        made_in: Id of the run where it was made.

    Returns:
        False if the file is damaged; it stays unchanged.

    Raises:
        OSError: A file cannot be read or written.
        RunFolderError: Something else is in place of the file.
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


def has_foreign_snapshots(folder: RunFolder) -> bool:
    """Return whether a snapshot was signed by another installation, or in another runs folder. Reads all snapshots.

    Damaged ones, and those of a newer version, cannot be used in any case and do not count.

    Raises OSError, and RunFolderError if something else is in place of a file.
    """
    for path in sorted(folder.snapshots.glob("*.zip")):
        with suppress(FileNotFoundError, SnapshotDamaged), open_file(path, folder.path) as file:
            content = file.read()
            body, seal = _body_of(content, path.stem)
            is_own = hmac.compare_digest(seal[_DIGEST_BYTES:], _signature(folder, body))
            if not is_own and not _members(content, path.stem)[0].is_newer:
                return True
    return False


def check_seal(folder: RunFolder, name: str) -> None:
    """Check that a snapshot is intact and was written by this installation. Nothing in it is loaded.

    Raises ArtifactNotFound for an unknown name, SnapshotDamaged and SnapshotRefused.
    """
    read_snapshot(folder, name)


def read_snapshot(folder: RunFolder, name: str) -> tuple[SnapshotManifest, dict[str, bytes]]:
    """Return manifest and members of a snapshot that is intact and was written by this installation.

    Raises ArtifactNotFound for an unknown name, SnapshotDamaged and SnapshotRefused.
    """
    path = find_snapshot(folder, name).path
    with open_file(path, folder.path) as file:
        content = file.read()
    body, seal = _body_of(content, name)
    if not hmac.compare_digest(seal[_DIGEST_BYTES:], _signature(folder, body)):
        raise SnapshotRefused(
            f"Snapshot {name} was not written by this installation. A snapshot holds pickled Python objects, which can "
            f"run code when loaded. If you trust its origin, run `rlviz trust {folder.run_id}`."
        )
    manifest, members = _members(content, name)
    if manifest.is_newer:
        raise SnapshotRefused(f"Snapshot {name} cannot be used. {_of_a_newer_version(manifest)}")
    return manifest, members


def _body_of(content: bytes, name: str) -> tuple[memoryview, bytes]:
    """Return the sealed part and the seal. Raises SnapshotDamaged if the digest in the seal is wrong."""
    body, seal = memoryview(content)[:-_SEAL_BYTES], content[-_SEAL_BYTES:]
    if not hmac.compare_digest(seal[:_DIGEST_BYTES], _digest(body)):
        raise SnapshotDamaged(f"Snapshot {name} is damaged: its content has changed. Continue from another one.")
    return body, seal


def _members(content: bytes, name: str) -> tuple[SnapshotManifest, dict[str, bytes]]:
    """Return manifest and members. Uses no more memory than ``content``, because members are not compressed. Raises
    SnapshotDamaged."""
    _body_of(content, name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise zipfile.BadZipFile  # noqa: TRY301  (handled like other damage)
            members = {member: archive.read(member) for member in archive.namelist()}
        return _parse(members.pop(MANIFEST), name), members
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, RuntimeError) as error:
        raise SnapshotDamaged(f"Snapshot {name} is damaged. Continue from another one.") from error


def read_snapshot_verification(folder: RunFolder, name: str) -> SnapshotVerification | None:
    """Return the verification; None if none was requested. Raises RunFolderError if it is unreadable."""
    try:
        return read_document(verification_path(folder.snapshot_path(name)), SnapshotVerification, folder.path)
    except FileNotFoundError:
        return None


def write_snapshot_verification(folder: RunFolder, name: str, found: SnapshotVerification) -> None:
    """Write the verification, unless the snapshot was deleted meanwhile."""
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
        return f"It belongs to run {manifest.run_id[:80]}. Resuming from it would fork that run."
    for segment in manifest.segments:
        path = folder.segment_path(segment.file)
        if not is_file(path, folder.path) or read_size(path) != segment.bytes:
            return f"Part of the replay buffer is missing: {segment.file}."
    return None


def _begins_from(folder: RunFolder, manifest: SnapshotManifest) -> bool:
    """Whether the run is a fork that starts from that snapshot."""
    try:
        parent = folder.read_config().parent
    except RunFolderError:
        return False
    return parent is not None and (parent.run_id, parent.step) == (manifest.run_id, manifest.step)


def _parse(content: bytes, name: str) -> SnapshotManifest:
    """Parse a manifest written by any version. Raises SnapshotDamaged."""
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
"""Name of the snapshot of a fork whose parent is trained again from its beginning."""


def inherit_snapshot(snapshot: Snapshot, parent: RunFolder, child: RunFolder) -> None:
    """Put ``snapshot`` and its segments into the folder of ``child``, as hard links if possible.

    The child then no longer needs its parent. Raises OSError, and ArtifactNotFound if the parent, which may be
    training, has just deleted the snapshot.
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
            f"Snapshot {snapshot.name!r} was just deleted for newer ones. Choose another one."
        ) from error


def inherit_stretch(snapshot: Snapshot | None, parent: RunFolder, child: RunFolder, until: int) -> None:
    """Prepare ``child`` to train its parent again up to step ``until``, and to compare the results.

    Creates a copy of the parent's folder inside ``child``, to be resumed from ``snapshot``; None: from the
    beginning, which for a fork is its inherited snapshot. Raises OSError and RunFolderError.
    """
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
    """Also put the segments that ``source`` has written into the folder of ``child``. Raises OSError."""
    for path in list_files(source.replay, source.path, "*.seg"):
        child.replay.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            _link(path, child.segment_path(path.name))


def must_retrain_parent(child: RunFolder, parent: Parent) -> bool:
    """Whether the fork's parent still has to be trained again, from the parent's beginning."""
    return child.parent.is_dir() and all(one.manifest.run_id != parent.run_id for one in snapshots_of(child))


def find_fork_start(child: RunFolder, parent: Parent) -> Snapshot:
    """Return the parent's snapshot that a fork starts from, or that of the exact step once it exists. Raises
    ArtifactNotFound, SnapshotRefused and RunFolderError."""
    with suppress(RlvizError):
        found = find_snapshot(child, str(parent.step))
        if (found.manifest.run_id, found.manifest.step) == (parent.run_id, parent.step):
            return found
    return find_snapshot(child, parent.snapshot)


def leave_parent(child: RunFolder) -> None:
    """Delete the snapshots and files that the parent was retrained from. Nothing in the fork needs them now.

    If the worker is killed meanwhile, the next one deletes the rest.
    """
    if not child.parent.exists():
        return
    for snapshot in snapshots_of(child):
        if snapshot.is_inherited and not snapshot.is_beginning:
            delete_files(snapshot)
    with suppress(OSError):  # what is left is harmless
        shutil.rmtree(child.parent, ignore_errors=True)


def _attempts(folder: RunFolder, begin: int, until: int, total: int) -> tuple[int, int]:
    """Return the number of the last attempt, and the planned steps between ``begin`` and ``until``: at most as needed
    if training was extended in between. ``total`` is the configured length."""
    newest, length = 1, total
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        if event is not None and isinstance(event.data, StartedData):
            newest = max(newest, event.data.attempt)
            if event.step <= begin or length < until:
                length = event.data.total_timesteps or total
    return newest, length


def _rows(folder: RunFolder, after: int, until: int) -> Iterator[MetricRow]:
    """Yield the counted rows after row ``after``, up to step ``until``."""
    return takewhile(lambda row: row["step"] <= until, counted_rows(folder, after=after))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without hard links
        shutil.copyfile(source, target, follow_symlinks=False)


def is_behind(snapshot: Snapshot, superseded: Superseded) -> bool:
    """Whether ``snapshot`` is no longer part of the run: an earlier attempt took it beyond the step that the run went
    back to, or after rows that no longer count. Never true for the snapshot that a fork starts from, which is older
    than every step it can go back to."""
    taken = snapshot.manifest
    return not snapshot.is_inherited and any(
        taken.attempt < stretch.attempt
        and (
            stretch.first <= taken.last_row <= stretch.last
            or (stretch.beyond is not None and taken.step > stretch.beyond)
        )
        for stretch in superseded.stretches
    )


def never_took_snapshot(folder: RunFolder, plan: SnapshotPlan) -> bool:
    """Whether the run should have taken snapshots but never took one, not even one that is damaged now. Raises
    RunFolderError."""
    if not plan.is_on or any(list_files(folder.snapshots, folder.path, "*.zip")):
        return False
    events = (parse_event(line.record) for line in journal_lines(folder.events_path))
    return not any(event is not None and isinstance(event.data, SnapshotData | RollbackData) for event in events)


def usable_snapshots(folder: RunFolder) -> list[Snapshot]:
    """Return intact snapshots that are part of the run, by step; for a fork, including the one it starts from."""
    superseded = superseded_rows(folder)
    return [one for one in snapshots_of(folder) if one.is_whole and not is_behind(one, superseded)]


def newest_usable_snapshot(folder: RunFolder) -> Snapshot | None:
    """Return the furthest of these snapshots; None if there is none."""
    whole = usable_snapshots(folder)
    return whole[-1] if whole else None
