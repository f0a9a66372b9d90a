"""SinkService: changes which sinks a run is delivered to, and reports how much each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec

from rlviz.domain.errors import ExtraMissing, RunFolderError, install_command
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.sinks import SINKS
from rlviz.exchange.sinks.sink import Destination
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import whole_size
from rlviz.rundir.sinks import add_sink, is_delivered, read_plan, read_sinks, write_plan
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.runs import get_run
from rlviz.server.exchange.deliveries import Attempt, LiveDeliveries
from rlviz.settings import Settings


class SinkState(StrEnum):
    WAITING = "waiting"
    """Nothing was delivered yet."""
    DELIVERING = "delivering"
    DELIVERED = "delivered"
    FAILING = "failing"
    """The last attempt failed; the rest is not delivered yet."""


@dataclass(frozen=True)
class RunSink:
    """``is_live``: the service keeps the sink up to date. ``waiting_bytes``: bytes of metrics not delivered yet."""

    record: SinkRecord
    is_live: bool
    state: SinkState
    waiting_bytes: int
    attempt: Attempt


@dataclass(frozen=True)
class OfferedSink:
    """A sink that runs can be delivered to. ``install``: the command that installs its package; None if installed."""

    kind: SinkKind
    install: str | None
    destination: Destination


class SinkService:
    def __init__(self, settings: Settings, database: Database, deliveries: LiveDeliveries) -> None:
        self._settings, self._database, self._deliveries = settings, database, deliveries

    def list_offered(self) -> list[OfferedSink]:
        """Return every sink, whether or not its package is installed here. Imports no package."""
        runs_dir = self._settings.runs_dir.resolve()
        return [
            OfferedSink(
                kind, None if _is_installed(kind) else install_command(kind), SINKS.get(kind).destination(runs_dir)
            )
            for kind in SinkKind
        ]

    def list_for_run(self, run_id: str) -> list[RunSink]:
        """Return every sink that the run was or will be delivered to. Raises RunNotFound or RunFolderError."""
        folder = self._folder(run_id)
        planned = read_plan(folder).kinds
        return [
            _inspect_sink(folder, record, record.kind in planned, self._deliveries.attempt(run_id, record.kind))
            for record in read_sinks(folder)
        ]

    def list_live(self, run_id: str) -> tuple[SinkKind, ...]:
        """Return the sinks that the service keeps up to date, for a copy of the run; none if the plan cannot be read.
        Raises RunNotFound."""
        try:
            return read_plan(self._folder(run_id)).kinds
        except (OSError, RunFolderError):
            return ()

    def check(self, kinds: Sequence[SinkKind]) -> None:
        """Raises ExtraMissing for the first sink whose package is not installed here."""
        for kind in kinds:
            if not _is_installed(kind):
                raise ExtraMissing(kind.value)

    def add(self, run_id: str, kinds: Sequence[SinkKind]) -> None:
        """Deliver the run to these sinks from now on, including the data it already has.

        Raises RunNotFound, ExtraMissing, RunFolderError or OSError.
        """
        folder = self._folder(run_id)
        self.check(kinds)
        self._write(folder, {*read_plan(folder).kinds, *kinds})

    def deliver_new_runs(self, run_ids: Sequence[str], kinds: Sequence[SinkKind]) -> None:
        """Deliver new runs to sinks that were checked, or are copied from another run.

        A package may have been uninstalled since; the failed delivery reports that. Raises RunNotFound, RunFolderError
        or OSError.
        """
        if kinds:
            for run_id in run_ids:
                self._write(self._folder(run_id), set(kinds))

    def deliver(self, run_id: str, kind: SinkKind) -> None:
        """Start to deliver the current data of the run to a sink, whether or not the sink is kept up to date.

        Raises RunNotFound, ExtraMissing, RunFolderError or OSError.
        """
        folder = self._folder(run_id)
        self.check([kind])
        add_sink(folder, kind)
        self._deliveries.deliver(run_id, kind)

    def remove(self, run_id: str, kind: SinkKind) -> None:
        """Stop delivering the run to a sink. Delivered data stays. Raises RunNotFound, RunFolderError or OSError."""
        folder = self._folder(run_id)
        self._write(folder, {*read_plan(folder).kinds} - {kind})

    def _write(self, folder: RunFolder, kinds: set[SinkKind]) -> None:
        write_plan(folder, SinkPlan(kinds=tuple(sorted(kinds))))
        self._deliveries.reload_plan(folder.run_id)

    def _folder(self, run_id: str) -> RunFolder:
        with self._database.read() as session:
            get_run(session, run_id)
        return RunFolder(self._settings.runs_dir, run_id)


def _is_installed(kind: SinkKind) -> bool:
    return kind.package is None or find_spec(kind.package) is not None


def _inspect_sink(folder: RunFolder, record: SinkRecord, is_live: bool, attempt: Attempt) -> RunSink:
    waiting = max(0, whole_size(folder.metrics_path) - record.offset)
    if record.problem is not None:
        state = SinkState.FAILING
    elif record.foreign_id is None:
        state = SinkState.WAITING
    elif is_delivered(folder, record):
        state = SinkState.DELIVERED
    else:
        state = SinkState.DELIVERING
    return RunSink(record, is_live, state, waiting, attempt)
