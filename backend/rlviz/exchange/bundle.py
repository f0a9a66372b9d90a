"""Bundles: a run as one file, a zip archive of its folder with a manifest of hashes, to import on another machine.

``manifest.json``, written last, lists every other member with size and SHA-256. Each file is read once, and its hash
is that of the copied bytes. So a run can be bundled while it trains: a journal is copied up to its size when opened,
and a file replaced or deleted meanwhile is copied completely or not at all. Reading a bundle checks names, sizes and
hashes within limits; nothing in it runs before the user trusts the run.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import struct
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Annotated, Any, BinaryIO, Self

from pydantic import ConfigDict, Field, ValidationError

from rlviz import __version__
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import BundleRefused, InvalidRequest, RlvizError, RunFolderError, validation_text
from rlviz.domain.events import Ending, InterruptedData, StartedData, event_line, parse_event
from rlviz.domain.ids import is_run_id, new_run_id
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.origin import MOST_LEFT_OUT, LeftOut, Origin
from rlviz.domain.storage_rules import StoredKind
from rlviz.exchange.admission import HEAD_BYTES, Note, matches_type, neutralize_draft, rejection_reason
from rlviz.rundir.archives import METHODS, directory_bytes
from rlviz.rundir.contents import Role, find_role, storage_kind
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.files import MAX_JSON_BYTES, is_file, open_file, parse_document, read_size, read_small
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.rundir.journal import JournalWriter, journal_lines
from rlviz.rundir.origin import read_origin, write_origin

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
MOST_FILES = 100_000

SNAPSHOTS = frozenset({StoredKind.SNAPSHOTS, StoredKind.REPLAY})


class Member(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, max_length=500)
    bytes: int = Field(ge=0)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(LazyModel):
    """``manifest.json``: the content of a bundle."""

    model_config = ConfigDict(frozen=True)

    schema_version: int
    run_id: str
    made_by: str = Field(max_length=200, description="Version of RL Gym Visualizer that made it.")
    made_at: float = Field(description="Unix seconds.")
    files: list[Member] = Field(max_length=MOST_FILES)


def is_local_file(path: str) -> bool:
    """Whether a file is an order to this machine, is specific to it, or can be made again."""
    return find_role(path) in (Role.ORDER, Role.LOCAL)


def holds_policy(path: str) -> bool:
    """Whether a file holds a policy, or is only useful together with one."""
    return find_role(path) is Role.CODE or storage_kind(path) in SNAPSHOTS


ProgressCallback = Callable[[str, int, int], None]
"""Called with the current name, the amount done, and the total, in bytes or items."""

CHUNK = 1 << 20


def ignore_progress(_name: str, _done: int, _total: int) -> None:
    """A progress callback that does nothing."""


class NullSink:
    """Discards all bytes."""

    def write(self, data: bytes) -> int:
        return len(data)


class Copying:
    """Copies files and hashes them, with progress out of ``total`` bytes."""

    def __init__(self, total: int = 0, on_progress: ProgressCallback = ignore_progress) -> None:
        self._done, self._total, self._on_progress = 0, total, on_progress

    def copy(self, name: str, source: IO[bytes], sink: IO[bytes] | NullSink, most: int) -> tuple[int, str]:
        """Copy at most ``most`` bytes; return how many were copied, and their SHA-256 in hexadecimal."""
        digest, left = hashlib.sha256(), most
        self._on_progress(name, self._done, self._total)
        while left and (chunk := source.read(min(CHUNK, left))):
            digest.update(chunk)
            sink.write(chunk)
            left -= len(chunk)
            self._done += len(chunk)
            self._on_progress(name, self._done, self._total)
        return most - left, digest.hexdigest()


def write_bundle(
    folder: RunFolder,
    target: BinaryIO,
    *,
    policies: bool = True,
    snapshots: bool = False,
    on_progress: ProgressCallback = ignore_progress,
) -> Manifest:
    """Write a run's bundle.

    Args:
        folder: Folder of the run.
        target: File to write to.
        policies: Whether to include policies.
        snapshots: Whether to include what an exact resume needs.
        on_progress: Called with the progress in bytes.

    Raises:
        RunFolderError: The configuration cannot be read.
        ArtifactNotFound: The run was deleted meanwhile.
        OSError: A file cannot be read or written.
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


