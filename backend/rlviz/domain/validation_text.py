"""What a validation by pydantic found wrong, in words for people: the one place that words it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WORDS = {"extra_forbidden": "There is no such key", "missing": "It is needed, and has no default"}


def validation_text(item: Mapping[str, Any]) -> str:
    """``item`` is one of ``ValidationError.errors()``. The last sentence has no full stop, as those of pydantic."""
    text: str = _WORDS.get(item["type"]) or item["msg"].removeprefix("Value error, ")
    return text
