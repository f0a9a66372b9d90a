"""Runs under a real supervisor, and their catalogue rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import IllegalTransition, NotQueued, RunNotFound
from rlviz.domain.status import RunStatus
from rlviz.server.application import Application
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.catalog.projection.rebuild import RebuildResult, rebuild
from rlviz.server.catalog.runs import RunQuery
from rlviz.server.events import RunChanged
from rlviz.server.runs.queue import Place
from rlviz.testing.scripted import Script
from tests.support.service import (
    becomes,
    catalogue,
    create,
    ended,
    evaluation_ended,
    folder_of,
    service,
    start,
    stop_all,
)
from tests.support.training import column, events, leftovers
from tests.support.waiting import eventually
from tests.support.workers import worker_processes

pytestmark = pytest.mark.usefixtures("_no_run_goes_on")


S = RunStatus


Rows = dict[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """A service that trains one run at a time."""
    with service(tmp_path_factory.mktemp("runs"), max_concurrent_runs=1, script=Script()) as application:
        yield application
    assert worker_processes() == []


@pytest.fixture
def _no_run_goes_on(app: Application) -> Iterator[None]:
    yield
    stop_all(app)


def trains(app: Application, run_id: str) -> None:
    becomes(app, run_id, S.RUNNING)
    eventually(lambda: column(folder_of(app, run_id), "episode/index"), "the first episode")


def test_runs_above_the_limit_wait_and_are_trained_first_come_first_served(app: Application) -> None:
    first = start(app)
    trains(app, first)
    late, second, withdrawn, third = create(app, steps=256), *(start(app, steps=256) for _ in range(3))
    app.runs.start(late)
    assert app.runs.queue_positions() == {second: 1, withdrawn: 2, third: 3, late: 4}
    assert app.runs.load() == (1, 4)

    assert app.runs.stop(withdrawn).state is S.STOPPED
    assert app.runs.get(second).state is S.QUEUED
    app.runs.stop(first)
    rows = [ended(app, run_id) for run_id in (first, second, third, late)]
    assert [row.state for row in rows] == [S.STOPPED, S.COMPLETED, S.COMPLETED, S.COMPLETED]
    for before, after in itertools.pairwise(rows):
        assert before.ended_at is not None
        assert after.started_at is not None
        assert before.ended_at <= after.started_at
    assert not folder_of(app, withdrawn).events_path.exists(), "no worker ever saw it"
    assert app.runs.get(withdrawn).started_at is None


def test_a_moved_run_starts_at_its_new_position_also_after_a_restart(app: Application) -> None:
    first = start(app)
    trains(app, first)
    second, third, fourth = (start(app, steps=256) for _ in range(3))
    heard: list[str] = []
    app.events.listen(RunChanged, lambda event: heard.append(event.run.id))
    app.runs.move_in_queue(fourth, Place("first"))
    app.runs.move_in_queue(second, Place("down"))
    assert app.runs.queue_positions() == {fourth: 1, third: 2, second: 3}
    assert {fourth, second} <= {*heard}, "other pages learn of it"
    again = [row_of_folder(folder_of(app, run_id)) for run_id in (second, third, fourth)]
    assert [row.id for row in sorted(again, key=lambda row: row.queued_at or 0.0)] == [fourth, third, second]
    with pytest.raises(NotQueued):
        app.runs.move_in_queue(first, Place("first"))
    with pytest.raises(NotQueued):
        app.runs.move_in_queue(second, Place(before=first))
    app.runs.stop(first)
    rows = [ended(app, run_id) for run_id in (fourth, third, second)]
    began = [row.started_at or 0.0 for row in rows]
    assert began == sorted(began)


def test_a_completed_run_has_its_figures_in_the_catalogue(app: Application) -> None:
    run_id = start(app, steps=1_000)
    row = ended(app, run_id)
    folder = folder_of(app, run_id)
    assert row.state is S.COMPLETED
    assert row.step == row.policy_step == events(folder)[-1].step >= 1_000
    assert row.episodes == column(folder, "episode/index")[-1]
    assert row.ep_rew_mean == column(folder, "rollout/ep_rew_mean")[-1]
    assert row.ep_len_mean == column(folder, "rollout/ep_len_mean")[-1]
    assert row.fps is not None
    assert row.worker == events(folder)[0].data.worker
    assert row.queued_at is not None
    assert row.started_at is not None
    assert row.ended_at is not None
    assert row.created_at <= row.queued_at <= row.started_at <= row.ended_at
    assert (row.cause, row.traceback, row.warnings) == (None, None, 0)


def test_a_run_that_never_started_cannot_be_stopped(app: Application) -> None:
    run_id = create(app)
    with pytest.raises(IllegalTransition, match="'created' cannot become 'stopping'"):
        app.runs.stop(run_id)
    assert app.runs.get(run_id).state is S.CREATED


def test_labels_change_during_training_and_other_runs_keep_theirs(app: Application) -> None:
    run_id = start(app, name="Before")
    trains(app, run_id)
    app.runs.relabel(run_id, {"name": "After", "tags": ["a", "ä"], "notes": "two\nlines"})
    app.runs.relabel(run_id, {"tags": ["b"]})
    app.runs.stop(run_id)
    row = ended(app, run_id)
    assert (row.name, row.tags, row.notes) == ("After", ["b"], "two\nlines")
    assert row.state is S.STOPPED
    assert app.runs.config(run_id).name == "Before"


def test_a_deleted_run_is_removed_from_the_catalogue_and_the_disk(app: Application) -> None:
    run_id = create(app)
    app.runs.delete(run_id)
    with pytest.raises(RunNotFound):
        app.runs.get(run_id)
    assert not folder_of(app, run_id).path.exists()


def test_a_restored_run_is_unchanged(app: Application) -> None:
    run_id = start(app, steps=256)
    ended(app, run_id)
    app.runs.relabel(run_id, {"tags": ["kept"], "notes": "kept"})
    app.evaluations.create(run_id, episodes=1, seed=1, deterministic=True)
    evaluation_ended(app, run_id)
    before = {key: row for key, row in catalogue(app.database).items() if key.startswith(run_id)}
    assert len(before) == 2
    app.runs.delete(run_id)
    assert not [key for key in catalogue(app.database) if key.startswith(run_id)]
    assert app.runs.restore(run_id).sparkline == before[run_id]["sparkline"] != []
    assert {key: row for key, row in catalogue(app.database).items() if key.startswith(run_id)} == before
    assert app.runs.restore(run_id).id == run_id, "asking again changes nothing"
    app.runs.delete(run_id)


def differences(rebuilt: Rows, before: Rows) -> dict[str, dict[str, tuple[object, object]]]:
    """Return every changed field with both values, by id."""
    assert rebuilt.keys() == before.keys()
    return {
        key: {name: (rebuilt[key][name], was) for name, was in row.items() if rebuilt[key][name] != was}
        for key, row in before.items()
        if rebuilt[key] != row
    }


def test_a_catalogue_rebuilt_from_the_folders_equals_the_one_before(app: Application, tmp_path: Path) -> None:
    """Includes the runs of the tests above, at least one of them labelled, one stopped and one completed."""
    labelled, stopped = start(app, steps=256), start(app)
    ended(app, labelled)
    app.runs.relabel(labelled, {"name": "Labelled", "tags": ["x"], "notes": "n"})
    trains(app, stopped)
    app.runs.stop(stopped)
    ended(app, stopped)
    create(app, name="Never started")

    database = Database(tmp_path / "again.db")
    database.migrate()
    result = rebuild(database, app.settings.runs_dir)
    again, before = catalogue(database), catalogue(app.database)
    database.close()
    assert differences(again, before) == {}
    assert result == RebuildResult(len(before), 0, [])
    assert app.runs.list(RunQuery()).total == len(before) > 2


def test_every_run_leaves_a_tidy_folder(app: Application) -> None:
    for run_id in catalogue(app.database):
        assert leftovers(folder_of(app, run_id)) == []


def test_an_unreadable_folder_is_listed_as_damaged_and_left_unchanged(tmp_path: Path) -> None:
    with service(tmp_path, script=Script()) as app:
        good, bad, torn = (create(app) for _ in range(3))
        folder_of(app, bad).config_path.write_text("{")
        folder_of(app, torn).labels_path.write_text("[]")
        (tmp_path / "Not A Run").mkdir()
    for name in ("rlviz.db", "rlviz.db-wal", "rlviz.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)

    with service(tmp_path, script=Script()) as again:
        assert set(catalogue(again.database)) == {good, bad, torn}, "a new catalogue is filled from the folders"
        damaged = {run_id: [part["file"] for part in again.runs.get(run_id).damage] for run_id in (good, bad, torn)}
        assert damaged == {good: [], bad: ["config.json"], torn: ["labels.json"]}
    rebuilt = Application(again.settings)
    result = rebuilt.rebuild()
    rebuilt.database.close()
    assert (result.runs, result.evaluations) == (3, 0)
    assert [bad in problem or torn in problem for problem in result.unreadable] == [True, True]
    assert folder_of(again, bad).config_path.read_text() == "{"
