"""Instants in the product's one format: RFC 3339, UTC, milliseconds, ``Z``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, PlainSerializer, WithJsonSchema

DAY_SECONDS = 86_400.0

MAX_TIME = 253_402_300_799.0
"""Unix time of the end of the year 9999, the last that ``datetime`` supports."""


def utc(seconds: float) -> datetime:
    """The instant ``seconds`` after the Unix epoch, rounded to the millisecond."""
    return datetime.fromtimestamp(round(seconds, 3), UTC)


def rfc3339(instant: datetime) -> str:
    """For instance ``2026-11-21T01:43:12.117Z``."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _within_the_calendar(instant: datetime) -> datetime:
    """Refuse instants that cannot be formatted in a response."""
    try:
        known = 0 <= instant.timestamp() <= MAX_TIME
    except (OverflowError, ValueError):
        known = False
    if not known:
        raise ValueError("An instant lies between the years 1970 and 9999.")
    return instant


Instant = Annotated[
    datetime,
    AfterValidator(_within_the_calendar),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
