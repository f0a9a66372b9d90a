"""Documents: the small JSON files of a run folder, read whole and checked against their model."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from rlviz.rundir.files import damaged, read_small

M = TypeVar("M", bound=BaseModel)


def read_document(path: Path, model: type[M], folder: Path | None = None) -> M:
    """The document at ``path`` in the run folder ``folder`` (its parent unless given).

    Raises FileNotFoundError, or RunFolderError if it cannot be opened or is not what ``model`` describes.
    """
    return parse_document(read_small(path, folder), model, path, folder or path.parent)


def parse_document(content: bytes, model: type[M], path: Path, folder: Path) -> M:
    """What ``content``, which came from ``path``, says. Raises RunFolderError."""
    try:
        orjson.loads(content)  # stricter: no NaN, which no answer could pass on
        return model.model_validate_json(content)
    except orjson.JSONDecodeError as error:
        raise damaged(path, folder, f"It is not JSON ({error}).") from error
    except ValidationError as error:
        found = [f"{'/'.join(map(str, item['loc']))} {item['msg']}".strip() for item in error.errors()[:3]]
        raise damaged(path, folder, f"It does not hold what it should: {'; '.join(found)[:300]}.") from error
