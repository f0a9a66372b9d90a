"""What a run folder holds: the one table of its places, what belongs there, and how a document there is read.

Inspection and repair go through it, storage is counted by it, imports take only what has a place in it, and the tests
that damage run folders take their files from it. A new file of a run is one line here.

Finds damage in a run folder without reading its journals: cheap enough for every request about a run.

Repairing a run folder: readable parts stay in place, damaged files are set aside.

Finds drift in documents and run folders: keys and types that this version does not expect, and other
packages.
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
    damaged,
    entries_in,
    is_file,
    name_aside,
    problem_of_entry,
    read_document,
    read_small,
    set_aside,
)
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import JournalTail, Line, compressed_path, expand, last_lines, line_number
from rlviz.rundir.snapshots import check_snapshot

Reader = Callable[[RunFolder, Path], object]
"""Reads the document at a path of a run folder. Raises FileNotFoundError or RunFolderError."""


class Role(StrEnum):
    """What a file does to the machine that reads it. It decides what an import does with the file."""

    DATA = "data"  # is read, and never more than that
    CODE = "code"  # holds pickled Python objects, which run when they are loaded
    ORDER = "order"  # tells a service or a worker to do something
    LOCAL = "local"  # is of the machine that trains, or can be made again


@dataclass(frozen=True)
class Place:
    """``path``: below the run folder; its last part may be a pattern. ``kind``: what it counts as, and everything below
    it that is in no other place. ``read``: None for what is not read as a whole. ``role``: of the file; of a folder, of
    everything below it that is in no other place."""

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
"""The most important first; of two that fit a name, the first holds."""

_WITHIN: defaultdict[str, list[tuple[str, Place]]] = defaultdict(list)
for _place in PLACES:
    _parent, _, _name = _place.path.rpartition("/")
    _WITHIN[_parent].append((_name, _place))
_NAMED = {place.path: place for place in PLACES if "*" not in place.path}
_ORDER = {place: number for number, place in enumerate(PLACES)}


def contents(folder: RunFolder) -> list[tuple[Place, os.DirEntry[str]]]:
    """What lies in the places of ``folder``, in the order of the table.

    A folder that is missing, or in whose place something else lies, holds nothing.
    """
    found = [
        (place, entry)
        for parent in _WITHIN
        for entry in entries_in(folder.path / parent, folder.path)
        if (place := place_of(f"{parent}/{entry.name}" if parent else entry.name)) is not None
    ]
    return sorted(found, key=lambda one: (_ORDER[one[0]], one[1].name))


def damage_at(folder: RunFolder, place: Place, entry: os.DirEntry[str]) -> Damage | None:
    """What is wrong with what lies in a place of ``folder``. Nothing is of the configuration, which has a remedy of its
    own."""
    if place.path == folder.config_path.name:
        return None
    if (problem := problem_of_entry(entry, is_folder=place.is_folder)) is not None:
        return damaged(Path(entry.path), folder.path, problem).damage
    try:
        if place.read is not None:
            place.read(folder, Path(entry.path))
    except FileNotFoundError:  # deleted just now
        return None
    except RunFolderError as error:
        return error.damage
    return None


def place_of(path: str) -> Place | None:
    """The place of the file or folder with that path below a run folder; None if it is in none."""
    if (named := _NAMED.get(path)) is not None:
        return named
    parent, _, name = path.rpartition("/")
    return next((place for pattern, place in _WITHIN.get(parent, ()) if fnmatchcase(name, pattern)), None)


def kind_of(path: str) -> StoredKind:
    """What the file with that path below a run folder, its parts joined by ``/``, counts as."""
    return kind_in_run(tuple(path.split("/")))


def kind_in_run(parts: tuple[str, ...]) -> StoredKind:
    """What the file with that path, in parts, below a run folder counts as."""
    for length in range(len(parts), 0, -1):
        if (place := place_of("/".join(parts[:length]))) is not None:
            return place.kind
    return StoredKind.OTHER


def role_of(path: str) -> Role:
    """Role of the file with that path below a run folder: that of its place, or of the nearest folder around it."""
    while path:
        if (place := place_of(path)) is not None:
            return place.role
        path = path.rpartition("/")[0]
    return Role.DATA


def is_policy_file(path: str) -> bool:
    """Whether a file with that path below a run folder is one that the run keeps a policy in."""
    place = place_of(path)
    if place is None or place.is_folder:
        return False
    return place.path == "watch/weights.zip" or (place.role is Role.CODE and place.kind is not StoredKind.SNAPSHOTS)


MAX_NAMED_LINES = 10
"""Maximum number of damaged lines of a journal that are listed; the last entry gives the number of the others."""


@dataclass(frozen=True)
class BrokenLines:
    """Broken lines of a journal. ``first``: the first of them, in order; ``count``: the number of all."""

    first: list[Line]
    count: int


def inspect_folder(folder: RunFolder) -> list[Damage]:
    """All damage except in lines of journals, the configuration's first, then in the order of ``contents.PLACES``."""
    try:
        folder.check()
    except ArtifactNotFound:
        return [Damage(file=".", problem="The folder of this run is gone.", remedy=RESTORE_OR_DELETE)]
    except RunFolderError as error:
        return [error.damage]
    found = [damage_at(folder, place, entry) for place, entry in contents(folder)]
    return [*_configuration(folder), *filter(None, found), *_missing(folder)]


