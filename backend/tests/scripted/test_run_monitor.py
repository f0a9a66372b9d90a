"""The run monitor with a locked catalogue, a missing folder or broken journals, and a fake worker."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from rlviz.domain.events import CheckpointData, FinishedData, StartedData, StoppedData, WarningData
from rlviz.domain.status import RunStatus
from rlviz.launchers.base import Exit
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_config, row_of_folder
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EventBus
from rlviz.server.feeds import Feeds
from rlviz.server.supervisor.monitors import LINGERING_GRACE
from rlviz.server.supervisor.run_monitor import PlayedRunMonitor, RunMonitor
from tests.support.training import events, kinds, make_run
from tests.support.workers import GRACE, Actor


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


@pytest.fixture
def database(tmp_path: Path, folder: RunFolder) -> Iterator[Database]:
    database = Database(tmp_path / "rlviz.db")
    database.migrate()
    with database.write() as session:
        row = row_of_config(folder.read_config())
        row.status = RunStatus.RUNNING.value
        session.add(row)
    yield database
    database.close()


@pytest.fixture
def journals(folder: RunFolder) -> Iterator[RunJournals]:
    journals = RunJournals(folder)
    yield journals
    journals.close()


@pytest.fixture
def worker() -> Actor:
    return Actor()


@pytest.fixture
def follower(tmp_path: Path, folder: RunFolder, database: Database, worker: Actor) -> RunMonitor:
    feed = Feeds(tmp_path).get_feed(folder.run_id)
    return RunMonitor(row_of(database, folder), folder, worker, feed, database, EventBus(), grace=GRACE)


def row_of(database: Database, folder: RunFolder) -> RunRow:
    with database.read() as session:
        return get_run(session, folder.run_id)


def begin(journals: RunJournals) -> None:
    journals.event(0, StartedData(worker="an actor"))


def test_an_ending_read_while_the_catalogue_was_locked_is_stored_later(
    follower: RunMonitor,
    worker: Actor,
    journals: RunJournals,
    folder: RunFolder,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin(journals)
    journals.metrics(10, {"episode/index": 3})
    journals.event(10, FinishedData(path="model.zip"))
    worker.exit = Exit(0)

    def locked() -> None:
        raise OperationalError("BEGIN IMMEDIATE", None, sqlite3.OperationalError("database is locked"))

    with monkeypatch.context() as patch:
        patch.setattr(database, "write", locked)
        with pytest.raises(OperationalError):
            follower.poll()
    assert not follower.poll()
    row = row_of(database, folder)
    assert (row.state, row.episodes, row.step) == (RunStatus.COMPLETED, 3, 10)
    assert kinds(folder) == ["started", "finished"], "nobody called it interrupted"


def test_an_interruption_that_could_not_be_stored_immediately_is_reported_once(
    follower: RunMonitor,
    worker: Actor,
    journals: RunJournals,
    folder: RunFolder,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin(journals)
    worker.exit = Exit(-9)

    def locked() -> None:
        raise OperationalError("BEGIN IMMEDIATE", None, sqlite3.OperationalError("database is locked"))

    with monkeypatch.context() as patch:
        patch.setattr(database, "write", locked)
        for _ in range(2):
            with pytest.raises(OperationalError):
                follower.poll()
    assert not follower.poll()
    assert kinds(folder) == ["started", "interrupted"]
    row = row_of(database, folder)
    assert (row.state, row.cause, row.warnings) == (
        RunStatus.INTERRUPTED,
        "The worker was killed by signal 9 (SIGKILL).",
        0,
    )


@pytest.mark.parametrize(
    ("gone", "cause"),
    [
        (Exit(-9), "The worker was killed by signal 9 (SIGKILL)."),
        (Exit(-11), "The worker crashed in native code: signal 11 (SIGSEGV)."),
        (Exit(-9, out_of_memory=True), "The host ran out of memory and killed the worker."),
        (Exit(None), "The worker ended before training was done, and its exit status is unknown."),
        (Exit(3), "The worker ended with exit status 3 before training was done; see worker.log."),
        (Exit(0), "The worker ended with exit status 0 before training was done; see worker.log."),
    ],
)
def test_a_worker_that_exits_silently_gets_an_interruption_event(
    follower: RunMonitor, worker: Actor, folder: RunFolder, database: Database, gone: Exit, cause: str
) -> None:
    assert follower.poll()
    worker.exit = gone
    assert not follower.poll()
    row = row_of(database, folder)
    assert (row.state, row.cause) == (RunStatus.INTERRUPTED, cause)
    assert row_of_folder(folder).cause == cause


def test_no_interruption_is_written_while_a_process_trains_in_the_folder(
    follower: RunMonitor, worker: Actor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    worker.exit = Exit(None)
    with training_lock(folder):
        begin(journals)
        assert follower.poll()
        assert row_of(database, folder).state is RunStatus.RUNNING
        journals.event(5, FinishedData(path="model.zip"))
    assert not follower.poll()
    assert kinds(folder) == ["started", "finished"]
    assert row_of(database, folder).state is RunStatus.COMPLETED


def test_partial_files_of_a_killed_trainer_are_removed(follower: RunMonitor, worker: Actor, folder: RunFolder) -> None:
    half = [folder.path / ".model.zip.1-2.tmp", folder.checkpoints / ".step_100.zip.1-2.tmp"]
    for path in half:
        path.touch()
    assert follower.poll()
    assert [path.exists() for path in half] == [True, True], "the trainer may be at it"
    worker.kill()
    assert not follower.poll()
    assert [path.exists() for path in half] == [False, False]


def test_a_torn_last_event_is_replaced_by_the_interruption(
    follower: RunMonitor, worker: Actor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    begin(journals)
    with folder.events_path.open("ab") as file:
        file.write(b'{"seq":2,"time":1,"event":"finis')
    assert follower.poll()
    worker.kill()
    assert not follower.poll()
    assert kinds(folder) == ["started", "interrupted"]
    assert row_of(database, folder).state is RunStatus.INTERRUPTED


def test_a_run_with_a_deleted_folder_still_ends(
    follower: RunMonitor, worker: Actor, folder: RunFolder, database: Database
) -> None:
    shutil.rmtree(folder.path)
    worker.kill()
    assert not follower.poll()
    assert row_of(database, folder).state is RunStatus.INTERRUPTED


def test_broken_lines_raise_a_warning_and_are_counted_as_after_a_rebuild(
    follower: RunMonitor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    begin(journals)
    for path in (folder.events_path, folder.metrics_path):
        with path.open("ab") as file:
            file.write(b"nonsense\n")
    journals.event(1, WarningData(message="train/loss is nan"))
    follower.poll()
    row = row_of(database, folder)
    assert (row.warnings, row.last_warning) == (3, "train/loss is nan")
    again = row_of_folder(folder)
    assert (again.warnings, again.last_warning) == (row.warnings, row.last_warning)


def test_events_are_not_lost_while_the_metrics_are_temporarily_unreadable(
    follower: RunMonitor,
    journals: RunJournals,
    folder: RunFolder,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin(journals)
    journals.event(5, StoppedData(path="model.zip"))

    def too_many() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(follower.feed, "poll", too_many)
        with pytest.raises(OSError, match="Too many open files"):
            follower.poll()
    follower.poll()
    assert row_of(database, folder).state is RunStatus.STOPPED


def test_a_second_ending_raises_a_warning_and_the_first_one_counts(
    follower: RunMonitor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    begin(journals)
    journals.event(5, StoppedData(path="model.zip"))
    journals.event(9, FinishedData(path="model.zip"))
    follower.poll()
    row = row_of(database, folder)
    assert row.state is RunStatus.STOPPED
    assert row.last_warning is not None
    assert "two ends" in row.last_warning


def test_a_worker_that_hangs_after_its_ending_is_killed(
    tmp_path: Path, folder: RunFolder, database: Database, worker: Actor, journals: RunJournals
) -> None:
    """For instance one whose environment cannot be closed. The status of the run comes from its ending."""
    clock = SimpleNamespace(now=0.0)
    feed = Feeds(tmp_path).get_feed(folder.run_id)
    monitor = RunMonitor(
        row_of(database, folder), folder, worker, feed, database, EventBus(), grace=GRACE, monotonic=lambda: clock.now
    )
    begin(journals)
    journals.event(10, FinishedData(path="model.zip"))
    for clock.now in (1.0, 2.0, 2.0 + LINGERING_GRACE.ask):
        assert worker.exit is None
        assert monitor.poll()
    assert worker.exit == Exit(-15)
    assert not monitor.poll()
    assert row_of(database, folder).state is RunStatus.COMPLETED


def test_a_session_worker_continues_after_the_end_of_the_run_it_played(
    tmp_path: Path, folder: RunFolder, database: Database, worker: Actor, journals: RunJournals
) -> None:
    clock = SimpleNamespace(now=0.0)
    feed = Feeds(tmp_path).get_feed(folder.run_id)
    monitor = PlayedRunMonitor(
        row_of(database, folder), folder, worker, feed, database, EventBus(), grace=GRACE, monotonic=lambda: clock.now
    )
    begin(journals)
    journals.event(10, FinishedData(path="model.zip"))
    for clock.now in (1.0, 2.0, 10_000.0):
        assert monitor.poll()
    assert worker.exit is None


def test_a_checkpoint_answers_its_request(follower: RunMonitor, journals: RunJournals) -> None:
    begin(journals)
    follower.poll()
    assert follower.answered_checkpoint == 0
    journals.event(100, CheckpointData(path="checkpoints/step_100.zip", request=2))
    follower.poll()
    assert follower.answered_checkpoint == 2


def test_the_cost_of_a_live_run_is_its_workers_usage_until_the_journal_has_it(
    follower: RunMonitor, worker: Actor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    begin(journals)
    worker.used = 7.5
    assert follower.poll()
    row = row_of(database, folder)
    assert (row.core_seconds_now, row.core_seconds(row.started_at + 60)) == (7.5, 7.5)
    journals.event(0, FinishedData(path="model.zip"))
    assert follower.poll(), "its worker has not exited yet"
    row = row_of(database, folder)
    assert row.core_seconds_now is None
    assert row.core_seconds(row.ended_at + 60) == events(folder)[-1].data.processor_seconds


def test_the_cost_of_a_killed_worker_is_its_last_measured_usage(
    follower: RunMonitor, worker: Actor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    begin(journals)
    worker.used = 7.5
    assert follower.poll()
    worker.used, worker.exit = None, Exit(-9)
    assert not follower.poll()
    assert events(folder)[-1].data.processor_seconds == 7.5
    assert row_of(database, folder).core_seconds(0.0) == 7.5


def test_usage_before_a_rollback_is_counted_once(
    follower: RunMonitor, worker: Actor, journals: RunJournals, folder: RunFolder, database: Database
) -> None:
    begin(journals)
    journals.event(0, StartedData(worker="an actor", attempt=2))
    worker.used = 7.5
    assert follower.poll()
    row = row_of(database, folder)
    assert (row.attempt, row.core_seconds_now) == (2, 7.5)
    journals.event(0, FinishedData(path="model.zip", attempt=2))
    assert follower.poll()
    assert row_of(database, folder).core_seconds_before == events(folder)[-1].data.processor_seconds
