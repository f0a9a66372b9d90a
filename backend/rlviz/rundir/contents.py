"""The table of all files in a run folder (``PLACES``), with inspection, repair and drift of a folder.

Inspection, repair, storage accounting and imports all follow this table, and so do the tests that damage folders: a
new file of a run needs one line here. ``inspect_folder`` does not read journals, so it is cheap enough for every
request. ``repair_folder`` keeps readable parts and renames damaged files. Drift means keys, types or package
versions that this version does not expect.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import (
    LOOK_ONLY,
    REPAIR,
    RESTORE_OR_DELETE,
    ArtifactNotFound,
    Damage,
    RunFolderError,
    pointer_to,
    validation_text,
)
from rlviz.domain.evaluation import EvaluationRecord, Verification
from rlviz.domain.events import parse_event
from rlviz.domain.ids import is_evaluation_id
from rlviz.domain.metrics import is_metric
from rlviz.domain.origin import ORIGIN, Origin
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.domain.snapshots import SnapshotVerification
from rlviz.domain.storage_rules import StoredKind
from rlviz.domain.versions import EVENTS, KEY, METRICS, Drift, DriftKind, Format, UnknownVersion, VersionedDocument
from rlviz.rundir.experiment_folder import SPECIFICATION, StoredExperiment
from rlviz.rundir.files import (
    MISSING,
    atomic_write,
    damage_error,
    is_file,
    list_entries,
    name_aside,
    problem_of_entry,
    read_document,
    read_small,
    set_aside,
)
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import JournalTail, Line, compressed_path, expand_journal, last_lines, line_number
from rlviz.rundir.snapshots import check_snapshot

Reader = Callable[[RunFolder, Path], object]
"""Reads the document at a path of a run folder. Raises FileNotFoundError or RunFolderError."""


class Role(StrEnum):
    """What a file does to the machine that reads it. It decides how an import treats the file."""

    DATA = "data"  # only read
    CODE = "code"  # pickled Python objects, which run code when loaded
    ORDER = "order"  # tells a service or worker to do something
    LOCAL = "local"  # specific to this machine, or can be made again


@dataclass(frozen=True)
class Place:
    """A row of the table.

    Attributes:
        path: Path below the run folder; its last part may be a pattern.
        kind: Kind of storage that the file counts as, like everything below a folder without its own place.
        is_folder: Whether a folder is expected.
        read: Reads the whole document; None for files that are not read as a whole.
        role: Role of the file, or of everything below a folder without its own place.
    """

    path: str
    kind: StoredKind = StoredKind.OTHER
    is_folder: bool = False
    read: Reader | None = None
    role: Role = Role.DATA


def _evaluation(folder: RunFolder, path: Path) -> object:
    return folder.evaluations.read(path.stem) if is_evaluation_id(path.stem) else None


PLACES = (
    Place("config.json"),
    Place("events.jsonl", StoredKind.METRICS),
    Place("metrics.jsonl", StoredKind.METRICS),
    Place("metrics.jsonl.zst", StoredKind.METRICS),
    Place("control.json", read=lambda folder, _: folder.read_control(), role=Role.ORDER),
    Place(ORIGIN, read=lambda folder, path: read_document(path, Origin, folder.path), role=Role.LOCAL),
    Place("labels.json", read=lambda folder, path: read_document(path, Labels, folder.path)),
    Place("rules.json", read=lambda folder, _: folder.read_rules()),
    Place("recording.json", read=lambda folder, _: folder.read_recording()),
    Place("model.zip", StoredKind.POLICIES, role=Role.CODE),
    Place("best_model.zip", StoredKind.POLICIES, read=lambda folder, _: folder.best_policy(), role=Role.CODE),
    Place("best_model.json"),
    Place("q_table.json"),
    Place("map.json", StoredKind.METRICS),
    Place("anatomy.jsonl", StoredKind.METRICS),
    Place("anatomy.jsonl.zst", StoredKind.METRICS),
    Place("worker.log", StoredKind.LOGS),
    Place("worker.lock", role=Role.LOCAL),
    Place("heartbeat", role=Role.LOCAL),
    Place("checkpoints", StoredKind.POLICIES, is_folder=True),
    Place("checkpoints/step_*.zip", StoredKind.POLICIES, role=Role.CODE),
    Place("eval", is_folder=True),
    Place("eval/*.verify.json", read=lambda folder, path: read_document(path, Verification, folder.path)),
    Place("eval/eval_*.json", read=_evaluation),
    Place("eval/*.mp4", StoredKind.VIDEOS),
    Place("eval/*.pictures.zip", StoredKind.VIDEOS),
    Place("eval/*.policy.zip", StoredKind.VIDEOS, role=Role.CODE),
    Place("eval/*.steps.parquet", StoredKind.RECORDS),
    Place("eval/*.frames.zip", StoredKind.RECORDS),
    Place("film", StoredKind.FILM, is_folder=True),
    Place("film/step_*.zip", StoredKind.FILM, role=Role.CODE),
    Place("film/clips", StoredKind.CLIPS, is_folder=True, role=Role.LOCAL),
    Place("film/clips/wanted", StoredKind.CLIPS, is_folder=True, role=Role.ORDER),
    Place("snapshots", StoredKind.SNAPSHOTS, is_folder=True),
    Place(
        "snapshots/*.verify.json",
        StoredKind.SNAPSHOTS,
        read=lambda folder, path: read_document(path, SnapshotVerification, folder.path),
    ),
    Place("snapshots/*.zip", StoredKind.SNAPSHOTS, read=check_snapshot, role=Role.CODE),
    Place("replay", StoredKind.REPLAY, is_folder=True),
    Place("replay/*.seg", StoredKind.REPLAY),
    Place("behind", StoredKind.POLICIES, is_folder=True, role=Role.CODE),
    Place("parent", StoredKind.SNAPSHOTS, is_folder=True),
    Place("sealed", StoredKind.SEALED, is_folder=True, role=Role.LOCAL),
    Place("sealed/*.parquet", StoredKind.SEALED, role=Role.LOCAL),
    Place("watch", is_folder=True, role=Role.LOCAL),
    Place("watch/lease", role=Role.LOCAL),
    Place("watch/weights.zip", role=Role.LOCAL),
    Place("sinks", StoredKind.SINKS, is_folder=True, role=Role.LOCAL),
    Place(
        "sinks/plan.json",
        StoredKind.SINKS,
        read=lambda folder, path: read_document(path, SinkPlan, folder.path),
        role=Role.ORDER,
    ),
    *(
        Place(
            f"sinks/{kind}.json",
            StoredKind.SINKS,
            read=lambda folder, path: read_document(path, SinkRecord, folder.path),
            role=Role.LOCAL,
        )
        for kind in SinkKind
    ),
    *(Place(f"sinks/{kind}.lock", StoredKind.SINKS, role=Role.LOCAL) for kind in SinkKind),
    *(Place(f"sinks/{kind}", StoredKind.SINKS, is_folder=True, role=Role.LOCAL) for kind in SinkKind),
)
"""The places, most important first; if several patterns match a name, the first one wins."""

_WITHIN: defaultdict[str, list[tuple[str, Place]]] = defaultdict(list)
for _place in PLACES:
    _parent, _, _name = _place.path.rpartition("/")
    _WITHIN[_parent].append((_name, _place))
_NAMED = {place.path: place for place in PLACES if "*" not in place.path}
_ORDER = {place: number for number, place in enumerate(PLACES)}


def list_contents(folder: RunFolder) -> list[tuple[Place, os.DirEntry[str]]]:
    """Return the entries of ``folder`` that have a place, in the order of the table.

    A missing folder, or something else in its place, counts as empty.
    """
    found = [
        (place, entry)
        for parent in _WITHIN
        for entry in list_entries(folder.path / parent, folder.path)
        if (place := find_place(f"{parent}/{entry.name}" if parent else entry.name)) is not None
    ]
    return sorted(found, key=lambda one: (_ORDER[one[0]], one[1].name))


def damage_at(folder: RunFolder, place: Place, entry: os.DirEntry[str]) -> Damage | None:
    """Return the damage of the entry at ``place``; None if it is intact, and for the configuration, which has its own
    remedy."""
    if place.path == folder.config_path.name:
        return None
    if (problem := problem_of_entry(entry, is_folder=place.is_folder)) is not None:
        return damage_error(Path(entry.path), folder.path, problem).damage
    try:
        if place.read is not None:
            place.read(folder, Path(entry.path))
    except FileNotFoundError:  # deleted meanwhile
        return None
    except RunFolderError as error:
        return error.damage
    return None


def find_place(path: str) -> Place | None:
    """Return the place of a file or folder by its path below a run folder; None if it has none."""
    if (named := _NAMED.get(path)) is not None:
        return named
    parent, _, name = path.rpartition("/")
    return next((place for pattern, place in _WITHIN.get(parent, ()) if fnmatchcase(name, pattern)), None)


def storage_kind(path: str) -> StoredKind:
    """Return the storage kind of a file by its path below a run folder, with parts joined by ``/``."""
    return kind_in_run(tuple(path.split("/")))


def kind_in_run(parts: tuple[str, ...]) -> StoredKind:
    """Return the storage kind of a file by the parts of its path below a run folder."""
    for length in range(len(parts), 0, -1):
        if (place := find_place("/".join(parts[:length]))) is not None:
            return place.kind
    return StoredKind.OTHER


def find_role(path: str) -> Role:
    """Return the role of a file by its path in a run folder: the role of its entry in the table, or of the nearest
    enclosing folder."""
    while path:
        if (place := find_place(path)) is not None:
            return place.role
        path = path.rpartition("/")[0]
    return Role.DATA


def is_policy_file(path: str) -> bool:
    """Whether a file at that path below a run folder holds a policy."""
    place = find_place(path)
    if place is None or place.is_folder:
        return False
    return place.path == "watch/weights.zip" or (place.role is Role.CODE and place.kind is not StoredKind.SNAPSHOTS)


MAX_NAMED_LINES = 10
"""Maximum number of damaged lines listed per journal; the last entry counts the others."""


@dataclass(frozen=True)
class BrokenLines:
    """Broken lines of a journal: the ``first`` ones in order, and the total ``count``."""

    first: list[Line]
    count: int


def inspect_folder(folder: RunFolder) -> list[Damage]:
    """Return all damage except in lines of journals, the configuration's first, then in the order of ``PLACES``."""
    try:
        folder.check()
    except ArtifactNotFound:
        return [Damage(file=".", problem="The folder of this run is gone.", remedy=RESTORE_OR_DELETE)]
    except RunFolderError as error:
        return [error.damage]
    found = [damage_at(folder, place, entry) for place, entry in list_contents(folder)]
    return [*_configuration(folder), *filter(None, found), *_missing(folder)]


