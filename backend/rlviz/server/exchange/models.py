"""The sinks of a run.

Runs that were imported.
"""

from __future__ import annotations

from pydantic import Field

from rlviz.domain.sinks import SinkKind
from rlviz.server.exchange.sinks import SinkState
from rlviz.server.runs.models import Run
from rlviz.server.wire import Wire


class RefusedLog(Wire):
    place: str = Field(description="Folder or file within what was sent.")
    reason: str


class KnownLog(Wire):
    place: str = Field(description="Folder or file within what was sent.")
    run: Run = Field(description="That has the same curves.")


class LogWarning(Wire):
    run_id: str
    message: str = Field(description="What could not be taken as it was: the file, the line, and why.")


class ImportedRuns(Wire):
    runs: list[Run]
    warnings: list[LogWarning] = Field(description="Of these runs, each of which has them as events too.")
    known: list[KnownLog] = Field(description="What was imported before, and was left out.")
    refused: list[RefusedLog] = Field(description="What could not be taken, while other runs could.")


class OfferedSink(Wire):
    """A program that runs can be delivered to."""

    kind: SinkKind
    label: str
    install: str | None = Field(description="The command that installs what it needs; null: it is installed.")
    place: str = Field(description="Where runs go by the settings of the service's machine.")
    note: str | None = Field(description="What one may want to change about that.")


class RunSink(Wire):
    kind: SinkKind
    label: str
    live: bool = Field(description="Whether the service keeps it up with the run; otherwise it was exported once.")
    state: SinkState
    place: str | None = Field(description="Where to look at it: an address, a file or a folder.")
    offline: bool = Field(description="It is in a folder of this machine, to be sent once there is a login.")
    renamed: dict[str, str] = Field(
        description="Metrics whose names it does not take, with what they are called there."
    )
    rows: int = Field(description="Rows of metrics that are there.")
    step: int | None = Field(description="Of the newest row that is there.")
    waiting_bytes: int = Field(description="Of metrics that are not there yet.")
    problem: str | None = Field(description="Why the last attempt ended early; null: it did not.")
    attempts: int = Field(description="Attempts in a row that ended early.")
    under_way: bool = Field(description="Whether the service delivers just now.")
    next_try_at: float | None = Field(description="Unix seconds, if the service tries again by itself.")
    updated_at: float | None = Field(description="Unix seconds; null: nothing was tried yet.")


class RunSinks(Wire):
    run_id: str
    sinks: list[RunSink]
