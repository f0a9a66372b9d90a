"""A queued run on a full disk. It is exhaustive because it waits for several checks of the supervisor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.faults import fill
from tests.support.run_folders import LiveRun
from tests.support.service_process import serving
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults


def test_a_queued_run_keeps_its_place_on_a_full_disk_and_says_what_it_waits_for(small_disk: Path) -> None:
    run = LiveRun(small_disk / "runs", "alive")
    try:
        with serving(small_disk, min_free_disk="3MB", max_concurrent_runs="1") as service:
            waits = service.create(start=True)
            filler = fill(small_disk, leave=2_000_000)
            run.finish()
            cause = eventually(lambda: service.get(f"/runs/{waits['id']}")["cause"], "the reason")
            assert "RLVIZ_MIN_FREE_DISK" in cause
            held = service.get(f"/runs/{waits['id']}")
            assert (held["status"], held["queue_position"], held["started_at"]) == ("queued", 1, None)
            filler.unlink()
            assert service.wait_for_status(waits["id"], "running")["cause"] is None
            service.api("POST", f"/runs/{waits['id']}/stop")
            service.wait_for_status(waits["id"], "stopped")
            assert service.folder(waits["id"]).model_path.is_file()
    finally:
        run.close()