def has_trained(folder: RunFolder) -> bool:
    """Whether there are files of a training other than events."""
    return any(map(_holds_something, (folder.metrics_path, compressed_path(folder.metrics_path), *_policies(folder))))


def _policies(folder: RunFolder) -> tuple[Path, Path]:
    return folder.model_path, folder.best_model_path


def _holds_something(path: Path) -> bool:
    """Whether a journal has content. A missing journal is damage, because a worker creates both before its first
    event."""
    try:
        return path.lstat().st_size > 0
    except OSError:
        return False


def damaged_lines(path: Path, lines: BrokenLines, problem: str) -> list[Damage]:
    """Return the damage for the broken ``lines`` of the journal at ``path``. Raises RunFolderError and
    FileNotFoundError."""
    named = [
        Damage(file=path.name, line=line_number(path, line.start), problem=problem, remedy=REPAIR)
        for line in lines.first[:MAX_NAMED_LINES]
    ]
    if more := lines.count - len(named):
        named[-1] = named[-1].model_copy(
            update={"problem": f"{problem} {more:,} more lines after it are damaged, too."}
        )
    return named


def _configuration(folder: RunFolder) -> Iterator[Damage]:
    try:
        config = folder.read_config()
    except RunFolderError as error:
        yield error.damage
        return
    if config.is_newer:
        says = config.format.newer(config.schema_version)
        yield Damage(file=folder.config_path.name, problem=says, remedy=LOOK_ONLY, newer=True)


