"""Documents: the small JSON files of a run folder, validated with their models."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from rlviz.rundir.files import damaged, read_small

M = TypeVar("M", bound=BaseModel)


def read_document(path: Path, model: type[M], folder: Path | None = None) -> M:
    """The document at ``path`` in the run folder ``folder`` (default: its parent).

    Raises FileNotFoundError, or RunFolderError if it cannot be opened or does not fit ``model``.
    """
    return parse_document(read_small(path, folder), model, path, folder or path.parent)


def parse_document(content: bytes, model: type[M], path: Path, folder: Path) -> M:
    """Validate ``content``, which was read from ``path``. Raises RunFolderError."""
    try:
        orjson.loads(content)  # stricter: no NaN, which responses cannot contain
        return model.model_validate_json(content)
    except orjson.JSONDecodeError as error:
        raise damaged(path, folder, f"It is not JSON ({error}).") from error
    except ValidationError as error:
        found = [f"{'/'.join(map(str, item['loc']))} {item['msg']}".strip() for item in error.errors()[:3]]
        raise damaged(path, folder, f"It does not hold what it should: {'; '.join(found)[:300]}.") from error
