"""Late pauses, and training beyond the end of a completed run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from rlviz.domain.events import EventKind, StartedData
from rlviz.domain.status import RunStatus
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.real.test_pausing import TOTAL, ask_to_pause, ended, learned, resume, run_of
from tests.support.training import events, make_run, rows, snapshots

__all__ = ["ended"]


def test_a_late_pause_leaves_a_last_snapshot_that_covers_all_rows(tmp_path: Path, at: Any) -> None:
    folder = run_of(tmp_path, every_steps=500)
    at(TOTAL - 50, ask_to_pause)
    assert train_run(folder)
    assert row_of_folder(folder).state is RunStatus.COMPLETED
    assert snapshots_of(folder)[-1].manifest.last_row == len(rows(folder))
    resume(folder, total_timesteps=2 * TOTAL)
    assert events(folder, EventKind.DIVERGED) == []
    assert row_of_folder(folder).superseded == []


def test_a_completed_run_continues_with_more_timesteps(ended: RunFolder, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs", ended.run_id)
    shutil.copytree(ended.path.parent, tmp_path / "runs")
    longer = make_run(tmp_path / "longer", total_timesteps=2_000, snapshots=snapshots())
    assert train_run(longer)
    resume(folder, total_timesteps=2_000)
    row = row_of_folder(folder)
    assert (row.state, row.total_timesteps, row.step) == (RunStatus.COMPLETED, 2_000, row_of_folder(longer).step)
    started = events(folder, EventKind.STARTED)[-1].data
    assert isinstance(started, StartedData)
    assert (started.snapshot, started.total_timesteps) == ("1536", 2_000)
    assert learned(folder) == learned(longer)
