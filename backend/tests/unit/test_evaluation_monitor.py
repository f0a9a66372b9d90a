"""Monitoring of evaluations whose records cannot be stored. No evaluator is started."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.launchers.base import Exit
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.evaluations import latest_evaluation
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.server.events import EventBus
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.server.supervisor.evaluations import EvaluationMonitor
from rlviz.server.supervisor.monitors import LINGERING_GRACE
from rlviz.settings import Settings
from tests.support.catalogues import place_empty_catalogue
from tests.support.training import CREATED_AT, make_run
from tests.support.workers import Actor


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    place_empty_catalogue(tmp_path / "rlviz.db")
    database = Database(tmp_path / "rlviz.db", busy_seconds=0.1)
    yield database
    database.close()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def monitor(folder: RunFolder, database: Database, clock: Clock) -> EvaluationMonitor:
    """Return the monitor of a queued evaluation."""
    record = EvaluationRecord(id="eval_20261121-014312-123", run_id=folder.run_id, created_at=CREATED_AT)
    folder.evaluations.write(record)
    with database.write() as session:
        session.add(row_of_config(folder.read_config()))
        session.flush()
        row = EvaluationRow.from_record(record)
        session.add(row)
    disk = DiskGuard(Settings(_env_file=None), free=lambda _: 1 << 40)  # type: ignore[call-arg]
    return EvaluationMonitor(
        row, folder, database, EventBus(), disk=disk, checkpoint_request=None, keep_videos=3, monotonic=clock
    )


def is_in_catalogue(database: Database, folder: RunFolder) -> bool:
    with database.read() as session:
        latest = latest_evaluation(session, folder.run_id)
    assert latest is not None
    return (latest.status, latest.parsed().cause) == (EvaluationStatus.FAILED.value, "The policy is missing.")


def test_an_evaluation_with_an_unwritable_record_is_catalogued_as_failed(
    folder: RunFolder, monitor: EvaluationMonitor, database: Database
) -> None:
    shutil.rmtree(folder.path)
    monitor.fail("The policy is missing.")
    assert not monitor.poll()
    assert is_in_catalogue(database, folder)


def test_an_evaluator_that_hangs_after_its_end_is_killed(
    folder: RunFolder, monitor: EvaluationMonitor, clock: Clock
) -> None:
    worker = Actor()
    monitor.adopt(worker)
    record = folder.evaluations.read(monitor.id)
    folder.evaluations.write(record.model_copy(update={"status": EvaluationStatus.COMPLETED}))
    for clock.now in (1.0, 1.0 + LINGERING_GRACE.ask):
        assert worker.exit is None
        assert monitor.poll()
    assert worker.exit == Exit(-15)
    assert not monitor.poll()


def test_an_ending_refused_by_a_locked_catalogue_is_stored_later(
    folder: RunFolder, monitor: EvaluationMonitor, database: Database
) -> None:
    with database.write():
        for act in (lambda: monitor.fail("The policy is missing."), monitor.poll):
            with pytest.raises(OperationalError):
                act()
    assert not is_in_catalogue(database, folder)
    assert not monitor.poll()
    assert is_in_catalogue(database, folder)
