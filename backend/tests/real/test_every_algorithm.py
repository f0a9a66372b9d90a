"""Every algorithm trains, pauses and resumes exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind, PausedData
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.training.callback import RunCallback
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Desired
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.training import curves, events, make_run, snapshots

STEPS = {"q-learning": 2_500}
"""Environment steps where 600 are less than two rollouts."""


@pytest.mark.parametrize("algo", ALGORITHMS.names())
def test_a_paused_run_resumes_exactly(algo: str, tmp_path: Path, at: Any) -> None:
    total = STEPS.get(algo, 600)
    settings = {"algo": algo, "total_timesteps": total, "snapshots": snapshots()}
    uninterrupted, folder = (make_run(tmp_path / name, **settings) for name in ("one", "other"))
    assert train_run(uninterrupted)

    def pause(callback: RunCallback) -> None:
        callback._pause.request()

    at(total // 3, pause)
    assert train_run(folder)
    [paused] = events(folder, EventKind.PAUSED)
    assert isinstance(paused.data, PausedData)
    assert total // 3 <= paused.step < total
    folder.change_control(desired=Desired.RUN, attempt=2, resume_from=snapshots_of(folder)[-1].name)
    assert train_run(folder)
    assert row_of_folder(folder).state is RunStatus.COMPLETED
    assert len(curves(folder)) > 3
    assert curves(folder) == curves(uninterrupted)