def file_stamps(folder: RunFolder) -> dict[str, tuple[int, int]]:
    """Return size and time of change of each file in a complete bundle. While these stay the same, so does the
    bundle."""
    found = {}
    for path in _files(folder):
        name = path.relative_to(folder.path).as_posix()
        if _is_wanted(name, policies=True, snapshots=True):
            with suppress(FileNotFoundError):
                status = path.stat()
                found[name] = (status.st_size, status.st_mtime_ns)
    return found


def _pack(
    archive: zipfile.ZipFile, folder: RunFolder, is_wanted: Callable[[str], bool], on_progress: ProgressCallback
) -> list[Member]:
    """Put each wanted file of a run into the archive. Raises RunFolderError and OSError."""
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
            return list(members.values())  # else a file may have been replaced, for example by a compressed journal


def _packed(archive: zipfile.ZipFile, name: str, source: BinaryIO, copying: Copying) -> Member:
    size = os.fstat(source.fileno()).st_size
    with archive.open(name, "w", force_zip64=True) as sink:
        copied, digest = copying.copy(name, source, sink, size)
    return Member(path=name, bytes=copied, sha256=digest)


def _files(folder: RunFolder) -> Iterator[Path]:
    """Yield regular files: no links, and no hidden or unfinished files."""
    for root, folders, names in os.walk(folder.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if not name.startswith(".") and not name.endswith(".tmp") and is_file(path, folder.path):
                yield path


def _bytes_of(folder: RunFolder, is_wanted: Callable[[str], bool]) -> int:
    """Return the bytes to pack, as an estimate: the run may be training."""
    return sum(read_size(path) for path in _files(folder) if is_wanted(path.relative_to(folder.path).as_posix()))


def _is_wanted(path: str, policies: bool, snapshots: bool) -> bool:
    if is_local_file(path) or (storage_kind(path) in SNAPSHOTS and not snapshots):
        return False
    return policies or not holds_policy(path)


MOST_DIRECTORY_BYTES = 16_000_000
"""Maximum bytes of an archive's member list, about 80 per file. In memory it is ten times as large."""

MOST_EXPANSION, FREE_BYTES = 500, 256_000_000
"""Beyond FREE_BYTES, an archive may expand to at most MOST_EXPANSION times its own size."""

_CHUNK = 1 << 20

_FAULTS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    UnicodeDecodeError,
)
"""What Python's reader raises for files that are not archives, or are damaged or of an unsupported kind."""

_TWICE = "it contains a file twice, or a file and a folder with the same name"
_FAULTS_OF_NAMES = {
    errno.EINVAL: "it is truncated",  # a position before its start
    errno.EEXIST: _TWICE,
    errno.ENOTDIR: _TWICE,
    errno.EISDIR: _TWICE,
    errno.ENAMETOOLONG: "the name of a file in it is too long",
}
"""System errors that the archive causes."""


def is_archive(path: Path) -> bool:
    """Whether it is an archive, or a damaged one. Raises OSError."""
    try:
        return zipfile.is_zipfile(path)
    except _FAULTS:
        return True


class BoundedArchive(zipfile.ZipFile):
    """Limits what is read from it; beyond a limit, raises the error that ``refusal`` makes from the reason."""

    def __init__(self, file: BinaryIO, refusal: Callable[[str], InvalidRequest]) -> None:
        super().__init__(file)
        self._refusal = refusal
        size = file.seek(0, os.SEEK_END)
        self._left = max(FREE_BYTES, MOST_EXPANSION * size)

    def open(self, name: Any, mode: Any = "r", *_: Any, **__: Any) -> Any:
        """Open a member for reading. Raises KeyError, and a refusal for an unsupported compression method."""
        member = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        if member.compress_type not in METHODS:
            raise self._refusal(f"{member.filename[:120]!r} uses an unsupported compression method")
        return _Member(super().open(member), self._count)

    def read(self, name: Any, *_: Any) -> bytes:
        """Return a whole member. Also raises a refusal for one that is longer than it says."""
        member = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        with self.open(member) as file:
            content: bytes = file.read(member.file_size)
        return content

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise self._refusal("it expands to far more than its size. Do not trust it")


