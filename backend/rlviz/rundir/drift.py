"""Finds drift in documents and run folders: keys and types that this version does not expect, and other packages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from rlviz.domain.config import RunConfig
from rlviz.domain.drift import Drift, DriftKind
from rlviz.domain.errors import RunFolderError, pointer_to
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.validation_text import validation_text
from rlviz.domain.versions import EVENTS, METRICS, Format, UnknownVersion, VersionedDocument
from rlviz.domain.versions.format import KEY
from rlviz.rundir.experiment_folder import SPECIFICATION, StoredExperiment
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines


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
