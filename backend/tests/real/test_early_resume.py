"""Resuming a run that is killed early, before or just after its first snapshot."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import NothingToResume
from rlviz.domain.events import EventKind, InterruptedData
from rlviz.domain.snapshots import Trigger
from rlviz.domain.status import RunStatus
from rlviz.learning.training.trainer import BEGINS_AGAIN
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import never_took_snapshot, snapshots_of
from rlviz.server.application import Application
from rlviz.server.supervisor.run_monitor import journal_ending
from tests.support.service import create, ended, folder_of, service
from tests.support.training import QUICK, column, curves, events, make_run, messages, rows, snapshots

HOURLY = snapshots(every_seconds=3_600)


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_the_first_update_is_followed_by_a_snapshot(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, snapshots=HOURLY)
    assert train_run(folder)
    first, *_, last = snapshots_of(folder)
    learned_from = {"ppo": 128, "dqn": 100}[algo]
    assert learned_from <= first.manifest.step <= learned_from + 4
    assert first.manifest.trigger is Trigger.PERIODIC
    assert (last.manifest.step, last.manifest.trigger) == (512, Trigger.FINISHED)


def test_a_run_with_only_a_step_interval_takes_its_first_snapshot_at_that_interval(tmp_path: Path) -> None:
    folder = make_run(tmp_path, snapshots=snapshots(every_steps=300))
    assert train_run(folder)
    assert [one.manifest.step for one in snapshots_of(folder)] == [384, 512]


def cut(whole: RunFolder, root: Path) -> RunFolder:
    """Return the run as a kill after two rollouts leaves it, without a snapshot."""
    folder = RunFolder(root, whole.run_id)
    folder.create(whole.read_config())
    lines = whole.metrics_path.read_bytes().splitlines(keepends=True)
    kept = [line for line, row in zip(lines, rows(whole), strict=True) if row["step"] <= 256]
    folder.metrics_path.write_bytes(b"".join(kept))
    folder.events_path.write_bytes(whole.events_path.read_bytes().splitlines(keepends=True)[0])
    journal_ending(folder, InterruptedData(attempt=1, cause="It was killed."))
    return folder


@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_without_a_snapshot_training_restarts_with_the_same_result(tmp_path: Path, algo: str) -> None:
    plan = snapshots(every_steps=1_000_000)
    whole = make_run(tmp_path / "whole", algo=algo, snapshots=plan)
    assert train_run(whole)
    folder = cut(whole, tmp_path / "cut")
    before = len(rows(folder))
    assert never_took_snapshot(folder, plan)
    folder.write_control(Control(desired=Desired.RUN, attempt=2))
    assert train_run(folder)
    assert messages(folder) == [BEGINS_AGAIN]
    [resumed] = events(folder, EventKind.RESUMED)
    assert resumed.data.verified > 0  # type: ignore[union-attr]
    assert events(folder, EventKind.DIVERGED) == []
    assert curves(folder) == curves(whole)
    assert len(rows(folder)) > before
    indices = [index for index in column(folder, "episode/index") if index is not None]
    assert indices == sorted(indices)


def test_the_service_resumes_only_a_run_that_was_cut_off_early(tmp_path: Path) -> None:
    with service(tmp_path) as app:
        run_id = create(app, steps=256, hyperparameters=QUICK["ppo"])
        interrupt(app, run_id)
        assert app.resuming.resume(run_id).attempt == 2
        assert ended(app, run_id).state is RunStatus.COMPLETED
        for snapshot in app.snapshots.list(run_id).snapshots:
            app.snapshots.delete(run_id, snapshot.name)
        with pytest.raises(NothingToResume, match="no complete snapshot"):
            app.resuming.resume(run_id, total_timesteps=512)


def interrupt(app: Application, run_id: str) -> None:
    """Leave the run as a kill before the first snapshot does."""
    app.runs.start(run_id)
    ended(app, run_id)
    folder = folder_of(app, run_id)
    for snapshot in snapshots_of(folder):
        snapshot.path.unlink()
    kept = [line for line in folder.events_path.read_bytes().splitlines(keepends=True) if b'"started"' in line]
    folder.events_path.write_bytes(b"".join(kept))
    journal_ending(folder, InterruptedData(attempt=1, cause="It was killed."))
    with app.database.write() as session:
        from rlviz.server.catalog.models import RunRow

        row = session.get(RunRow, run_id)
        assert row is not None
        row.status = RunStatus.INTERRUPTED.value
        session.add(row)
