"""Pausing, resuming and rolling back by the trainer, without a service."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import DivergedData, EventKind, PausedData, PausingData, ResumedData, RollbackData
from rlviz.domain.status import RunStatus
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired, SnapshotRequest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.metrics.service import CurveRequest, MetricsService
from tests.support.training import curves, events, kinds, make_run, rows, snapshots

TOTAL = 1_500


def run_of(root: Path, algo: str = "ppo", **plan: Any) -> RunFolder:
    total = TOTAL if algo != "q-learning" else 3 * TOTAL  # its rollouts are long
    return make_run(root, algo=algo, total_timesteps=total, snapshots=snapshots(**plan))


def ask_to_pause(callback: RunCallback) -> None:
    callback._pause.request()


def resume(folder: RunFolder, attempt: int = 2, **wishes: Any) -> None:
    name = wishes.pop("snapshot", snapshots_of(folder)[-1].name)
    folder.change_control(desired=Desired.RUN, attempt=attempt, resume_from=name, **wishes)
    assert train_run(folder)


def learned(folder: RunFolder) -> list[Any]:
    """Return the rows that contain more than rates, whose times depend on the clock."""
    return [row for row in curves(folder) if row[1]]


def only(folder: RunFolder, kind: EventKind) -> Any:
    [event] = events(folder, kind)
    return event.data


def with_rows_beyond(folder: RunFolder, root: Path, snapshot: str) -> RunFolder:
    """Copy an ended run as if its worker had died at the end with ``snapshot`` as its last snapshot."""
    copy = RunFolder(root, folder.run_id)
    shutil.copytree(folder.path.parent, root)
    for other in snapshots_of(copy):
        if other.name != snapshot:
            other.path.unlink()
    lines = copy.events_path.read_text().splitlines(keepends=True)
    copy.events_path.write_text("".join(line for line in lines if json.loads(line)["event"] == "started"))
    copy.model_path.unlink()
    return copy


def pause_and_resume(tmp_path: Path, at: Any, algo: str) -> None:
    uninterrupted, folder = run_of(tmp_path / "one", algo), run_of(tmp_path / "other", algo)
    assert train_run(uninterrupted)
    at(700, ask_to_pause)
    assert train_run(folder)
    paused = events(folder)[-1]
    assert isinstance(paused.data, PausedData)
    assert paused.step >= 700
    assert row_of_folder(folder).state is RunStatus.PAUSED
    resume(folder)
    assert learned(folder) == learned(uninterrupted)
    row = row_of_folder(folder)
    assert (row.state, row.attempt, row.superseded) == (RunStatus.COMPLETED, 2, [])
    assert row.resumed == {
        "snapshot": str(paused.step),
        "step": paused.step,
        "verified": 0,
        "left": 0,
        "diverged_at": None,
        "not_exact_because": None,
    }
    assert row.trained_before > 0
    assert row.core_seconds_before is not None
    assert row.core_seconds_before > 0


def test_a_resumed_run_continues_as_if_it_had_not_paused(tmp_path: Path, at: Any) -> None:
    pause_and_resume(tmp_path, at, "ppo")


def test_a_pause_within_a_rollout_says_where_it_saves_and_shows_no_row_before(tmp_path: Path, at: Any) -> None:
    folder, seen = run_of(tmp_path), list[int]()
    at(660, ask_to_pause)
    original = RunCallback._on_rollout_end

    def on_rollout_end(self: RunCallback) -> None:
        if self.num_timesteps > 660:
            self._journals.flush_if_due()
            seen.append(rows(folder)[-1]["step"])
        original(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunCallback, "_on_rollout_end", on_rollout_end)
        assert train_run(folder)
    assert seen
    assert max(seen) <= 660, "what was learned since is held back"
    pausing = only(folder, EventKind.PAUSING)
    assert pausing == PausingData(saves_at=768)
    assert [event.step for event in events(folder, EventKind.PAUSED)] == [768]
    assert rows(folder)[-1]["step"] == 768, "and is there once the run is paused"


def test_a_stop_ends_a_run_that_is_pausing(tmp_path: Path, at: Any) -> None:
    folder = run_of(tmp_path)

    def ask(callback: RunCallback) -> None:
        ask_to_pause(callback)
        callback._stop.set()

    at(660, ask)
    assert train_run(folder)
    assert kinds(folder)[-1] == "stopped"
    assert row_of_folder(folder).state is RunStatus.STOPPED


def test_a_pause_requested_before_training_starts_takes_effect_at_the_first_step(tmp_path: Path) -> None:
    uninterrupted, folder = run_of(tmp_path / "one"), run_of(tmp_path / "other")
    assert train_run(uninterrupted)
    folder.change_control(desired=Desired.PAUSE)
    assert train_run(folder)
    assert [(event.event, event.step) for event in events(folder)][-1] == ("paused", 0)
    resume(folder)
    assert learned(folder) == learned(uninterrupted)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A completed run with a snapshot before its end."""
    folder = run_of(tmp_path_factory.mktemp("ended") / "runs", every_steps=400, keep=10)
    assert train_run(folder)
    return folder


