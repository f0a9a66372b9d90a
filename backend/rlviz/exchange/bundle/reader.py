"""Opening a bundle: names, sizes and hashes are checked, and nothing in it runs before the user trusts the run."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO

from pydantic import ValidationError

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import BundleRefused, RlvizError, RunFolderError
from rlviz.domain.event_lines import event_line, parse_event
from rlviz.domain.events import Ending, InterruptedData, StartedData
from rlviz.domain.ids import is_run_id, new_run_id
from rlviz.domain.origin import MOST_LEFT_OUT, LeftOut, Origin
from rlviz.domain.validation_text import validation_text
from rlviz.exchange.bundle.admission import HEAD_BYTES, Note, fits, settle, why_left_out
from rlviz.exchange.bundle.manifest import MANIFEST, SCHEMA_VERSION, Manifest, Member
from rlviz.exchange.copying import Copying, NullSink, ProgressCallback, ignore_progress
from rlviz.exchange.zip_archive import opened_archive
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.documents import parse_document
from rlviz.rundir.files import MAX_JSON_BYTES, read_small
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.rundir.journal import JournalWriter, journal_lines
from rlviz.rundir.origin import read_origin, write_origin

MOST_MANIFEST_BYTES = 50_000_000
DEFAULT_MOST_BYTES = 20_000_000_000

_CONFIG = "config.json"
_MISFIT = "It is not what its name says."


class RunIsThere(FileExistsError):
    """The runs folder has the run of the bundle already, as ``run_id``."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} is there already. Import it `--again` to have it twice.")
        self.run_id = run_id


def read_bundle(
    source: Path,
    runs_dir: Path,
    *,
    again: bool = False,
    most_bytes: int = DEFAULT_MOST_BYTES,
    on_progress: ProgressCallback = ignore_progress,
) -> RunFolder:
    """Put the run of a bundle into ``runs_dir``: whole, once all of its hashes are found right, or not at all.

    It keeps its id if that is free and well-formed, and gets a new one otherwise. It is not trusted: policies and
    snapshots are there, and nothing loads them. Files that a run folder does not have, and orders, are left out;
    ``origin.json`` names them. A run that was bundled while it trained is interrupted.
    Raises BundleRefused for what is no bundle, or not a sound one, RunIsThere unless it is wanted ``again``, and
    OSError.
    """
    with _opened(source) as archive:
        manifest = _checked_manifest(archive, most_bytes)
        config, digest = _configuration(archive, manifest)
        run_id = _free_id(runs_dir, config, digest, again=again)
        room = _room(runs_dir)
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
                entry_points=settle(draft, left_out),
                left_out=left_out.first,
                left_out_count=left_out.count,
            )
            write_origin(draft, origin)
            draft.read_config()
            _put(draft.path, runs_dir / run_id)
        except RunFolderError as error:
            raise BundleRefused(f"It holds no run that can be read: {error.damage}") from error
        finally:
            shutil.rmtree(room, ignore_errors=True)
    return RunFolder(runs_dir, run_id)


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
        raise BundleRefused(f"Its manifest cannot be read: {validation_text(error.errors()[0])}.") from error
    if manifest.schema_version > SCHEMA_VERSION:
        raise BundleRefused(f"It was made by {manifest.made_by}, which is newer than this one. Update and try again.")
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


def _configuration(archive: zipfile.ZipFile, manifest: Manifest) -> tuple[RunConfig, str]:
    """The configuration of the run as it was bundled, and its SHA-256. Raises BundleRefused."""
    member = next((member for member in manifest.files if member.path == _CONFIG), None)
    if member is None:
        raise BundleRefused("It holds no run that can be read: it has no config.json.")
    if member.bytes > MAX_JSON_BYTES:
        raise BundleRefused(f"It holds no run that can be read: its config.json has {member.bytes:,} bytes.")
    with archive.open(_CONFIG) as packed:
        content = packed.read(member.bytes)
        digest = hashlib.sha256(content).hexdigest()
        _check_copied(member, packed, len(content), digest)
    place = Path(_CONFIG)
    try:
        config = parse_document(content, RunConfig, place, place.parent)
    except RunFolderError as error:
        raise BundleRefused(f"It holds no run that can be read: {error.damage.problem}") from error
    if config.run_id != manifest.run_id:
        raise BundleRefused("It holds no run that can be read: its config.json is of another run than its manifest.")
    return config, digest


def _free_id(runs_dir: Path, config: RunConfig, digest: str, *, again: bool) -> str:
    """That of the bundle if it is well-formed and free, a new one otherwise.

    Raises RunIsThere if the very run is there already, unless it is wanted ``again``.
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
    """Runs that may be that of the bundle: the one of its id; where no run can have that, or another has it, any that
    was imported."""
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


def _room(runs_dir: Path) -> Path:
    """A folder of its own among the drafts, so that two imports of one bundle are not in each other's way."""
    drafts = runs_dir / DRAFTS
    drafts.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="bundle-", dir=drafts))


def _put(draft: Path, target: Path) -> None:
    """Raises RunIsThere if another import was first."""
    if os.path.lexists(target):  # not left to rename, which replaces an empty folder
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
    """Files that are left out: the first of them, and how many there are."""

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
        if (why := why_left_out(member.path)) is not None:
            left_out(member.path, why)
        else:
            wanted.append(member)
    copying = Copying(sum(member.bytes for member in wanted), on_progress)
    for member in wanted:
        path = root / member.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member.path) as source, path.open("x+b") as sink:
            _check_copied(member, source, *copying.copy(member.path, source, sink, member.bytes))
            fitting = fits(member.path, _head(sink))
            os.fsync(sink.fileno())
        if not fitting:
            left_out(member.path, _MISFIT)
            path.unlink()


def _head(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(HEAD_BYTES)


def _check_copied(member: Member, source: IO[bytes], copied: int, digest: str) -> None:
    """``copied``: how many bytes of ``source`` have been read; ``digest``: their SHA-256. Raises BundleRefused."""
    if copied < member.bytes:
        raise BundleRefused(f"{member.path} is cut short.")
    if source.read(1):
        raise BundleRefused(f"{member.path} is longer than its manifest says.")
    if digest != member.sha256:
        raise BundleRefused(f"{member.path} is not what was bundled: its hash differs.")


def _finish(draft: RunFolder) -> None:
    """End a run that still trained when it was bundled. Raises BundleRefused and OSError."""
    try:
        ended = _has_ended(line.record for line in journal_lines(draft.events_path))
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
