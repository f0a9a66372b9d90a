"""Imports runs from bundles, archives and logs of other tools.

``import_path`` detects the kind of a file or folder. ``write_run`` writes a run from other tools' logs into the runs
folder, completely or not at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rlviz.domain.errors import ImportRefused, InvalidRequest
from rlviz.domain.events import FinishedData, StartedData, WarningData, event_line
from rlviz.domain.limits import LIMITS
from rlviz.exchange.bundle import (
    DEFAULT_MOST_BYTES,
    MANIFEST,
    ProgressCallback,
    RunIsThere,
    ignore_progress,
    is_archive,
    open_bounded_archive,
    read_bundle,
)
from rlviz.exchange.imports.archive import MOST_BYTES, unpack_archive
from rlviz.exchange.imports.found_run import FIELD, FoundRun, Row, curves_digest, find_imported
from rlviz.exchange.imports.log_formats import MOST_FOLDERS, MOST_RUNS, find_logs, read_logs
from rlviz.exchange.trusting import trust_run
from rlviz.regular_file import NotRegular, check_regular
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.foreign import MAX_SETTINGS, create_foreign, foreign_config
from rlviz.rundir.journal import JournalWriter

UNKNOWN_ALGO, UNKNOWN_ENV = "custom", "unknown"

TAG = "imported"
"""Tag of a new import, to find it in the list."""


def write_run(found: FoundRun, rows: list[Row], runs_dir: Path) -> RunFolder:
    """Create the folder of a finished foreign run, with the times of its finished ``rows``.

    Raises ImportRefused for data that no run can hold, InvalidRequest for invalid names, and OSError.
    """
    if len(found.settings) > MAX_SETTINGS:
        found.rows.warn(f"Only the first {MAX_SETTINGS} of its {len(found.settings):,} settings are imported.")
    times = [row.time for row in rows if row.time is not None]
    began, ended = min(times), max(times)
    config = foreign_config(
        algo=_fit_name(found.algo, UNKNOWN_ALGO),
        env_id=_fit_name(found.env_id, UNKNOWN_ENV),
        name=_fit_name(found.name, "imported"),
        now=datetime.fromtimestamp(began, UTC),
        seed=found.seed or 0,
        total_timesteps=found.total_timesteps,
        settings=dict(list(found.settings.items())[:MAX_SETTINGS]),
    ).model_copy(update={"imported_from": found.source, FIELD: curves_digest(rows)})

    def fill(folder: RunFolder) -> None:
        folder.write_labels(Labels(name=config.name, tags=[TAG]))
        with ExitStack() as held:
            metrics = held.enter_context(closing(JournalWriter(folder.metrics_path)))
            for row in rows:
                metrics.append({"step": row.step, "values": row.values}, at=row.time)
            events = held.enter_context(closing(JournalWriter(folder.events_path)))
            events.append(event_line(0, StartedData(attempt=1)), at=began)
            for message in found.rows.warnings:
                events.append(event_line(rows[-1].step, WarningData(message=message)), at=ended)
            events.append(event_line(rows[-1].step, FinishedData(attempt=1)), at=ended)

    try:
        return create_foreign(runs_dir, config, fill)
    except ValueError as error:  # a row is longer than a journal line may be
        raise ImportRefused(f"{found.name!r} cannot be written as a run: {error}") from error


def _fit_name(name: str | None, otherwise: str) -> str:
    """Return a valid name of a run: one line, not too long."""
    printable = "".join(character if character.isprintable() else " " for character in name or "")
    return printable.strip()[: LIMITS.run_name.maximum].strip() or otherwise


@dataclass
class ImportOptions:
    """What the user says about an import. ``algo`` and ``env_id`` take precedence over the files."""

    algo: str | None = None
    env_id: str | None = None
    name: str | None = None
    trust: bool = False
    """Whether policies, snapshots and custom environments of bundles may be used."""
    most_bytes: int | None = None
    """Maximum size once unpacked; None: the default of its kind."""
    again: bool = False
    """Whether to import again what was imported before."""


@dataclass
class ImportOutcome:
    """Result of an import.

    Attributes:
        runs: Folders of the imported runs.
        warnings: By run id, what could not be imported as it was.
        known: Place of each run that already exists, or whose curves do, and the id of that run.
        refused: Place of each run that could not be imported, and why.
    """

    runs: list[RunFolder] = field(default_factory=list)
    warnings: dict[str, list[str]] = field(default_factory=dict)
    known: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def import_path(
    path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback = ignore_progress
) -> ImportOutcome:
    """Import the runs at ``path``, each completely or not at all.

    Args:
        path: File or folder.
        runs_dir: The runs folder.
        options: What the user says about the import.
        on_progress: Called for each run with its path or, for a single bundle, for each file with its name.

    Raises:
        BundleRefused: The bundle cannot be imported.
        ImportRefused: Nothing can be imported, or it is neither a folder nor a regular file.
        FileExistsError: The run of a bundle already exists.
        OSError: A file cannot be read or written.
    """
    if path.is_dir():
        return _import_folder(path, runs_dir, options, on_progress)
    try:
        check_regular(path)
    except FileNotFoundError as error:
        raise ImportRefused(f"There is no file or folder {path}.") from error
    except NotRegular as error:
        raise ImportRefused(f"{path} cannot be imported: {error.strerror}. Copy its output into a file.") from error
    if is_archive(path) and path.suffix.lower() != ".npz":
        return _import_archive(path, runs_dir, options, on_progress)
    return _import_logs(path, runs_dir, options, on_progress)


def _import_folder(path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback) -> ImportOutcome:
    """Import the bundles below the folder or, if there are none, the logs."""
    bundles = [one for one in _archives_below(path) if _is_bundle(one)]
    if not bundles:
        return _import_logs(path, runs_dir, options, on_progress)
    if len(bundles) > MOST_RUNS:
        raise ImportRefused(f"{path.name!r} has more than {MOST_RUNS:,} bundles. Import it in parts.")
    outcome = ImportOutcome()
    for number, bundle in enumerate(bundles):
        on_progress(bundle.name, number, len(bundles))
        try:
            outcome.runs.append(_import_bundle(bundle, runs_dir, options))
        except RunIsThere as there:
            outcome.known.append((bundle.name, there.run_id))
        except InvalidRequest as error:
            outcome.refused.append((bundle.name, str(error)))
    return _require_any(outcome)


def _archives_below(root: Path) -> Iterator[Path]:
    """Yield zip archives by name. Links are not followed, and only regular files are opened."""
    for number, (folder, folders, names) in enumerate(os.walk(root)):
        if number >= MOST_FOLDERS:
            raise ImportRefused(f"{root.name!r} has more than {MOST_FOLDERS:,} folders. Import those with the runs.")
        folders.sort()
        for path in (Path(folder, name) for name in sorted(names) if name.endswith(".zip")):
            if path.is_file() and not path.is_symlink() and is_archive(path):
                yield path


def _import_archive(path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback) -> ImportOutcome:
    if _is_bundle(path):
        return ImportOutcome([_import_bundle(path, runs_dir, options, on_progress)])
    drafts = runs_dir / DRAFTS
    drafts.mkdir(parents=True, exist_ok=True)
    unpacked = Path(tempfile.mkdtemp(prefix="import-", dir=drafts))
    try:
        root = unpacked / path.stem
        root.mkdir()
        unpack_archive(path, root, most_bytes=options.most_bytes or MOST_BYTES)
        return _import_folder(root, runs_dir, options, on_progress)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


def _import_bundle(
    path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback = ignore_progress
) -> RunFolder:
    most = options.most_bytes or DEFAULT_MOST_BYTES
    folder = read_bundle(path, runs_dir, again=options.again, most_bytes=most, on_progress=on_progress)
    if options.trust:
        trust_run(folder)
    return folder


def _is_bundle(path: Path) -> bool:
    """Whether an archive is a bundle. Raises ImportRefused if it cannot be read."""
    with open_bounded_archive(path, lambda why: ImportRefused(f"{path.name} cannot be unpacked: {why}.")) as archive:
        return MANIFEST in archive.namelist()


def _import_logs(path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback) -> ImportOutcome:
    logs, outcome = find_logs(path), ImportOutcome()
    before = {} if options.again else find_imported(runs_dir)
    for number, one in enumerate(logs):
        place = one.place.name if len(logs) == 1 else one.place.relative_to(path.parent).as_posix()
        on_progress(place, number, len(logs))
        try:
            found = read_logs(one)
            rows = found.rows.finished(found.began)
            if before and (run_id := before.get(curves_digest(rows))) is not None:
                outcome.known.append((place, run_id))
                continue
            if len(logs) > 1 and found.name == one.place.name:
                found.name = place
            found.algo, found.env_id = options.algo or found.algo, options.env_id or found.env_id
            found.name = options.name or found.name
            folder = write_run(found, rows, runs_dir)
            outcome.runs.append(folder)
            if found.rows.warnings:
                outcome.warnings[folder.run_id] = found.rows.warnings
        except InvalidRequest as error:
            outcome.refused.append((place, str(error)))
    return _require_any(outcome)


def _require_any(outcome: ImportOutcome) -> ImportOutcome:
    """Raise ImportRefused if nothing could be imported."""
    if not outcome.runs and not outcome.known:
        [(_, first), *others] = outcome.refused
        more = f" {len(others)} others could not be imported either." if others else ""
        raise ImportRefused(f"{first}{more} Nothing was imported.")
    return outcome