def _missing(folder: RunFolder) -> Iterator[Damage]:
    """Report missing events if the run has other files of a training."""
    if not has_trained(folder):
        return
    try:
        if folder.events_path.lstat().st_size == 0 and is_file(folder.events_path):
            yield damage_error(folder.events_path, folder.path, "It is empty, though the run has trained.").damage
    except OSError:
        yield damage_error(folder.events_path, folder.path, MISSING).damage


Readable = Callable[[Mapping[str, Any] | None], bool]


def is_event(record: Mapping[str, Any] | None) -> bool:
    return parse_event(record) is not None


def broken_lines(path: Path, is_readable: Readable, most: int = MAX_NAMED_LINES) -> BrokenLines:
    """Return the broken lines of a journal, holding at most ``most`` of them in memory. Raises RunFolderError."""
    first: list[Line] = []
    count = 0
    for lines in JournalTail(path).batches():
        broken = [line for line in lines if not is_readable(line.record)]
        first += broken[: most - len(first)]
        count += len(broken)
    return BrokenLines(first, count)


def repair_folder(folder: RunFolder) -> list[Path]:
    """Make every file of ``folder`` readable, except a damaged configuration, which cannot be repaired.

    A damaged file is renamed to ``<name>.damaged-<time>``; journals keep their readable lines. Hold the run's lock:
    no worker may train or evaluate it.

    Returns:
        The new names of the damaged files.

    Raises:
        ArtifactNotFound: The folder is missing.
        RunFolderError: Something else is in its place.
        OSError: A file cannot be read or written.
    """
    folder.check()
    found = [damage_at(folder, place, entry) for place, entry in list_contents(folder)]
    files = dict.fromkeys(damage.file for damage in found if damage is not None)
    aside = [set_aside(folder.path / file) for file in files]
    for path in (folder.checkpoints, folder.evaluations.path):
        path.mkdir(exist_ok=True)
    for path in (folder.metrics_path, folder.anatomy_path):
        aside += _expand(path)
    aside += _keep_readable(folder.metrics_path, is_metric)
    aside += _keep_readable(folder.events_path, is_event)
    return aside


