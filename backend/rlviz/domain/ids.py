"""Identifiers of runs, evaluations and sessions, safe as folder names and in URLs; and the one format for timestamps:
RFC 3339, UTC, milliseconds, ``Z``."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, PlainSerializer, WithJsonSchema

from rlviz.domain.errors import EvaluationNotFound, RunNotFound
from rlviz.domain.sinks import SinkKind

RESERVED = frozenset(
    {
        *("analytics", "experiments", "presets"),  # other folders in the runs folder
        *(kind.value for kind in SinkKind),  # also folders there
        *("groups", "import", "last", "rlviz", "view"),  # addresses below /runs, and words of the command line
        *("aux", "con", "nul", "prn", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))),
    }
)
"""Ids that no run may have: they are reserved in the runs folder, in addresses or by Windows."""

_RUN_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?")
_STAMP = re.compile(r"-(\d{8}-\d{6})-(?:[0-9a-f]{4}|[0-9a-f]{6})$")
_EVALUATION_ID = re.compile(r"eval_[0-9]{8}-[0-9]{6}-[0-9]{3}")


def new_run_id(algo: str, env_id: str, now: datetime) -> str:
    """Return an id such as ``ppo-cartpole-20261121-014312-7f3a1b``: readable, sortable, unique."""
    env = re.sub(r"-v\d+$", "", env_id.split("/")[-1]).lower()
    stem = re.sub(r"[^a-z0-9]+", "-", f"{algo}-{env}".lower()).strip("-")[:40].strip("-") or "run"
    return f"{stem}-{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def created_at_of(run_id: str) -> datetime | None:
    """Return the creation time in a run id, to the second; None for ids that ``new_run_id`` did not make."""
    match = _STAMP.search(run_id)
    try:
        return datetime.strptime(match[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None


def is_run_id(text: str) -> bool:
    """Whether ``text`` is well-formed and not reserved."""
    return _RUN_ID.fullmatch(text) is not None and text not in RESERVED


def check_run_id(text: str) -> str:
    """Return ``text`` if it is a valid run id; raise RunNotFound otherwise, for example for path traversal."""
    if not is_run_id(text):
        raise RunNotFound(text)
    return text


def new_evaluation_id(now: datetime) -> str:
    """Return an id such as ``eval_20261121-014312-123`` (UTC, milliseconds), which sorts by time."""
    now = now.astimezone(UTC)
    return f"eval_{now:%Y%m%d-%H%M%S}-{now.microsecond // 1000:03d}"


def is_evaluation_id(text: str) -> bool:
    return _EVALUATION_ID.fullmatch(text) is not None


def check_evaluation_id(text: str) -> str:
    """Return ``text`` if it is a well-formed evaluation id; raise EvaluationNotFound otherwise."""
    if not is_evaluation_id(text):
        raise EvaluationNotFound(f"There is no evaluation {text[:80]!r}.")
    return text


def new_session_id() -> str:
    """Return an id such as ``session_1f0c9a77d2b45e63``: random, so it cannot be guessed."""
    return f"session_{secrets.token_hex(8)}"


DAY_SECONDS = 86_400.0

MAX_TIME = 253_402_300_799.0
"""Unix time of the end of year 9999, the last that ``datetime`` supports."""


def utc(seconds: float) -> datetime:
    """Return the instant ``seconds`` after the Unix epoch, rounded to milliseconds."""
    return datetime.fromtimestamp(round(seconds, 3), UTC)


def rfc3339(instant: datetime) -> str:
    """Return an instant as text: ``2026-11-21T01:43:12.117Z``."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _within_the_calendar(instant: datetime) -> datetime:
    """Reject instants that a response cannot format."""
    try:
        known = 0 <= instant.timestamp() <= MAX_TIME
    except (OverflowError, ValueError):
        known = False
    if not known:
        raise ValueError("An instant must be between the years 1970 and 9999.")
    return instant


Instant = Annotated[
    datetime,
    AfterValidator(_within_the_calendar),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
