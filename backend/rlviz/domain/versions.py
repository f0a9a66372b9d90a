"""Versions of the files that outlive a version of this product, and the registry of what brings older ones up to date.

``registry.py`` lists the formats; each that has changed has its steps in a file of its own.

Format: how one kind of file has changed from version to version, and how an older one is brought up to date.

How ``config.json`` has changed.

VersionedDocument: a JSON file with a schema version, read whatever version wrote it.

How the lines of ``events.jsonl`` have changed.

The formats of all files that carry a schema version. The catalogue's steps are those of Alembic, in
``catalog``.

Drift: where a file, or what is installed, differs from what this version expects.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from rlviz.domain.lazy_model import LazyModel

KEY = "schema_version"

Document = Mapping[str, Any]


class UnknownVersion(ValueError):
    """What stands for the version of a document is no version."""


@dataclass(frozen=True)
class Migration:
    """One step, from a version to the next.

    ``step`` is pure: it returns a new document and leaves the given one as it is. Files were written between releases
    too, so it also takes a document that has the newer shape already, and changes nothing then.
    """

    says: str
    """What has changed, a sentence."""
    step: Callable[[Document], Document]
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Keys that are deprecated since, with what they are called now."""


@dataclass(frozen=True)
class Reading:
    """A document brought up to date, in memory. ``found``: the version that it was written in."""

    document: Document
    found: int
    applied: tuple[Migration, ...]
    is_newer: bool
    """Written by a newer version than this one: the document is as it was found."""


@dataclass(frozen=True)
class Format:
    """One kind of file. Version 1 is the first; each migration leads to the next."""

    name: str
    about: str
    """What holds it, for people."""
    migrations: tuple[Migration, ...] = ()

    @property
    def current(self) -> int:
        """The version that is written."""
        return 1 + len(self.migrations)

    def version_of(self, document: Document) -> int:
        """A document that carries no version is of the first. Raises UnknownVersion."""
        version = document.get(KEY, 1)
        if type(version) is not int or version < 1:
            raise UnknownVersion(f"{KEY} is {str(version)[:40]!r}, which is no version: versions are counted from 1.")
        return version

    def read(self, document: Document) -> Reading:
        """Bring ``document`` up to date. Raises UnknownVersion."""
        found = self.version_of(document)
        if found > self.current:
            return Reading(document, found, (), is_newer=True)
        steps = self.migrations[found - 1 :]
        for migration in steps:
            document = migration.step(document)
        return Reading({**document, KEY: self.current}, found, steps, is_newer=False)

    def newer(self, found: int) -> str:
        """What there is to say of a document of the newer version ``found``."""
        return f"It was written by a newer version of RL Gym Visualizer: schema {found}, this one knows {self.current}."


def _name_custom_environments(document: Document) -> Document:
    if "own_environment" not in document:
        return document
    values = {key: value for key, value in document.items() if key != "own_environment"}
    return {"custom_environment": document["own_environment"], **values}


CONFIG_MIGRATIONS = (
    Migration(
        "`own_environment` is called `custom_environment`.",
        _name_custom_environments,
        {"own_environment": "custom_environment"},
    ),
)


def version_field(written_as: Format) -> Any:
    """The field of a model whose documents are written in the newest version of ``written_as``."""
    return Field(
        default=written_as.current,
        ge=1,
        strict=True,
        description=f"{written_as.current} is written; a larger number is of a newer version, and only looked at.",
    )


class VersionedDocument(LazyModel):
    """Whoever reads one gets its present shape; ``schema_version`` is larger than that of its format where a newer
    version wrote it, whose additions are then left out."""

    format: ClassVar[Format]
    schema_version: int

    @property
    def is_newer(self) -> bool:
        return self.schema_version > self.format.current


V = TypeVar("V", bound=VersionedDocument)


def read_versioned(model: type[V], content: bytes) -> V:
    """Validate a document of any version. Raises ValueError, of which ValidationError is one."""
    document = json.loads(content)
    if not isinstance(document, dict):
        return model.model_validate_json(content)  # says what it should be
    reading = model.format.read(document)
    if reading.is_newer:
        return _read_newer(model, document)
    return model.model_validate_json(json.dumps(reading.document) if reading.applied else content)


def _read_newer(model: type[V], document: dict[str, Any]) -> V:
    """Keys that this version does not know are left out; everything else has to fit."""
    try:
        return model.model_validate_json(json.dumps(document))
    except ValidationError as error:
        unknown = [item["loc"] for item in error.errors() if item["type"] == "extra_forbidden"]
        if not unknown:
            raise
    known = copy.deepcopy(document)
    for place in unknown:
        _leave_out(known, place)
    return model.model_validate_json(json.dumps(known))


def _leave_out(document: Any, place: Sequence[str | int]) -> None:
    """Remove what ``place`` names; a place within a union names its alternative too, and is left alone."""
    *within, last = place
    for step in within:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(document, dict):
        document.pop(last, None)


def _name_the_worker(line: Document) -> Document:
    """The process of the worker stood in three fields; now it is one text, by which its launcher finds it."""
    data = line.get("data")
    if line.get("event") != "started" or not isinstance(data, Mapping) or type(data.get("pid")) is not int:
        return line
    process = (data["pid"], data.get("process_started_at"), data.get("boot_id") or "")
    fields = ("pid", "process_started_at", "boot_id")
    others = {key: value for key, value in data.items() if key not in fields}
    return {**line, "data": {"worker": "process:{}:{}:{}".format(*process), **others}}


EVENT_MIGRATIONS = (
    Migration(
        "A `started` line names its worker by one text, `worker`, not by `pid`, `process_started_at` and `boot_id`.",
        _name_the_worker,
        {"pid": "worker", "process_started_at": "worker", "boot_id": "worker"},
    ),
)


CONFIG = Format("config", "config.json", CONFIG_MIGRATIONS)
EVENTS = Format("events", "events.jsonl, each line", EVENT_MIGRATIONS)
METRICS = Format("metrics", "metrics.jsonl, each line")
EVALUATION = Format("evaluation", "eval/<id>.json")
SNAPSHOT = Format("snapshot", "manifest.json of a snapshot")
EXPERIMENT = Format("experiment", "experiment.json")
TRIALS = Format("trials", "trials.jsonl, each line")

FORMATS = (CONFIG, EVENTS, METRICS, EVALUATION, SNAPSHOT, EXPERIMENT, TRIALS)


class DriftKind(StrEnum):
    NEWER = "newer"
    """A newer version wrote it."""
    DEPRECATED = "deprecated"
    """A key has another name by now; it is read as that."""
    UNKNOWN = "unknown"
    """No version that is known has this key."""
    MISSING = "missing"
    """A key without which the file says too little."""
    DEFAULTED = "defaulted"
    """A key that is newer than the file, and has its default."""
    WRONG = "wrong"
    """A value of another type, or out of bounds."""
    PACKAGE = "package"
    """A package that trained the run has another version here."""


class Drift(LazyModel):
    """One difference."""

    model_config = ConfigDict(frozen=True)

    kind: DriftKind
    file: str
    key: str = Field(default="", description="JSON pointer, or the name of the package; empty: the file as a whole.")
    says: str = Field(description="A sentence.")

    @property
    def is_harmless(self) -> bool:
        """Whether the file is read as it was meant in spite of it."""
        return self.kind in (DriftKind.DEPRECATED, DriftKind.DEFAULTED, DriftKind.PACKAGE)
