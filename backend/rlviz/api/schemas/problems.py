"""Problems (RFC 9457)."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Wire


class ProblemField(Wire):
    pointer: str = Field(description="JSON pointer to the bad field, for instance /seed.")
    detail: str
    position: int | None = Field(None, description="Character of its text, from 0, at which it is wrong, if known.")


class Problem(Wire):
    """RFC 9457, sent as application/problem+json."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[ProblemField] = Field(default=[])