class _Member:
    """A member that is read in parts: never expands more than requested."""

    def __init__(self, file: IO[bytes], count: Callable[[int], None]) -> None:
        self._file, self._count = file, count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def read(self, size: int = -1) -> bytes:
        parts, left = [], size if size >= 0 else sys.maxsize
        while left and (part := self._file.read(min(_CHUNK, left))):
            self._count(len(part))
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        self._file.close()


@contextmanager
def open_bounded_archive(source: Path, refusal: Callable[[str], InvalidRequest]) -> Iterator[BoundedArchive]:
    """Open the archive at ``source`` for the block, which may write its files.

    Raises the error that ``refusal`` makes from the reason, wherever a fault appears in the block, and OSError for
    problems of the disk.
    """
    try:
        with source.open("rb") as file:
            if directory_bytes(file) > MOST_DIRECTORY_BYTES:
                raise refusal("it lists too many files")
            with BoundedArchive(file, refusal) as archive:
                yield archive
    except _FAULTS as error:
        raise refusal(str(error).strip().rstrip(".")[:200] or type(error).__name__) from None
    except RuntimeError as error:
        if "password" not in str(error):
            raise
        raise refusal("it is encrypted") from None
    except OSError as error:
        if (fault := _FAULTS_OF_NAMES.get(error.errno or 0)) is None:
            raise
        raise refusal(fault) from None


MOST_MANIFEST_BYTES = 50_000_000
DEFAULT_MOST_BYTES = 20_000_000_000

_CONFIG = "config.json"
_MISFIT = "Its content does not match its name."


