"""Sink: the interface of programs that receive runs, and the data that they get."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit, urlunsplit

from rlviz.domain.naming import Naming

PROJECT = "rlviz"
"""Default project or experiment for runs, unless the sink's own settings name another."""


class Row(NamedTuple):
    """One line of ``metrics.jsonl``. ``time``: Unix seconds; ``values``: finite numbers by metric."""

    seq: int
    time: float
    step: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class RunToDeliver:
    """A run, besides its metrics.

    Attributes:
        id: Id of the run.
        name: Name of the run.
        group: Group of runs that differ only in their seed.
        status: Its status.
        has_ended: Whether it has ended.
        started_at: Unix seconds.
        ended_at: Unix seconds; None while it runs.
        tags: Its tags.
        notes: Its notes.
        settings: Configuration by name.
        config_json: The whole configuration.
        rows_before: Returns how many rows have a smaller ``seq``; fewer than ``seq`` if lines are unreadable.
        summary: Status, scores and counts, as far as known.
        video: Video of its newest evaluation.
        answered: The sink calls it between requests, so that it does not seem to hang.
    """

    id: str
    name: str
    group: str
    status: str
    has_ended: bool
    started_at: float
    ended_at: float | None
    tags: Sequence[str]
    notes: str
    settings: Mapping[str, Any]
    config_json: str
    rows_before: Callable[[int], int]
    summary: Mapping[str, Any] = field(default_factory=dict)
    video: Path | None = None
    answered: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class DeliveryStart:
    """Start of a delivery. ``from_seq``: the sink has all rows before this one and none from it on; None: as the record
    says."""

    foreign_id: str
    place: str
    from_seq: int | None = None
    offline: bool = False


@dataclass(frozen=True)
class Destination:
    """Where runs would go with the current settings. ``note``: what the user may want to change."""

    place: str
    note: str | None = None


def without_login(address: str) -> str:
    """Return an address without user name and password, for display."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else address


class Sink(Protocol):
    """Delivers one run, in its own process, which may be killed and restarted at any time.

    Any exception means: not delivered, try again later. Repeating must be harmless: a sink finds the run that it
    created by the run's id, and stores a row that it gets twice only once.
    """

    confirm_seconds: float
    """Maximum seconds that rows stay unconfirmed during training."""

    naming: Naming
    """Names of metrics that it accepts. Rows already have these names."""

    @staticmethod
    def destination(runs_dir: Path) -> Destination:
        """Return where runs would go. Must not import, request or write anything."""

    def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
        """Prepare a delivery without sending anything. Raises ExtraMissing without the sink's package.

        ``runs_dir``: for a local store that all runs share; ``own_folder``: for files of this run only.
        """

    def begin(self) -> DeliveryStart:
        """Create the run in the sink, or find it."""

    def send(self, rows: Sequence[Row]) -> None:
        """Send rows in the order of ``seq``, at most 1,000."""

    def confirm(self) -> None:
        """Return once everything sent is stored permanently; raise if it is not."""

    def describe(self, run: RunToDeliver) -> None:
        """Replace name, labels, status, summary and video of the run. Returns like ``confirm``. The run may continue
        afterwards."""

    def close(self) -> None:
        """Release all resources. Called once, also after errors."""
