"""Sink: what each program that runs are delivered to must do, and what it is told of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit, urlunsplit

from rlviz.domain.naming import Naming

PROJECT = "rlviz"
"""The project, or experiment, that runs go into unless the sink's own settings name another."""


class Row(NamedTuple):
    """One line of ``metrics.jsonl``. ``time``: Unix seconds; ``values``: finite numbers by the name of the metric."""

    seq: int
    time: float
    step: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class RunToDeliver:
    """A run beside its metrics. ``settings``: what it was configured with, by name; ``config_json``: all of it.

    ``summary``: status, scores and counts, as far as they are known; ``video``: that of its newest evaluation.
    ``started_at``, ``ended_at``: Unix seconds. ``rows_before`` counts the rows whose ``seq`` is smaller than the one it
    is given, which are fewer where lines of the journal cannot be read. ``answered`` is called by a sink between the
    requests of a call that makes many, so that it is not taken for one that hangs.
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
class Begun:
    """``from_seq``: the sink has no row from this one on, and all before it; None: it has what the record says."""

    foreign_id: str
    place: str
    from_seq: int | None = None
    offline: bool = False


@dataclass(frozen=True)
class Destination:
    """Where runs would go by the settings of this machine. ``note``: what somebody may want to change about it."""

    place: str
    note: str | None = None


def without_login(address: str) -> str:
    """An address without the name and the password that may stand in it, to be shown."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else address


class Sink(Protocol):
    """Made for one run, in a process of its own, which may be killed at any moment and begun again.

    Any exception means: not delivered, try again later. So that again is the same as once, a sink finds the run that
    it made before, by the run's id, and a row that it is given twice is there once.
    """

    confirm_seconds: float
    """How long rows may go unconfirmed while a run trains."""

    naming: Naming
    """Which names of metrics it takes. Rows are given to it with the names that they have there."""

    @staticmethod
    def destination(runs_dir: Path) -> Destination:
        """Nothing is imported, asked or written for it."""

    def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
        """``runs_dir``: for a store of this machine that all runs share; ``own_folder``: for files of this run alone.

        Raises ExtraMissing without the sink's package. Nothing is sent yet.
        """

    def begin(self) -> Begun:
        """Make the run there, or find it."""

    def send(self, rows: Sequence[Row]) -> None:
        """Rows in the order of their ``seq``, at most 1,000."""

    def confirm(self) -> None:
        """Returns when all that was sent is where it stays, and raises if it is not."""

    def describe(self, run: RunToDeliver) -> None:
        """Put the run's name, labels, status, summary and video in the place of what is there. Returns as ``confirm``
        does. The run may go on afterwards."""

    def close(self) -> None:
        """Let go of what is open. Called once, however it went."""