def test_rows_after_the_snapshot_are_recomputed_and_verified_as_identical(ended: RunFolder, tmp_path: Path) -> None:
    first = snapshots_of(ended)[0]
    folder = with_rows_beyond(ended, tmp_path / "runs", first.name)
    before = folder.metrics_path.read_bytes()
    resume(folder)
    resumed = only(folder, EventKind.RESUMED)
    compared = [
        row for row in rows(ended)[first.manifest.last_row :] if any("time/" not in name for name in row["values"])
    ]
    assert resumed == ResumedData(snapshot=first.name, verified=len(compared))
    assert folder.metrics_path.read_bytes() == before, "no row is written twice"
    assert row_of_folder(folder).resumed["verified"] == len(compared)


def test_rows_of_the_newest_attempt_count_after_a_diverging_resume(ended: RunFolder, tmp_path: Path) -> None:
    first = snapshots_of(ended)[0]
    folder = with_rows_beyond(ended, tmp_path / "runs", first.name)
    lines = [json.loads(line) for line in folder.metrics_path.read_text().splitlines()]
    beyond = range(first.manifest.last_row + 20, len(lines))
    place = next(index for index in beyond if "episode/reward" in lines[index]["values"])
    lines[place]["values"]["episode/reward"] += 1.0
    folder.metrics_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    resume(folder)
    diverged = only(folder, EventKind.DIVERGED)
    assert isinstance(diverged, DivergedData)
    assert diverged.metric == "episode/reward"
    assert diverged.recorded == pytest.approx((diverged.computed or 0.0) + 1.0)
    assert (diverged.superseded.first, diverged.superseded.last) == (lines[place]["seq"], lines[-1]["seq"])
    row = row_of_folder(folder)
    assert (row.episodes, row.sparkline) == (row_of_folder(ended).episodes, row_of_folder(ended).sparkline)
    shown = MetricsService().curves(folder, ["episode/reward"], CurveRequest(10_000)).curves["episode/reward"]
    right = MetricsService().curves(ended, ["episode/reward"], CurveRequest(10_000)).curves["episode/reward"]
    assert (shown.x, shown.y) == (right.x, right.y)
    tail = MetricsService().tail(folder, 10_000).lines
    assert [line.record["step"] for line in tail if line.record] == [row["step"] for row in rows(ended)]


def test_a_snapshot_taken_during_recomputation_continues_from_its_current_row(
    ended: RunFolder, tmp_path: Path, at: Any
) -> None:
    first = snapshots_of(ended)[0]
    folder = with_rows_beyond(ended, tmp_path / "runs", first.name)
    before = folder.metrics_path.read_bytes()
    at(first.manifest.step + 300, ask_to_pause)
    resume(folder)
    assert kinds(folder)[-1] == "paused"
    partly = events(folder, EventKind.RESUMED)[0].data
    assert isinstance(partly, ResumedData)
    assert partly.verified > 0
    assert partly.left > 0
    resume(folder, attempt=3)
    assert folder.metrics_path.read_bytes() == before
    wholly = events(folder, EventKind.RESUMED)[1].data
    assert isinstance(wholly, ResumedData)
    assert (wholly.verified, wholly.left) == (partly.left, 0)


def test_rows_discarded_by_a_rollback_stay_in_the_journal_and_in_no_figure(ended: RunFolder, tmp_path: Path) -> None:
    first = snapshots_of(ended)[0]
    folder = RunFolder(tmp_path / "runs", ended.run_id)
    shutil.copytree(ended.path.parent, tmp_path / "runs")
    written = len(rows(folder))
    resume(folder, snapshot=first.name, rollback=True)
    rollback = only(folder, EventKind.ROLLBACK)
    assert isinstance(rollback, RollbackData)
    assert (rollback.superseded.first, rollback.superseded.last) == (first.manifest.last_row + 1, written)
    assert len(rows(folder)) == 2 * written - first.manifest.last_row
    was, now = row_of_folder(ended), row_of_folder(folder)
    assert (now.step, now.episodes, now.sparkline) == (was.step, was.episodes, was.sparkline)
    assert now.best_moving_average == was.best_moving_average
    assert {path.name for path in (folder.path / "behind" / "2").rglob("*.zip")} >= {"step_1536.zip"}


def test_a_requested_snapshot_has_its_name_and_message(tmp_path: Path, at: Any) -> None:
    folder = run_of(tmp_path)
    folder.change_control(snapshot_requests=(SnapshotRequest(number=1, name="before-the-change", message="Keep it."),))
    assert train_run(folder)
    found = {one.name: one.manifest for one in snapshots_of(folder)}
    assert found["before-the-change"].message == "Keep it."
