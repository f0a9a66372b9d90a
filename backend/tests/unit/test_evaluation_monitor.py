"""What becomes of an evaluation whose folder cannot be written. No evaluator is started."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.catalog.database import Database
from rlviz.catalog.evaluations import latest_evaluation
from rlviz.catalog.models import EvaluationRow
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.services.projection.folder_projection import row_of_config
from rlviz.services.streaming.broadcast import Broadcast
from rlviz.services.supervision.disk_guard import DiskGuard
from rlviz.services.supervision.evaluation_monitor import EvaluationMonitor
from rlviz.settings import Settings
from tests.support.training import CREATED_AT, make_run


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "rlviz.db")
    database.migrate()
    yield database
    database.close()


def test_an_evaluation_whose_record_cannot_be_written_is_booked_failed(tmp_path: Path, database: Database) -> None:
    folder = make_run(tmp_path)
    record = EvaluationRecord(id="eval_20261121-014312-123", run_id=folder.run_id, created_at=CREATED_AT)
    with database.write() as session:
        session.add(row_of_config(folder.read_config()))
        session.flush()
        row = EvaluationRow.of(record)
        session.add(row)
    disk = DiskGuard(Settings(_env_file=None), free=lambda _: 1 << 40)  # type: ignore[call-arg]
    follower = EvaluationMonitor(row, folder, database, Broadcast(), disk=disk, checkpoint_request=None, keep_videos=3)
    shutil.rmtree(folder.path)
    follower.fail("The policy is missing.")
    assert not follower.poll()
    with database.read() as session:
        latest = latest_evaluation(session, folder.run_id)
    assert latest is not None
    assert (latest.status, latest.parsed().cause) == (EvaluationStatus.FAILED.value, "The policy is missing.")
