"""``import_path``: whatever can be imported, by what it is.

Writes a run that was found into the runs folder: whole, or not at all.
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
    opened_archive,
    read_bundle,
)
from rlviz.exchange.imports.archive import MOST_BYTES, unpack
from rlviz.exchange.imports.found_run import FIELD, FoundRun, Row, digest_of, imported_before
from rlviz.exchange.imports.log_formats import MOST_FOLDERS, MOST_RUNS, find_logs, read_logs
from rlviz.exchange.trusting import trust_run
from rlviz.regular_file import NotRegular, check_regular
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.foreign import MAX_SETTINGS, create_foreign, foreign_config
from rlviz.rundir.journal import JournalWriter

UNKNOWN_ALGO, UNKNOWN_ENV = "custom", "unknown"

TAG = "imported"
"""That such a run has at first, by which they are found in the list."""


def write_run(found: FoundRun, rows: list[Row], runs_dir: Path) -> RunFolder:
    """Make the folder of a foreign run that has ended. Its times are those of its finished ``rows``.

    Raises ImportRefused for what no run can hold, InvalidRequest for names that none can have, and OSError.
    """
    if len(found.settings) > MAX_SETTINGS:
        found.rows.warn(f"Of its {len(found.settings):,} settings the first {MAX_SETTINGS} are taken.")
    times = [row.time for row in rows if row.time is not None]
    began, ended = min(times), max(times)
    config = foreign_config(
        algo=_fitting(found.algo, UNKNOWN_ALGO),
        env_id=_fitting(found.env_id, UNKNOWN_ENV),
        name=_fitting(found.name, "imported"),
        now=datetime.fromtimestamp(began, UTC),
        seed=found.seed or 0,
        total_timesteps=found.total_timesteps,
        settings=dict(list(found.settings.items())[:MAX_SETTINGS]),
    ).model_copy(update={"imported_from": found.source, FIELD: digest_of(rows)})

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
    except ValueError as error:  # a row that is longer than a line of a journal
        raise ImportRefused(f"{found.name!r} cannot be written as a run: {error}") from error


def _fitting(name: str | None, otherwise: str) -> str:
    """What a run may be called: on one line, and not too long."""
    printable = "".join(character if character.isprintable() else " " for character in name or "")
    return printable.strip()[: LIMITS.run_name.maximum].strip() or otherwise


@dataclass
class ImportOptions:
    """What the user says of what is imported. ``algo`` and ``env_id`` count before what its files say."""

    algo: str | None = None
    env_id: str | None = None
    name: str | None = None
    trust: bool = False
    """Bundles may be used with their policies, snapshots and custom environments."""
    most_bytes: int | None = None
    """It is refused if it would take more once unpacked; None: the default of its kind."""
    again: bool = False
    """Also what was imported before."""


@dataclass
class ImportOutcome:
    """``refused``: the place of each run that could not be taken, and why. ``known``: the place of each that is there
    already, or whose curves are, and the id of that run. ``warnings``: by the id of a run, what could not be taken as
    it was."""

    runs: list[RunFolder] = field(default_factory=list)
    warnings: dict[str, list[str]] = field(default_factory=dict)
    known: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def import_path(
    path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback = ignore_progress
) -> ImportOutcome:
    """Import the runs at ``path``, each whole or not at all; ``on_progress`` is called with the place of each of
    several, or the name of each file of one bundle.

    Raises BundleRefused or ImportRefused where nothing can be taken, also for what is neither a folder nor a regular
    file, FileExistsError for a bundle whose run is there, and OSError.
    """
    if path.is_dir():
        return _of_folder(path, runs_dir, options, on_progress)
    try:
        check_regular(path)
    except FileNotFoundError as error:
        raise ImportRefused(f"There is no file or folder {path}.") from error
    except NotRegular as error:
        raise ImportRefused(f"{path} cannot be imported: {error.strerror}. Copy what it gives into a file.") from error
    if is_archive(path) and path.suffix.lower() != ".npz":
        return _of_archive(path, runs_dir, options, on_progress)
    return _of_logs(path, runs_dir, options, on_progress)


def _of_folder(path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback) -> ImportOutcome:
    """Of the bundles below the folder, if there are some, and of the logs below it otherwise."""
    bundles = [one for one in _archives_below(path) if _is_bundle(one)]
    if not bundles:
        return _of_logs(path, runs_dir, options, on_progress)
    if len(bundles) > MOST_RUNS:
        raise ImportRefused(f"{path.name!r} has more than {MOST_RUNS:,} bundles. Import it in parts.")
    outcome = ImportOutcome()
    for number, bundle in enumerate(bundles):
        on_progress(bundle.name, number, len(bundles))
        try:
            outcome.runs.append(_of_bundle(bundle, runs_dir, options))
        except RunIsThere as there:
            outcome.known.append((bundle.name, there.run_id))
        except InvalidRequest as error:
            outcome.refused.append((bundle.name, str(error)))
    return _if_any(outcome)


def _archives_below(root: Path) -> Iterator[Path]:
    """Zip archives, by name. Links are not followed, and nothing but regular files is opened."""
    for number, (folder, folders, names) in enumerate(os.walk(root)):
        if number >= MOST_FOLDERS:
            raise ImportRefused(f"{root.name!r} has more than {MOST_FOLDERS:,} folders. Import those with the runs.")
        folders.sort()
        for path in (Path(folder, name) for name in sorted(names) if name.endswith(".zip")):
            if path.is_file() and not path.is_symlink() and is_archive(path):
                yield path


def _of_archive(path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback) -> ImportOutcome:
    if _is_bundle(path):
        return ImportOutcome([_of_bundle(path, runs_dir, options, on_progress)])
    drafts = runs_dir / DRAFTS
    drafts.mkdir(parents=True, exist_ok=True)
    unpacked = Path(tempfile.mkdtemp(prefix="import-", dir=drafts))
    try:
        root = unpacked / path.stem
        root.mkdir()
        unpack(path, root, most_bytes=options.most_bytes or MOST_BYTES)
        return _of_folder(root, runs_dir, options, on_progress)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


def _of_bundle(
    path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback = ignore_progress
) -> RunFolder:
    most = options.most_bytes or DEFAULT_MOST_BYTES
    folder = read_bundle(path, runs_dir, again=options.again, most_bytes=most, on_progress=on_progress)
    if options.trust:
        trust_run(folder)
    return folder


def _is_bundle(path: Path) -> bool:
    """Raises ImportRefused for an archive that cannot be read."""
    with opened_archive(path, lambda why: ImportRefused(f"{path.name} cannot be unpacked: {why}.")) as archive:
        return MANIFEST in archive.namelist()


def _of_logs(path: Path, runs_dir: Path, options: ImportOptions, on_progress: ProgressCallback) -> ImportOutcome:
    logs, outcome = find_logs(path), ImportOutcome()
    before = {} if options.again else imported_before(runs_dir)
    for number, one in enumerate(logs):
        place = one.place.name if len(logs) == 1 else one.place.relative_to(path.parent).as_posix()
        on_progress(place, number, len(logs))
        try:
            found = read_logs(one)
            rows = found.rows.finished(found.began)
            if before and (run_id := before.get(digest_of(rows))) is not None:
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
    return _if_any(outcome)


def _if_any(outcome: ImportOutcome) -> ImportOutcome:
    """Raises ImportRefused where nothing was there to be taken."""
    if not outcome.runs and not outcome.known:
        [(_, first), *others] = outcome.refused
        more = f" Nor could {len(others)} others be taken." if others else ""
        raise ImportRefused(f"{first}{more} Nothing was imported.")
    return outcome
