"""Documents: the small JSON files of a run folder, validated with their models."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from rlviz.domain.validation_text import validation_text
from rlviz.domain.versions import UnknownVersion, VersionedDocument, read_versioned
from rlviz.rundir.files import MISSING, damaged, read_small

M = TypeVar("M", bound=BaseModel)


def read_document(path: Path, model: type[M], folder: Path | None = None) -> M:
    """The document at ``path`` in the run folder ``folder`` (default: its parent).

    Raises FileNotFoundError, or RunFolderError if it cannot be opened or does not fit ``model``.
    """
    return parse_document(read_small(path, folder), model, path, folder or path.parent)


def read_existing(path: Path, model: type[M], folder: Path) -> M:
    """As ``read_document``, of a document that must be there. Raises RunFolderError."""
    try:
        return read_document(path, model, folder)
    except FileNotFoundError as error:
        raise damaged(path, folder, MISSING) from error


def parse_document(content: bytes, model: type[M], path: Path, folder: Path) -> M:
    """Validate ``content``, which was read from ``path``, whatever version wrote it. Raises RunFolderError."""
    try:
        found = orjson.loads(content)  # stricter: no NaN, which responses cannot contain
        if issubclass(model, VersionedDocument):
            return read_versioned(model, content)
        return model.model_validate_json(content)
    except orjson.JSONDecodeError as error:
        raise damaged(path, folder, f"It is not JSON ({error}).") from error
    except UnknownVersion as error:
        raise damaged(path, folder, f"{error}") from error
    except ValidationError as error:
        wrong = [f"{'/'.join(map(str, item['loc']))} {validation_text(item)}".strip() for item in error.errors()[:3]]
        problem = f"It does not hold what it should: {'; '.join(wrong)[:300]}."
        raise damaged(path, folder, _said_of_newer(model, found) + problem) from error


def _said_of_newer(model: type[BaseModel], document: object) -> str:
    """That a newer version wrote ``document``, where that is why it does not fit."""
    if not issubclass(model, VersionedDocument) or not isinstance(document, dict):
        return ""
    found = model.format.version_of(document)
    return f"{model.format.newer(found)} " if found > model.format.current else ""
