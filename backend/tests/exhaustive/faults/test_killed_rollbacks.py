"""Rollbacks whose worker is killed or whose disk is full."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.metric_rows import superseded_rows
from tests.exhaustive.faults.test_pausing import ENDED, newest_worker, resume
from tests.support.faults import Figures, fill, filled, take_snapshot, times, train, whole_files
from tests.support.service_process import Service, serving
from tests.support.training import events, rows
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults


@pytest.mark.parametrize(("algo", "few"), [("ppo", 2), ("sac", 1)])
def test_a_worker_killed_during_a_rollback_leaves_a_run_that_continues(
    tmp_path: Path, figures: Figures, algo: str, few: int
) -> None:
    with serving(tmp_path) as service:
        run_id = train(service, algo)
        take_snapshot(service, run_id, "mine")
        folder = service.folder(run_id)
        for number in range(times(few, 100)):
            answer = service.api("POST", f"/runs/{run_id}/rollback", json={"snapshot": "mine"})
            assert answer.status_code == 202
            time.sleep(random.Random(number).uniform(0, 0.1))
            with suppress(psutil.NoSuchProcess):
                newest_worker(service, run_id).kill()
            begin = time.monotonic()
            eventually(lambda: service.get(f"/runs/{run_id}")["status"] in ENDED, "the true status")
            figures.add("worker killed during a rollback: correct status", time.monotonic() - begin, "s", at_most=10)
            run = resume(service, run_id)
            assert run["resumed"]["diverged_at"] is None
            assert run["warnings"] == 0
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        left_out = superseded_rows(folder)
        found = rows(folder)
        assert [row["seq"] for row in found] == list(range(1, len(found) + 1))
        counted = [row["values"].get("episode/index") for row in found if row["seq"] not in left_out]
        episodes = [index for index in counted if index is not None]
        assert episodes == list(range(1, len(episodes) + 1))
        whole_files(folder)
        assert "Traceback" not in service.log


def asked_with_little_room(service: Service, run_id: str, disk: Path) -> Path | None:
    """Fill the disk and request a rollback: the free space suffices for the request, but rows of training may use it
    first.
    """
    filler = fill(disk, leave=8_192)
    if service.api("POST", f"/runs/{run_id}/rollback", json={"snapshot": "mine"}).status_code == 202:
        return filler
    filler.unlink()
    return None


def test_a_rollback_completes_although_its_worker_finds_the_disk_full(small_disk: Path) -> None:
    """Its events wait for space, as all rows do."""
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service)
        folder = service.folder(run_id)
        take_snapshot(service, run_id, "mine")
        filler = eventually(lambda: asked_with_little_room(service, run_id, small_disk), "a request that found room")
        time.sleep(1.0)
        filler.unlink()
        eventually(lambda: events(folder, EventKind.ROLLBACK) or is_over(service, run_id), "what became of it", 300)
        if is_over(service, run_id):
            resume(service, run_id)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        assert resume(service, run_id)["resumed"]["diverged_at"] is None


def is_over(service: Service, run_id: str) -> bool:
    return service.get(f"/runs/{run_id}")["status"] in ("failed", *ENDED)


def test_a_full_disk_refuses_a_pause_and_a_rollback_and_training_continues(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service)
        folder = service.folder(run_id)
        take_snapshot(service, run_id, "mine")
        with filled(small_disk):
            for wish, body in (("pause", {}), ("rollback", {"snapshot": "mine"})):
                answer = service.api("POST", f"/runs/{run_id}/{wish}", json=body)
                assert answer.status_code == 507, answer.text
            assert service.get(f"/runs/{run_id}")["status"] == "running"
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        assert resume(service, run_id)["resumed"]["diverged_at"] is None
        assert events(folder, EventKind.ROLLBACK) == []
