"""Use cases on the sinks of a run: which it is delivered to as it trains, and how far each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec

from rlviz.catalog.database import Database
from rlviz.catalog.runs import get_run
from rlviz.domain.errors import ExtraMissing
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import whole_size
from rlviz.rundir.sinks import is_delivered, read_plan, read_sinks, write_plan
from rlviz.services.sinks.live_couriers import LiveCouriers
from rlviz.settings import Settings


class SinkState(StrEnum):
    WAITING = "waiting"
    """Nothing was delivered yet."""
    DELIVERING = "delivering"
    DELIVERED = "delivered"
    FAILING = "failing"
    """The last attempt ended early; what is missing waits."""


@dataclass(frozen=True)
class RunSink:
    """``is_live``: the service keeps it up with the run. ``waiting_bytes``: of metrics that it has not."""

    record: SinkRecord
    is_live: bool
    state: SinkState
    waiting_bytes: int


class SinkService:
    def __init__(self, settings: Settings, database: Database, couriers: LiveCouriers) -> None:
        self._settings, self._database, self._couriers = settings, database, couriers

    def of(self, run_id: str) -> list[RunSink]:
        """Every sink that the run was, or shall be, delivered to. Raises RunNotFound or RunFolderError."""
        folder = self._folder(run_id)
        planned = read_plan(folder).kinds
        return [_look(folder, record, record.kind in planned) for record in read_sinks(folder)]

    def check(self, kinds: Sequence[SinkKind]) -> None:
        """Raises ExtraMissing for the first sink whose package is not installed here."""
        for kind in kinds:
            if find_spec(kind.value) is None:
                raise ExtraMissing(kind.value)

    def add(self, run_id: str, kinds: Sequence[SinkKind]) -> None:
        """Deliver the run to these sinks from now on: what it has, and what it gains.

        Raises RunNotFound, ExtraMissing, RunFolderError or OSError.
        """
        folder = self._folder(run_id)
        self.check(kinds)
        self._write(folder, {*read_plan(folder).kinds, *kinds})

    def remove(self, run_id: str, kind: SinkKind) -> None:
        """Deliver the run there no more. What the sink has, it keeps. Raises RunNotFound, RunFolderError or OSError."""
        folder = self._folder(run_id)
        self._write(folder, {*read_plan(folder).kinds} - {kind})

    def _write(self, folder: RunFolder, kinds: set[SinkKind]) -> None:
        write_plan(folder, SinkPlan(kinds=tuple(sorted(kinds))))
        self._couriers.renew(folder.run_id)

    def _folder(self, run_id: str) -> RunFolder:
        with self._database.read() as session:
            get_run(session, run_id)
        return RunFolder(self._settings.runs_dir, run_id)


def _look(folder: RunFolder, record: SinkRecord, is_live: bool) -> RunSink:
    waiting = max(0, whole_size(folder.metrics_path) - record.offset)
    if record.problem is not None:
        state = SinkState.FAILING
    elif record.foreign_id is None:
        state = SinkState.WAITING
    elif is_delivered(folder, record):
        state = SinkState.DELIVERED
    else:
        state = SinkState.DELIVERING
    return RunSink(record, is_live, state, waiting)
