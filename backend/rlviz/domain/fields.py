"""Validation of values that a user chose against a model of named, bounded fields."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to
from rlviz.domain.validation_text import validation_text

M = TypeVar("M", bound=BaseModel)


def check_fields(model: type[M], values: Mapping[str, JsonValue], *, kind: str, at: str) -> M:
    """``values`` as ``model``; defaults fill the rest.

    ``kind`` is what a field is called ("PPO hyperparameter"), ``at`` the member of the request that holds
    them. Raises UnknownName for a name that is none, InvalidRequest with one FieldError a bad value.
    """
    for name in values:
        if name not in model.model_fields:
            raise UnknownName(kind, name, model.model_fields, pointer_to(at, name[:80]))
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        problems = [FieldError(pointer_to(at, *item["loc"]), validation_text(item)) for item in error.errors()]
        names = ", ".join(str(item["loc"][0]) if item["loc"] else at for item in error.errors())
        raise InvalidRequest(f"Not a possible {kind}: {names}.", problems) from error
