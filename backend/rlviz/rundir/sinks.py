"""The sinks of a run: ``sinks/plan.json`` and ``sinks/<kind>.json`` in its folder, and the lock for deliveries."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

from rlviz.domain.errors import RunFolderError
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.files import check_folders, list_files, open_in_place, read_document, write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import whole_size


def record_path(folder: RunFolder, kind: SinkKind) -> Path:
    return folder.sinks / f"{kind.value}.json"


def own_folder(folder: RunFolder, kind: SinkKind) -> Path:
    """Return the folder for a sink's own files about this run."""
    return folder.sinks / kind.value


def read_plan(folder: RunFolder) -> SinkPlan:
    """Return which sinks follow the run during training; none if not requested. Raises RunFolderError."""
    try:
        return read_document(folder.sinks / "plan.json", SinkPlan, folder.path)
    except FileNotFoundError:
        return SinkPlan()


def write_plan(folder: RunFolder, plan: SinkPlan) -> None:
    """Raises OSError or RunFolderError."""
    _make_room(folder)
    write_atomically(folder.sinks / "plan.json", plan.model_dump_json(indent=1).encode(), folder.path)


def read_sink(folder: RunFolder, kind: SinkKind) -> SinkRecord | None:
    """Return the record of a sink; None if the run has no such sink. Raises RunFolderError."""
    try:
        return read_document(record_path(folder, kind), SinkRecord, folder.path)
    except FileNotFoundError:
        return None


def read_sinks(folder: RunFolder) -> list[SinkRecord]:
    """Return all sinks that have received the run, or will. One with an unreadable record starts over; nothing is lost
    by that."""
    names = {path.stem for path in list_files(folder.sinks, folder.path, "*.json")}
    planned: tuple[SinkKind, ...] = ()
    with suppress(RunFolderError):
        planned = read_plan(folder).kinds
    found = []
    for kind in SinkKind:
        if kind.value in names:
            try:
                record = read_sink(folder, kind)
            except RunFolderError:
                record = SinkRecord(kind=kind)
            found += [record] if record is not None else []
        elif kind in planned:
            found.append(SinkRecord(kind=kind))
    return found


def write_sink(folder: RunFolder, record: SinkRecord) -> SinkRecord:
    """Raises OSError or RunFolderError."""
    _make_room(folder)
    record = record.model_copy(update={"updated_at": round(time.time(), 3)})
    write_atomically(record_path(folder, record.kind), record.model_dump_json(indent=1).encode(), folder.path)
    return record


def add_sink(folder: RunFolder, kind: SinkKind) -> SinkRecord:
    """Return the record of a sink; create it if needed. Raises OSError or RunFolderError."""
    found = next((record for record in read_sinks(folder) if record.kind is kind), None)
    return found or write_sink(folder, SinkRecord(kind=kind))


def is_delivered(folder: RunFolder, record: SinkRecord) -> bool:
    """Whether a sink has received the complete current run. Raises RunFolderError."""
    whole = record.offset >= whole_size(folder.metrics_path)
    return whole and record.problem is None and record.described == delivery_state(folder)


def delivery_state(folder: RunFolder) -> str:
    """Return a text that changes with everything besides metrics that a sink receives. Raises RunFolderError."""
    paths = [
        folder.labels_path,
        folder.best_model_path,
        *list_files(folder.evaluations.path, folder.path, "eval_*.json"),
    ]
    parts = [*map(_stat, paths), f"events {whole_size(folder.events_path)}"]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _stat(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return f"{path.name} -"
    return f"{path.name} {found.st_size} {found.st_mtime_ns}"


@contextmanager
def delivery_lock(folder: RunFolder, kind: SinkKind) -> Iterator[bool]:
    """Hold the delivery lock of that sink; yield whether this process got it. The system releases the lock when the
    process ends. Raises OSError or RunFolderError."""
    _make_room(folder)
    with open_in_place(folder.sinks / f"{kind.value}.lock") as file:
        yield lock_descriptor(file.fileno(), blocking=False)


def _make_room(folder: RunFolder) -> None:
    """Create the folder of the run's sinks if needed. Raises OSError or RunFolderError."""
    check_folders(folder.path, folder.path)
    with suppress(FileExistsError):
        folder.sinks.mkdir()
