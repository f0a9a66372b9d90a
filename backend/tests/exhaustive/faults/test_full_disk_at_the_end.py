"""Exit of the app on a disk that filled up during training."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.files import RESERVE, Reserve
from tests.support.faults import fill, train
from tests.support.service_process import serving
from tests.support.training import events
from tests.support.waiting import eventually


@pytest.mark.parametrize("has_reserve", [True, False])
def test_runs_that_train_when_the_app_exits_on_a_full_disk_are_paused(small_disk: Path, has_reserve: bool) -> None:
    """Without the reserve, which another program may have used up, they are paused at an older snapshot."""
    with serving(small_disk, min_free_disk="0", on_exit="pause") as service:
        run_id = train(service, snapshots={"every_steps": 100})
        folder = service.folder(run_id)
        eventually(lambda: EventKind.SNAPSHOT in [event.event for event in events(folder)], "a snapshot")
        assert (service.runs_dir / RESERVE).exists()
        if not has_reserve:
            Reserve(service.runs_dir).release()
        filler = fill(small_disk)
        assert service.stop(signal.SIGTERM) == 0
    assert events(folder)[-1].event == EventKind.PAUSED
    filler.unlink()
    with serving(small_disk, min_free_disk="0", on_exit="stop") as service:
        assert service.wait_for_status(run_id, "running", "paused")["cause"] is None
        assert "Traceback" not in service.log
