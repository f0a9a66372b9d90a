"""Comma-separated names in a query parameter."""

from __future__ import annotations

from rlviz.domain.errors import InvalidRequest
from rlviz.domain.limits import Bounds


def split_names(text: str | None) -> list[str] | None:
    """The names without repetitions, in their order; None for None."""
    return None if text is None else list(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))


def named(text: str, parameter: str, allowed: Bounds) -> list[str]:
    """The names in ``text``. Raises InvalidRequest for too few or too many."""
    names = split_names(text) or []
    if not allowed.minimum <= len(names) <= allowed.maximum:
        raise InvalidRequest.field(
            f"/{parameter}",
            f"Name {allowed.minimum} to {allowed.maximum} {parameter}, separated by commas; got {len(names)}.",
        )
    return names