def _keep_readable(path: Path, is_readable: Readable) -> list[Path]:
    """Rewrite a journal that has unreadable lines, with its readable ones only."""
    if not broken_lines(path, is_readable).count:
        return []
    aside = name_aside(path)
    with atomic_write(path) as copy:
        for lines in JournalTail(path).batches():
            copy.writelines(line.raw + b"\n" for line in lines if is_readable(line.record))
        try:
            os.link(path, aside)  # the journal is never missing
        except OSError:  # a file system without hard links
            path.rename(aside)
    return [aside]


def _expand(path: Path) -> list[Path]:
    """Expand a compressed journal as far as possible; a damaged one is renamed."""
    try:
        expand_journal(path)
    except RunFolderError:
        compressed = compressed_path(path)
        aside = name_aside(compressed)
        shutil.copyfile(compressed, aside)
        with suppress(RunFolderError):  # its table of contents is unreadable
            expand_journal(path, skip_damaged=True)
        compressed.unlink(missing_ok=True)
        return [aside]
    return []


def document_model(path: Path) -> type[VersionedDocument] | None:
    """Return the model of the document at ``path``, by its name; None if it carries no version."""
    if path.name == "config.json":
        return RunConfig
    if path.name == SPECIFICATION:
        return StoredExperiment
    return EvaluationRecord if path.match("eval_*.json") else None


