"""A run as one file: a zip archive of its folder with a manifest of hashes, to be opened on another machine.

``manifest.json`` lists every other member with its size and SHA-256. Each file is read once, from the file that was
opened, and its hash is that of the bytes that were copied; the manifest is written last. So a run may be bundled while
it trains: a journal is taken up to the size that it has when it is opened, and a file that is replaced or deleted
meanwhile is taken whole, or not at all.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO, Annotated, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rlviz import __version__
from rlviz.domain.errors import BundleRefused, RunFolderError
from rlviz.domain.event_lines import event_line, parse_event
from rlviz.domain.events import Ending, InterruptedData, StartedData
from rlviz.domain.ids import is_run_id
from rlviz.domain.storage_rules import StoredKind
from rlviz.exchange.copying import Copying, NullSink, ProgressCallback, ignore_progress
from rlviz.exchange.zip_archive import opened_archive
from rlviz.rundir.contents import kind_of
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.files import is_file, open_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter, read_journal

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
MOST_FILES = 100_000
MOST_MANIFEST_BYTES = 50_000_000
DEFAULT_MOST_BYTES = 20_000_000_000

LEFT_OUT = ("control.json", "worker.lock", "heartbeat", "watch/", "sealed/", "film/clips/", "sinks/")
"""What belongs to the machine that trains, or can be made again."""

SNAPSHOTS = frozenset({StoredKind.SNAPSHOTS, StoredKind.REPLAY})

POLICIES = frozenset({StoredKind.POLICIES, StoredKind.FILM}) | SNAPSHOTS
"""Kinds of files that hold a policy: a policy is code, which whoever loads it runs."""


class Member(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, max_length=500)
    bytes: int = Field(ge=0)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What a bundle holds."""

    model_config = ConfigDict(frozen=True)

    schema_version: int
    run_id: str
    made_by: str = Field(description="The version of RL Gym Visualizer that made it.")
    made_at: float = Field(description="Unix seconds.")
    files: list[Member] = Field(max_length=MOST_FILES)


