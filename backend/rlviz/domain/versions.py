"""Versions of the files that outlive a release: how each format has changed, and how to bring an older file up to date.

A ``Format`` lists the ``Migration`` steps of one kind of file; the formats are at the end of this module. A
``VersionedDocument`` is a JSON file with a schema version, readable whatever version wrote it. ``Drift`` describes
where a file or the installed packages differ from what this version expects. Alembic handles the catalogue.
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
    """The version in a document is not a version number."""


@dataclass(frozen=True)
class Migration:
    """One step from a version to the next.

    ``step`` is pure: it returns a new document. Files were also written between releases, so it must accept a
    document that already has the newer shape, and leave it unchanged.
    """

    says: str
    """What changed, as a sentence."""
    step: Callable[[Document], Document]
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Deprecated keys, with their new names."""


@dataclass(frozen=True)
class Reading:
    """A document brought up to date in memory. ``found`` is the version that it was written in."""

    document: Document
    found: int
    applied: tuple[Migration, ...]
    is_newer: bool
    """Written by a newer version than this one: the document is unchanged."""


@dataclass(frozen=True)
class Format:
    """One kind of file. Version 1 is the first; each migration leads to the next version."""

    name: str
    about: str
    """Description of the file, for messages."""
    migrations: tuple[Migration, ...] = ()

    @property
    def current(self) -> int:
        """The version that this program writes."""
        return 1 + len(self.migrations)

    def version_of(self, document: Document) -> int:
        """Return the version of a document; 1 if it has none. Raises UnknownVersion."""
        version = document.get(KEY, 1)
        if type(version) is not int or version < 1:
            raise UnknownVersion(
                f"{KEY} is {str(version)[:40]!r}, which is not a version: versions are integers from 1."
            )
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
        """Return a sentence that says a document has the newer version ``found``."""
        by = "It was written by a newer version of RL Gym Visualizer"
        return f"{by}: schema {found}; this version knows {self.current}."


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
    """Return the version field of a model whose documents have the newest version of ``written_as``."""
    return Field(
        default=written_as.current,
        ge=1,
        strict=True,
        description=f"{written_as.current} is current; larger numbers come from newer versions and are read-only.",
    )


class VersionedDocument(LazyModel):
    """A JSON file with a version; readers get its current shape.

    If a newer version wrote the file, ``schema_version`` is larger than that of its format, and unknown keys are
    dropped.
    """

    format: ClassVar[Format]
    schema_version: int

    @property
    def is_newer(self) -> bool:
        return self.schema_version > self.format.current


V = TypeVar("V", bound=VersionedDocument)


def read_versioned(model: type[V], content: bytes) -> V:
    """Validate a document of any version. Raises ValueError (including ValidationError)."""
    document = json.loads(content)
    if not isinstance(document, dict):
        return model.model_validate_json(content)  # raises the error that names the expected shape
    reading = model.format.read(document)
    if reading.is_newer:
        return _read_newer(model, document)
    return model.model_validate_json(json.dumps(reading.document) if reading.applied else content)


def _read_newer(model: type[V], document: dict[str, Any]) -> V:
    """Validate a document of a newer version: unknown keys are dropped; everything else must fit."""
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
    """Remove the key at ``place``. Does nothing for a path through a union, because such a path also contains the name
    of the alternative."""
    *within, last = place
    for step in within:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(document, dict):
        document.pop(last, None)


def _name_the_worker(line: Document) -> Document:
    """Replace the three fields that identified the worker's process by one text for its launcher."""
    data = line.get("data")
    if line.get("event") != "started" or not isinstance(data, Mapping) or type(data.get("pid")) is not int:
        return line
    process = (data["pid"], data.get("process_started_at"), data.get("boot_id") or "")
    fields = ("pid", "process_started_at", "boot_id")
    others = {key: value for key, value in data.items() if key not in fields}
    return {**line, "data": {"worker": "process:{}:{}:{}".format(*process), **others}}


EVENT_MIGRATIONS = (
    Migration(
        "A `started` line identifies its worker by one string, `worker`, not by `pid`, `process_started_at` and "
        "`boot_id`.",
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
    """A newer version wrote the file."""
    DEPRECATED = "deprecated"
    """A key has been renamed; it is read under its new name."""
    UNKNOWN = "unknown"
    """No known version has this key."""
    MISSING = "missing"
    """A required key is missing."""
    DEFAULTED = "defaulted"
    """A key that is newer than the file has its default."""
    WRONG = "wrong"
    """A value has the wrong type or is out of bounds."""
    PACKAGE = "package"
    """This machine has another version of a package that trained the run."""


class Drift(LazyModel):
    """One difference between a file, or the installed packages, and what this version expects."""

    model_config = ConfigDict(frozen=True)

    kind: DriftKind
    file: str
    key: str = Field(default="", description="JSON pointer, or package name; empty: the whole file.")
    says: str = Field(description="The difference, in one sentence.")

    @property
    def is_harmless(self) -> bool:
        """Whether the file is still read as it was meant."""
        return self.kind in (DriftKind.DEPRECATED, DriftKind.DEFAULTED, DriftKind.PACKAGE)