def drift_of_document(content: bytes, model: type[VersionedDocument], file: str) -> list[Drift]:
    """Return the drift of a JSON document. Raises ValueError if it is not one."""
    document = orjson.loads(content)  # which rejects deep nesting
    if not isinstance(document, dict):
        raise ValueError(f"{file} is not a JSON object.")  # noqa: TRY004  (like invalid JSON)
    try:
        reading = model.format.read(document)
    except UnknownVersion as error:
        return [Drift(kind=DriftKind.WRONG, file=file, key=pointer_to(KEY), says=str(error))]
    found = [
        Drift(
            kind=DriftKind.DEPRECATED, file=file, key=pointer_to(old), says=f"It was renamed to `{new}` in schema {to}."
        )
        for to, migration in enumerate(reading.applied, start=reading.found + 1)
        for old, new in migration.renamed.items()
        if old in document
    ]
    if reading.is_newer:
        found.append(
            Drift(kind=DriftKind.NEWER, file=file, key=pointer_to(KEY), says=model.format.newer(reading.found))
        )
    return [*found, *_misfits(reading.document, model, file), *_defaulted(reading.document, model, file)]


def _misfits(document: Mapping[str, Any], model: type[VersionedDocument], file: str) -> Iterator[Drift]:
    try:
        model.model_validate_json(json.dumps(document))
    except ValidationError as error:
        for item in error.errors():
            key, kind = pointer_to(*item["loc"]), DriftKind.WRONG
            says = f"{validation_text(item)}."
            if item["type"] == "extra_forbidden":
                kind, says = DriftKind.UNKNOWN, "No known version has this key."
            elif item["type"] == "missing":
                kind = DriftKind.MISSING
            yield Drift(kind=kind, file=file, key=key, says=says)


def _defaulted(document: Mapping[str, Any], model: type[VersionedDocument], file: str) -> Iterator[Drift]:
    for name, field in model.model_fields.items():
        if name not in document and not field.is_required():
            value = field.get_default(call_default_factory=True)
            if field.exclude_if is not None and field.exclude_if(value):
                continue  # this version leaves it out as well
            shown = f": {json.dumps(value)}" if isinstance(value, str | int | float | None) else ""
            yield Drift(
                kind=DriftKind.DEFAULTED, file=file, key=pointer_to(name), says=f"It has its default value{shown}."
            )


def drift_of_run(folder: RunFolder, installed: Mapping[str, str]) -> list[Drift]:
    """Return the drift of configuration and journals, and of packages: those that trained the run against those
    ``installed``.

    Raises RunFolderError, and FileNotFoundError without a configuration.
    """
    file = folder.config_path.name
    content = read_small(folder.config_path, folder.path)
    try:
        found = drift_of_document(content, RunConfig, file)
        trained_with = orjson.loads(content).get("versions")
    except ValueError as error:
        return [Drift(kind=DriftKind.WRONG, file=file, says=f"{str(error).rstrip('.')}.")]
    found += _newer_lines(folder.events_path, EVENTS)
    found += _newer_lines(folder.metrics_path, METRICS)
    return found + drift_of_packages(trained_with if isinstance(trained_with, dict) else {}, installed)


def drift_of_packages(trained_with: Mapping[str, str], installed: Mapping[str, str]) -> list[Drift]:
    """Return the packages whose version in the run differs from the installed one."""
    return [
        Drift(
            kind=DriftKind.PACKAGE,
            file="config.json",
            key=name,
            says=f"{name} was {was} and is now {installed.get(name, 'not installed')}.",
        )
        for name, was in sorted(trained_with.items())
        if installed.get(name) != was
    ]


def _newer_lines(path: Path, journal: Format) -> list[Drift]:
    """Check the last line only, because a newer version would have written last."""
    with suppress(OSError, RunFolderError, UnknownVersion):
        for line in last_lines(path, 1):
            found = journal.version_of(line.record or {})
            if found > journal.current:
                return [Drift(kind=DriftKind.NEWER, file=path.name, says=journal.newer(found))]
    return []