class RunIsThere(FileExistsError):
    """The runs folder already has the run of the bundle, as ``run_id``."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} already exists. Import it with `--again` to have it twice.")
        self.run_id = run_id


def read_bundle(
    source: Path,
    runs_dir: Path,
    *,
    again: bool = False,
    most_bytes: int = DEFAULT_MOST_BYTES,
    on_progress: ProgressCallback = ignore_progress,
) -> RunFolder:
    """Put the run of a bundle into ``runs_dir``, completely and with verified hashes, or not at all.

    It keeps its id if that is free and valid, and gets a new one otherwise. It is not trusted: nothing loads its
    policies and snapshots. Orders and files that do not belong in a run folder are left out; ``origin.json`` lists
    them. A run that was training when it was bundled becomes interrupted.

    Args:
        source: The bundle.
        runs_dir: The runs folder.
        again: Whether to import a run that already exists.
        most_bytes: Maximum size of the unpacked run.
        on_progress: Called with the progress in bytes.

    Raises:
        BundleRefused: It is not a bundle, or a damaged one.
        RunIsThere: The run already exists.
        OSError: A file cannot be read or written.
    """
    with _open_bundle(source) as archive:
        manifest = _read_manifest(archive, most_bytes)
        config, digest = _read_configuration(archive, manifest)
        run_id = _free_id(runs_dir, config, digest, again=again)
        room = _create_room(runs_dir)
        draft = RunFolder(room, run_id)
        try:
            left_out = _LeftOut()
            _unpack(archive, manifest, draft.path, left_out, on_progress)
            _finish(draft)
            origin = Origin(
                file=source.name[:300],
                run_id=config.run_id[:200],
                made_by=manifest.made_by,
                exported_at=manifest.made_at,
                imported_at=round(time.time(), 3),
                config_sha256=digest,
                entry_points=neutralize_draft(draft, left_out),
                left_out=left_out.first,
                left_out_count=left_out.count,
            )
            write_origin(draft, origin)
            draft.read_config()
            _move_into_place(draft.path, runs_dir / run_id)
        except RunFolderError as error:
            raise BundleRefused(f"It contains no readable run: {error.damage}") from error
        finally:
            shutil.rmtree(room, ignore_errors=True)
    return RunFolder(runs_dir, run_id)


def check_bundle(source: Path) -> Manifest:
    """Verify every file of a bundle and return its manifest.

    Raises BundleRefused if it is not a bundle or is damaged, and OSError.
    """
    with _open_bundle(source) as archive:
        manifest = _read_manifest(archive, most_bytes=sys.maxsize)
        copying = Copying()
        for member in manifest.files:
            with archive.open(member.path) as packed:
                _check_copied(member, packed, *copying.copy(member.path, packed, NullSink(), member.bytes))
    return manifest


def _open_bundle(source: Path) -> AbstractContextManager[zipfile.ZipFile]:
    return open_bounded_archive(
        source, lambda why: BundleRefused(f"{source.name} is not a bundle, or is damaged: {why}.")
    )


def _read_manifest(archive: zipfile.ZipFile, most_bytes: int) -> Manifest:
    """Return the manifest. Raises BundleRefused for anything that could leave the run folder or fill the disk."""
    try:
        information = archive.getinfo(MANIFEST)
    except KeyError as error:
        raise BundleRefused("It has no manifest.json, so it is not a bundle of a run.") from error
    if information.file_size > MOST_MANIFEST_BYTES:
        raise BundleRefused("Its manifest is too long.")
    try:
        manifest = Manifest.model_validate_json(archive.read(information))
    except ValidationError as error:
        raise BundleRefused(f"Its manifest cannot be read: {validation_text(error.errors()[0])}.") from error
    if manifest.schema_version > SCHEMA_VERSION:
        raise BundleRefused(
            f"It was made by {manifest.made_by}, which is newer than this version. Update and try again."
        )
    total = sum(member.bytes for member in manifest.files)
    if total > most_bytes:
        raise BundleRefused(
            f"It would use {total:,} bytes, more than the allowed {most_bytes:,}. Raise --most-bytes if you "
            "trust its origin."
        )
    _check_names(archive, manifest)
    return manifest


def _check_names(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    named = [member.path for member in manifest.files]
    if len({name.casefold() for name in named}) != len(named):
        raise BundleRefused("It contains a file twice.")
    if strange := next((name for name in named if not _is_plain(name)), None):
        raise BundleRefused(f"{strange[:120]!r} would lie outside the run folder.")
    held = {information.filename for information in archive.infolist()}
    if missing := next((name for name in named if name not in held), None):
        raise BundleRefused(f"{missing[:120]!r} is in its manifest, but not in the archive.")
    for information in archive.infolist():
        mode = information.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise BundleRefused(f"{information.filename[:120]!r} is not a regular file.")


def _is_plain(name: str) -> bool:
    """Whether it names a file below a folder, on every system."""
    parts = name.split("/")
    return not any(part in ("", ".", "..") or part.startswith(".") for part in parts) and not any(
        character in name for character in '\\:\0<>|"?*'
    )


def _read_configuration(archive: zipfile.ZipFile, manifest: Manifest) -> tuple[RunConfig, str]:
    """Return the configuration of the run as bundled, and its SHA-256. Raises BundleRefused."""
    member = next((member for member in manifest.files if member.path == _CONFIG), None)
    if member is None:
        raise BundleRefused("It contains no readable run: it has no config.json.")
    if member.bytes > MAX_JSON_BYTES:
        raise BundleRefused(f"It contains no readable run: its config.json has {member.bytes:,} bytes.")
    with archive.open(_CONFIG) as packed:
        content = packed.read(member.bytes)
        digest = hashlib.sha256(content).hexdigest()
        _check_copied(member, packed, len(content), digest)
    place = Path(_CONFIG)
    try:
        config = parse_document(content, RunConfig, place, place.parent)
    except RunFolderError as error:
        raise BundleRefused(f"It contains no readable run: {error.damage.problem}") from error
    if config.run_id != manifest.run_id:
        raise BundleRefused("It contains no readable run: config.json and manifest name different runs.")
    return config, digest


def _free_id(runs_dir: Path, config: RunConfig, digest: str, *, again: bool) -> str:
    """Return the id in the bundle if it is valid and free, otherwise a new one.

    Raises RunIsThere if this exact run already exists, unless ``again``.
    """
    if not again:
        for folder in _candidates(runs_dir, config.run_id):
            if _is_of_bundle(folder, digest):
                raise RunIsThere(folder.run_id)
    if is_run_id(config.run_id) and not os.path.lexists(runs_dir / config.run_id):
        return config.run_id
    while os.path.lexists(runs_dir / (run_id := new_run_id(config.algo, config.env_id, datetime.now(UTC)))):
        pass
    return run_id


def _candidates(runs_dir: Path, run_id: str) -> Iterable[RunFolder]:
    """Yield runs that may be the one in the bundle: the one with its id; if that id is invalid or belongs to another
    run, all imported ones."""
    if is_run_id(run_id):
        folder = RunFolder(runs_dir, run_id)
        if not os.path.lexists(folder.path):
            return
        yield folder
    yield from run_folders(runs_dir)


def _is_of_bundle(folder: RunFolder, digest: str) -> bool:
    with suppress(OSError, RlvizError):
        if (origin := read_origin(folder)) is not None:
            return origin.config_sha256 == digest
        return hashlib.sha256(read_small(folder.config_path, folder.path)).hexdigest() == digest
    return False


def _create_room(runs_dir: Path) -> Path:
    """Create a folder of its own among the drafts, so that two imports of one bundle do not interfere."""
    drafts = runs_dir / DRAFTS
    drafts.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="bundle-", dir=drafts))


def _move_into_place(draft: Path, target: Path) -> None:
    """Move the draft into place. Raises RunIsThere if another import was first."""
    if os.path.lexists(target):  # checked here, because rename replaces an empty folder
        raise RunIsThere(target.name)
    try:
        draft.rename(target)
    except FileExistsError as error:
        raise RunIsThere(target.name) from error
    except OSError as error:
        if not os.path.lexists(target):
            raise
        raise RunIsThere(target.name) from error


class _LeftOut:
    """Collects rejected files: the first ones, and their number."""

    def __init__(self) -> None:
        self.first: list[LeftOut] = []
        self.count = 0

    def __call__(self, path: str, why: str) -> None:
        self.count += 1
        if len(self.first) < MOST_LEFT_OUT:
            self.first.append(LeftOut(path=path[:500], why=why[:300]))


def _unpack(
    archive: zipfile.ZipFile, manifest: Manifest, root: Path, left_out: Note, on_progress: ProgressCallback
) -> None:
    wanted = []
    for member in manifest.files:
        if (why := rejection_reason(member.path)) is not None:
            left_out(member.path, why)
        else:
            wanted.append(member)
    copying = Copying(sum(member.bytes for member in wanted), on_progress)
    for member in wanted:
        path = root / member.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member.path) as source, path.open("x+b") as sink:
            _check_copied(member, source, *copying.copy(member.path, source, sink, member.bytes))
            fitting = matches_type(member.path, _head(sink))
            os.fsync(sink.fileno())
        if not fitting:
            left_out(member.path, _MISFIT)
            path.unlink()


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(HEAD_BYTES)


def _check_copied(member: Member, source: IO[bytes], copied: int, digest: str) -> None:
    """Check a copied member against the manifest. ``copied``: bytes read from ``source``; ``digest``: their SHA-256.
    Raises BundleRefused."""
    if copied < member.bytes:
        raise BundleRefused(f"{member.path} is truncated.")
    if source.read(1):
        raise BundleRefused(f"{member.path} is longer than its manifest says.")
    if digest != member.sha256:
        raise BundleRefused(f"{member.path} has changed since it was bundled: its hash differs.")


def _finish(draft: RunFolder) -> None:
    """End a run that was training when it was bundled. Raises BundleRefused and OSError."""
    try:
        ended = _has_ended(line.record for line in journal_lines(draft.events_path))
    except (RunFolderError, FileNotFoundError) as error:
        raise BundleRefused(f"It contains no readable run: {error}") from error
    if not ended:
        journal = JournalWriter(draft.events_path)
        try:
            journal.append(event_line(0, InterruptedData(cause="It was training when it was exported.")))
        finally:
            journal.close()


def _has_ended(records: Iterable[dict[str, object] | None]) -> bool:
    """Whether no attempt has started, or the newest one has ended."""
    is_open = False
    for record in records:
        event = parse_event(record)
        if event is not None:
            is_open = isinstance(event.data, StartedData) or (is_open and not isinstance(event.data, Ending))
    return not is_open
