"""Instants as the whole product writes them: RFC 3339, UTC, milliseconds, ``Z``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import PlainSerializer, WithJsonSchema


def utc(seconds: float) -> datetime:
    """The instant ``seconds`` after the Unix epoch, to the millisecond: what is written is what was meant."""
    return datetime.fromtimestamp(round(seconds, 3), UTC)


def rfc3339(instant: datetime) -> str:
    """For instance ``2026-11-21T01:43:12.117Z``."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Instant = Annotated[
    datetime,
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
