"""VersionedDocument: a JSON file with a schema version, read whatever version wrote it."""

import copy
import json
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import Field, ValidationError

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.versions.format import Format


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