class RunIsThere(FileExistsError):
    """The runs folder has the run ``run_id`` of the bundle already."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} is there already. Delete it first, and empty the trash.")
        self.run_id = run_id


def write_bundle(
    folder: RunFolder,
    target: BinaryIO,
    *,
    policies: bool = True,
    snapshots: bool = False,
    on_progress: ProgressCallback = ignore_progress,
) -> Manifest:
    """Write a run's bundle. ``policies``: with its policies; ``snapshots``: with what an exact resume needs, too.

    Raises RunFolderError for a folder whose configuration cannot be read, ArtifactNotFound for one that is deleted
    meanwhile, and OSError.
    """
    folder.read_config()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        members = _pack(archive, folder, lambda name: _is_wanted(name, policies, snapshots), on_progress)
        folder.check()
        manifest = Manifest(
            schema_version=SCHEMA_VERSION,
            run_id=folder.run_id,
            made_by=__version__,
            made_at=round(time.time(), 3),
            files=members,
        )
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    return manifest


def read_bundle(
    source: Path,
    runs_dir: Path,
    *,
    trust_policies: bool = False,
    most_bytes: int = DEFAULT_MOST_BYTES,
    on_progress: ProgressCallback = ignore_progress,
) -> RunFolder:
    """Put the run of a bundle into ``runs_dir``: whole, once all of its hashes are found right, or not at all.

    Without ``trust_policies`` its policies are left out. A run that was bundled while it trained is interrupted.
    Raises BundleRefused for what is no bundle, or not a sound one, RunIsThere, and
    OSError.
    """
    with _opened(source) as archive:
        manifest = _checked_manifest(archive, most_bytes)
        target = runs_dir / manifest.run_id
        if target.exists() or target.is_symlink():
            raise RunIsThere(manifest.run_id)
        draft = RunFolder(runs_dir / DRAFTS, manifest.run_id)
        shutil.rmtree(draft.path, ignore_errors=True)
        try:
            _unpack(archive, manifest, draft.path, trust_policies, on_progress)
            _finish(draft)
            draft.path.rename(target)
        except BaseException:
            shutil.rmtree(draft.path, ignore_errors=True)
            raise
    return RunFolder(runs_dir, manifest.run_id)


def check_bundle(source: Path) -> Manifest:
    """What a bundle holds, once every file in it is found to be what was bundled.

    Raises BundleRefused for what is no bundle, or not a sound one, and OSError.
    """
    with _opened(source) as archive:
        manifest = _checked_manifest(archive, most_bytes=sys.maxsize)
        copying = Copying()
        for member in manifest.files:
            with archive.open(member.path) as packed:
                _check_copied(member, packed, *copying.copy(member.path, packed, NullSink(), member.bytes))
    return manifest


def _opened(source: Path) -> AbstractContextManager[zipfile.ZipFile]:
    return opened_archive(source, lambda why: BundleRefused(f"{source.name} is no bundle, or a damaged one: {why}."))


def stamps(folder: RunFolder) -> dict[str, tuple[int, int]]:
    """Of each file that a bundle with policies and snapshots has, its size and when it was changed: as long as these
    are the same, so is the bundle."""
    found = {}
    for path in _files(folder):
        name = path.relative_to(folder.path).as_posix()
        if _is_wanted(name, policies=True, snapshots=True):
            status = path.stat()
            found[name] = (status.st_size, status.st_mtime_ns)
    return found


def _pack(archive: zipfile.ZipFile, folder: RunFolder, is_wanted: Callable[[str], bool], on_progress: ProgressCallback) -> list[Member]:
    """Put each file of a run that is wanted into the archive. Raises RunFolderError and OSError."""
    members: dict[str, Member] = {}
    copying = Copying(_bytes_of(folder, is_wanted), on_progress)
    while True:
        has_vanished = False
        for path in list(_files(folder)):
            name = path.relative_to(folder.path).as_posix()
            if name in members or not is_wanted(name):
                continue
            try:
                with open_file(path, folder.path) as source:
                    members[name] = _packed(archive, name, source, copying)
            except FileNotFoundError:
                has_vanished = True
        if not has_vanished:
            return list(members.values())  # otherwise something else may be there instead: a compressed journal, say


def _packed(archive: zipfile.ZipFile, name: str, source: BinaryIO, copying: Copying) -> Member:
    size = os.fstat(source.fileno()).st_size
    with archive.open(name, "w", force_zip64=True) as sink:
        copied, digest = copying.copy(name, source, sink, size)
    return Member(path=name, bytes=copied, sha256=digest)


def _files(folder: RunFolder) -> Iterator[Path]:
    """Regular files, no links, none that is hidden or still being written."""
    for root, folders, names in os.walk(folder.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if not name.startswith(".") and not name.endswith(".tmp") and is_file(path, folder.path):
                yield path


def _bytes_of(folder: RunFolder, is_wanted: Callable[[str], bool]) -> int:
    """As far as can be said before: the run may train."""
    total = 0
    for path in _files(folder):
        if is_wanted(path.relative_to(folder.path).as_posix()):
            with suppress(FileNotFoundError):
                total += path.stat().st_size
    return total


def _is_wanted(path: str, policies: bool, snapshots: bool) -> bool:
    if path.startswith(LEFT_OUT) or (kind_of(path) in SNAPSHOTS and not snapshots):
        return False
    return policies or not _is_policy(path)


def _is_policy(path: str) -> bool:
    return kind_of(path) in POLICIES or (path.startswith("eval/") and path.endswith(".zip"))


def _checked_manifest(archive: zipfile.ZipFile, most_bytes: int) -> Manifest:
    """Raises BundleRefused for whatever could reach beyond one run folder, or fill the disk."""
    try:
        information = archive.getinfo(MANIFEST)
    except KeyError as error:
        raise BundleRefused("There is no manifest.json in it, so it is no bundle of a run.") from error
    if information.file_size > MOST_MANIFEST_BYTES:
        raise BundleRefused("Its manifest is too long.")
    try:
        manifest = Manifest.model_validate_json(archive.read(information))
    except ValidationError as error:
        raise BundleRefused(f"Its manifest cannot be read: {error.errors()[0]['msg']}.") from error
    if manifest.schema_version > SCHEMA_VERSION:
        raise BundleRefused(f"It was made by {manifest.made_by}, which is newer than this one. Update and try again.")
    if not is_run_id(manifest.run_id):
        raise BundleRefused(f"{manifest.run_id[:80]!r} cannot be the id of a run.")
    total = sum(member.bytes for member in manifest.files)
    if total > most_bytes:
        raise BundleRefused(
            f"It would take {total:,} bytes, more than the {most_bytes:,} that are allowed. Give --most-bytes if you "
            "trust where it comes from."
        )
    _check_names(archive, manifest)
    return manifest


def _check_names(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    named = [member.path for member in manifest.files]
    if len({name.casefold() for name in named}) != len(named):
        raise BundleRefused("A file is in it twice.")
    if strange := next((name for name in named if not _is_plain(name)), None):
        raise BundleRefused(f"{strange[:120]!r} would not be a file of the run's folder.")
    held = {information.filename for information in archive.infolist()}
    if missing := next((name for name in named if name not in held), None):
        raise BundleRefused(f"{missing[:120]!r} is in its manifest, but not in it.")
    for information in archive.infolist():
        mode = information.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise BundleRefused(f"{information.filename[:120]!r} is no regular file.")


def _is_plain(name: str) -> bool:
    """Whether it names a file below a folder, on every system."""
    parts = name.split("/")
    return not any(part in ("", ".", "..") or part.startswith(".") for part in parts) and not any(
        character in name for character in '\\:\0<>|"?*'
    )


def _unpack(archive: zipfile.ZipFile, manifest: Manifest, root: Path, trust_policies: bool, on_progress: ProgressCallback) -> None:
    wanted = [
        member
        for member in manifest.files
        if not member.path.startswith(LEFT_OUT) and (trust_policies or not _is_policy(member.path))
    ]
    copying = Copying(sum(member.bytes for member in wanted), on_progress)
    for member in wanted:
        path = root / member.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member.path) as source, path.open("xb") as sink:
            _check_copied(member, source, *copying.copy(member.path, source, sink, member.bytes))
            os.fsync(sink.fileno())


def _check_copied(member: Member, source: IO[bytes], copied: int, digest: str) -> None:
    """``copied``: how many bytes of ``source`` have been read; ``digest``: their SHA-256. Raises BundleRefused."""
    if copied < member.bytes:
        raise BundleRefused(f"{member.path} is cut short.")
    if source.read(1):
        raise BundleRefused(f"{member.path} is longer than its manifest says.")
    if digest != member.sha256:
        raise BundleRefused(f"{member.path} is not what was bundled: its hash differs.")


def _finish(draft: RunFolder) -> None:
    """Check that it is a run, and end one that still trained when it was bundled. Raises BundleRefused."""
    try:
        draft.read_config()
        ended = _has_ended(line.record for line in read_journal(draft.events_path))
    except (RunFolderError, FileNotFoundError) as error:
        raise BundleRefused(f"It holds no run that can be read: {error}") from error
    if not ended:
        journal = JournalWriter(draft.events_path)
        try:
            journal.append(event_line(0, InterruptedData(cause="It still trained when it was exported.")))
        finally:
            journal.close()


def _has_ended(records: Iterable[dict[str, object] | None]) -> bool:
    """Whether nothing has begun, or the newest attempt has ended."""
    begun = False
    for record in records:
        event = parse_event(record)
        if event is not None:
            begun = isinstance(event.data, StartedData) or (begun and not isinstance(event.data, Ending))
    return not begun
