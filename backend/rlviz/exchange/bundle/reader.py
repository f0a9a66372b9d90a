"""Opening a bundle: nothing of it is trusted before its names, sizes and hashes are found right."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from rlviz.domain.errors import BundleRefused, RunFolderError
from rlviz.domain.event_lines import event_line, parse_event
from rlviz.domain.events import Ending, InterruptedData, StartedData
from rlviz.domain.ids import is_run_id
from rlviz.domain.validation_text import validation_text
from rlviz.exchange.bundle.manifest import LEFT_OUT, MANIFEST, SCHEMA_VERSION, Manifest, Member, is_policy
from rlviz.exchange.copying import Copying, NullSink, ProgressCallback, ignore_progress
from rlviz.exchange.zip_archive import opened_archive
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter, journal_lines

MOST_MANIFEST_BYTES = 50_000_000
DEFAULT_MOST_BYTES = 20_000_000_000


class RunIsThere(FileExistsError):
    """The runs folder has the run ``run_id`` of the bundle already."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"Run {run_id} is there already. Delete it first, and empty the trash.")
        self.run_id = run_id


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


def _unpack(
    archive: zipfile.ZipFile, manifest: Manifest, root: Path, trust_policies: bool, on_progress: ProgressCallback
) -> None:
    wanted = [
        member
        for member in manifest.files
        if not member.path.startswith(LEFT_OUT) and (trust_policies or not is_policy(member.path))
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
