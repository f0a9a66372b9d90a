"""Comma-separated names in a query parameter, of which there may not be any number."""

from __future__ import annotations

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.limits import Bounds
from rlviz.domain.name_list import split_names


def named(text: str, parameter: str, allowed: Bounds) -> list[str]:
    """The names in ``text``. Raises InvalidRequest for too few or too many."""
    names = split_names(text)
    if not allowed.minimum <= len(names) <= allowed.maximum:
        raise InvalidRequest.field(
            f"/{parameter}",
            f"Name {allowed.minimum} to {allowed.maximum} {parameter}, separated by commas; got {len(names)}.",
        )
    return names
