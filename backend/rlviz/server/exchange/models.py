"""The answers of the API about imported runs and about the sinks of a run."""

from __future__ import annotations

from pydantic import Field

from rlviz.domain.sinks import SinkKind
from rlviz.server.exchange.sinks import SinkState
from rlviz.server.runs.models import Run
from rlviz.server.wire import Wire


class RefusedLog(Wire):
    place: str = Field(description="Folder or file inside the uploaded file.")
    reason: str


class KnownLog(Wire):
    place: str = Field(description="Folder or file inside the uploaded file.")
    run: Run = Field(description="The run that has the same curves.")


class LogWarning(Wire):
    run_id: str
    message: str = Field(description="What was changed or skipped: the file, the line, and why.")


class ImportedRuns(Wire):
    runs: list[Run]
    warnings: list[LogWarning] = Field(description="Warnings about these runs; each run also has them as events.")
    known: list[KnownLog] = Field(description="Logs that were imported before and are skipped.")
    refused: list[RefusedLog] = Field(description="Logs that could not be imported, although others could.")


class ReportFilm(Wire):
    """How far the clips are that the film of a run's report shows."""

    run_id: str
    moments: int = Field(description="Policies that the film shows; 0: the run keeps none.")
    ready: int = Field(description="Policies with a clip.")
    waiting: int = Field(description="Policies whose clip is requested and not made yet.")
    failed: int = Field(description="Policies that could not be filmed.")
    cause: str | None = Field(description="Why clips are not made, or why the last one failed; null if nothing failed.")


class OfferedSink(Wire):
    """A program that runs can be delivered to."""

    kind: SinkKind
    label: str
    install: str | None = Field(description="The command that installs its package; null if it is installed.")
    place: str = Field(description="Where runs go with the settings of the service's machine.")
    note: str | None = Field(description="A hint on how to change that place.")


class RunSink(Wire):
    kind: SinkKind
    label: str
    live: bool = Field(description="Whether the service keeps it up to date; otherwise the run was exported once.")
    state: SinkState
    place: str | None = Field(description="Where to find the run: an address, a file or a folder.")
    offline: bool = Field(description="The run waits in a folder of this machine until you log in to the sink.")
    renamed: dict[str, str] = Field(
        description="Metrics whose names the sink does not accept, each with its name there."
    )
    rows: int = Field(description="Number of delivered rows of metrics.")
    step: int | None = Field(description="Step of the newest delivered row.")
    waiting_bytes: int = Field(description="Bytes of metrics that are not delivered yet.")
    problem: str | None = Field(description="Why the last attempt failed; null if it did not.")
    attempts: int = Field(description="Number of failed attempts in a row.")
    under_way: bool = Field(description="Whether the service is delivering now.")
    next_try_at: float | None = Field(description="Unix seconds of the next automatic attempt; null if there is none.")
    updated_at: float | None = Field(description="Unix seconds of the last attempt; null before the first.")


class RunSinks(Wire):
    run_id: str
    sinks: list[RunSink]