def has_trained(folder: RunFolder) -> bool:
    """Whether there are files of a training besides events."""
    return any(map(_holds_something, (folder.metrics_path, compressed_path(folder.metrics_path), *_policies(folder))))


def _policies(folder: RunFolder) -> tuple[Path, Path]:
    return folder.model_path, folder.best_model_path


def _holds_something(path: Path) -> bool:
    """Missing journals are damage, since a worker creates both before its first event."""
    try:
        return path.lstat().st_size > 0
    except OSError:
        return False


def damaged_lines(path: Path, lines: BrokenLines, problem: str) -> list[Damage]:
    """The damage that broken ``lines`` are to the journal at ``path``. Raises RunFolderError, and FileNotFoundError."""
    named = [
        Damage(file=path.name, line=line_number(path, line.start), problem=problem, remedy=REPAIR)
        for line in lines.first[:MAX_NAMED_LINES]
    ]
    if more := lines.count - len(named):
        named[-1] = named[-1].model_copy(
            update={"problem": f"{problem} The same goes for {more:,} more lines after it."}
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
    """Missing events are damage if there are files of a training, which events would report."""
    if not has_trained(folder):
        return
    try:
        if folder.events_path.lstat().st_size == 0 and is_file(folder.events_path):
            yield damaged(folder.events_path, folder.path, "It is empty, though the run has trained.").damage
    except OSError:
        yield damaged(folder.events_path, folder.path, MISSING).damage


Readable = Callable[[Mapping[str, Any] | None], bool]


def is_event(record: Mapping[str, Any] | None) -> bool:
    return parse_event(record) is not None


def broken_lines(path: Path, is_readable: Readable, most: int = MAX_NAMED_LINES) -> BrokenLines:
    """The broken lines of a journal, in the memory of ``most`` of them. Raises RunFolderError."""
    first: list[Line] = []
    count = 0
    for lines in JournalTail(path).batches():
        broken = [line for line in lines if not is_readable(line.record)]
        first += broken[: most - len(first)]
        count += len(broken)
    return BrokenLines(first, count)


def repair_folder(folder: RunFolder) -> list[Path]:
    """Make every file of ``folder`` one that can be read, but the configuration, which nothing can be made of.

    What is damaged becomes ``<name>.damaged-<time>``; of journals the readable lines stay. Returns the new names.
    For a run that nobody trains or evaluates: hold its lock. Raises ArtifactNotFound or RunFolderError if there
    is no such folder, and OSError.
    """
    folder.check()
    found = [damage_at(folder, place, entry) for place, entry in contents(folder)]
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
    """Keep only the readable lines of a journal, if it has others."""
    if not broken_lines(path, is_readable).count:
        return []
    aside = name_aside(path)
    with atomic_write(path) as copy:
        for lines in JournalTail(path).batches():
            copy.writelines(line.raw + b"\n" for line in lines if is_readable(line.record))
        try:
            os.link(path, aside)  # so that the journal is never missing
        except OSError:  # a file system without hard links
            path.rename(aside)
    return [aside]


def _expand(path: Path) -> list[Path]:
    """Expand a journal as far as that can be done; a compressed one that is damaged is set aside."""
    try:
        expand(path)
    except RunFolderError:
        compressed = compressed_path(path)
        aside = name_aside(compressed)
        shutil.copyfile(compressed, aside)
        with suppress(RunFolderError):  # not even its table can be read
            expand(path, skip_damaged=True)
        compressed.unlink(missing_ok=True)
        return [aside]
    return []


def model_of(path: Path) -> type[VersionedDocument] | None:
    """What the document at ``path`` should be, by its name; None: none that carries a version."""
    if path.name == "config.json":
        return RunConfig
    if path.name == SPECIFICATION:
        return StoredExperiment
    return EvaluationRecord if path.match("eval_*.json") else None


def drift_of_document(content: bytes, model: type[VersionedDocument], file: str) -> list[Drift]:
    """Of a JSON document. Raises ValueError for what is none."""
    document = orjson.loads(content)  # which refuses what is nested too deep
    if not isinstance(document, dict):
        raise ValueError(f"{file} is no JSON object.")  # noqa: TRY004  (as what is no JSON at all)
    try:
        reading = model.format.read(document)
    except UnknownVersion as error:
        return [Drift(kind=DriftKind.WRONG, file=file, key=pointer_to(KEY), says=str(error))]
    found = [
        Drift(
            kind=DriftKind.DEPRECATED, file=file, key=pointer_to(old), says=f"It is called `{new}` since schema {to}."
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
                kind, says = DriftKind.UNKNOWN, "No version up to this one has such a key."
            elif item["type"] == "missing":
                kind = DriftKind.MISSING
            yield Drift(kind=kind, file=file, key=key, says=says)


def _defaulted(document: Mapping[str, Any], model: type[VersionedDocument], file: str) -> Iterator[Drift]:
    for name, field in model.model_fields.items():
        if name not in document and not field.is_required():
            value = field.get_default(call_default_factory=True)
            shown = f": {json.dumps(value)}" if isinstance(value, str | int | float | None) else ""
            yield Drift(kind=DriftKind.DEFAULTED, file=file, key=pointer_to(name), says=f"It has its default{shown}.")


def drift_of_run(folder: RunFolder, installed: Mapping[str, str]) -> list[Drift]:
    """Of configuration and journals, and of the packages that trained the run from those that are ``installed``.

    Raises RunFolderError, and FileNotFoundError without a configuration."""
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
    """Packages of which the run had another version than is installed here."""
    return [
        Drift(
            kind=DriftKind.PACKAGE,
            file="config.json",
            key=name,
            says=f"{name} was {was} and is {installed.get(name, 'not installed')}.",
        )
        for name, was in sorted(trained_with.items())
        if installed.get(name) != was
    ]


def _newer_lines(path: Path, journal: Format) -> list[Drift]:
    """Looks at the last line alone: whoever writes newer lines wrote last."""
    with suppress(OSError, RunFolderError, UnknownVersion):
        for line in last_lines(path, 1):
            found = journal.version_of(line.record or {})
            if found > journal.current:
                return [Drift(kind=DriftKind.NEWER, file=path.name, says=journal.newer(found))]
    return []
