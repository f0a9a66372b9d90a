"""The app exits in time despite endless rollouts. It is exhaustive because it waits for them."""

from __future__ import annotations

import signal
from pathlib import Path

from rlviz.domain.events import EventKind
from tests.real.test_pause_deadline import ENDLESS_ROLLOUT
from tests.support.faults import train
from tests.support.service_process import serving
from tests.support.training import events
from tests.support.waiting import eventually


def test_the_app_exits_with_paused_runs_despite_endless_rollouts(tmp_path: Path) -> None:
    with serving(tmp_path, on_exit="pause") as service:
        run_id = train(service, hyperparameters=ENDLESS_ROLLOUT, total_timesteps=10_000_000)
        folder = service.folder(run_id)
        assert service.stop(signal.SIGTERM) == 0
        assert events(folder)[-1].event == EventKind.PAUSED, service.log
        assert "still running and continue" not in service.log
    with serving(tmp_path, on_exit="stop") as service:
        eventually(lambda: service.get(f"/runs/{run_id}")["attempt"] == 2, "the second attempt")
        service.wait_for_status(run_id, "running")
