"""The snapshots of a run: which there are, what they take, and which are kept. Nothing is unpickled here.

    snapshots/<step or name>.zip    manifest.json, weights.pt.zst, state.pkl.zst
    snapshots/<step or name>.verify.json    what the last verification of it found
    replay/<a>-<b>-<digest>.seg     rows of the replay buffer, shared by the snapshots that name them

A snapshot is a zip archive whose comment seals it: a digest of all bytes before, and the same with this installation's
key. So a file that was cut or changed anywhere is told from one that is whole, and that from one of a foreign origin.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.errors import ArtifactNotFound, RunFolderError, SnapshotDamaged, SnapshotRefused
from rlviz.domain.snapshot import SnapshotManifest
from rlviz.domain.snapshot_verification import SnapshotVerification
from rlviz.domain.versions import SNAPSHOT, read_versioned
from rlviz.rundir.archives import MOST_DIRECTORY_BYTES, NOT_AN_ARCHIVE, directory_bytes, read_member
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.documents import read_document
from rlviz.rundir.files import MAX_JSON_BYTES, damaged, files_in, is_file, open_file, size_of
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshot_key import snapshot_key

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
