"""Snapshots taken while workers are killed and disks are full."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.snapshots import snapshots_of
from tests.exhaustive.faults.test_pausing import ENDED, newest_worker, resume
from tests.support.faults import Figures, filled, steps_of, times, train, whole_files
from tests.support.service_process import Service, serving
from tests.support.training import events, messages
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults

LONG = 300.0


def take(service: Service, run_id: str, name: str) -> None:
    assert service.api("POST", f"/runs/{run_id}/snapshots", json={"name": name}).status_code == 202


def verified(service: Service, run_id: str, name: str) -> None:
    """Verify the snapshot in a separate process that restores it and compares every part."""
    path = f"/runs/{run_id}/snapshots/{name}/verify"
    assert service.api("POST", path).status_code == 202
    found = eventually(lambda: (one := service.get(path))["status"] != "running" and one, "the verification", LONG)
    assert (found["status"], found["identical"]) == ("completed", True), found


def test_a_worker_killed_while_taking_snapshots_leaves_only_complete_snapshots(
    tmp_path: Path, figures: Figures
) -> None:
    """Uses SAC, whose replay buffer is stored in files beside the snapshots."""
    with serving(tmp_path) as service:
        run_id = train(service, "sac")
        folder = service.folder(run_id)
        take(service, run_id, "first")
        eventually(lambda: events(folder, EventKind.SNAPSHOT), "a snapshot", LONG)
        for number in range(kills := times(2, 100)):
            take(service, run_id, f"number-{number}")
            time.sleep(random.Random(number).uniform(0, 0.3))
            with suppress(psutil.NoSuchProcess):
                newest_worker(service, run_id).kill()
            begin = time.monotonic()
            eventually(lambda: service.get(f"/runs/{run_id}")["status"] in ENDED, "the true status")
            figures.add(
                "worker killed as it takes a snapshot: correct status", time.monotonic() - begin, "s", at_most=10
            )
            assert all(one.is_whole for one in snapshots_of(folder))
            assert resume(service, run_id)["resumed"]["diverged_at"] is None
            for one in snapshots_of(folder)[1:-1]:
                service.api("DELETE", f"/runs/{run_id}/snapshots/{one.name}")  # refused while it trains
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        asked = {"first", *(f"number-{number}" for number in range(kills))}
        assert asked <= {one.name for one in snapshots_of(folder)}, "each one that was asked for was taken in the end"
        for one in snapshots_of(folder)[-2:]:
            verified(service, run_id, one.name)
        whole_files(folder)
        assert "Traceback" not in service.log


def test_a_snapshot_that_fails_on_a_full_disk_is_a_warning_and_the_next_one_is_complete(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service)
        folder = service.folder(run_id)
        take(service, run_id, "no-room")
        with filled(small_disk):
            time.sleep(1.0)
        eventually(lambda: messages(folder) or events(folder, EventKind.SNAPSHOT), "what became of it", LONG)
        step = steps_of(service, run_id)
        eventually(lambda: steps_of(service, run_id) > step, "training to go on", LONG)
        take(service, run_id, "room")
        eventually(lambda: "room" in [one.name for one in snapshots_of(folder)], "a snapshot", LONG)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        verified(service, run_id, "room")
        whole_files(folder)


def once_its_worker_has_ended(service: Service, path: str, body: dict[str, Any]) -> httpx.Response:
    """Return the response to a request that is refused while the worker of a paused run is exiting."""

    def asked() -> httpx.Response | None:
        answer = service.api("POST", path, json=body)
        return None if answer.status_code == 409 else answer

    return eventually(asked, "the end of the worker", LONG)


def test_a_full_disk_prevents_resuming_and_forking_until_there_is_room(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service)
        folder = service.folder(run_id)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        before = {path.name for path in folder.path.parent.iterdir()}
        with filled(small_disk):
            for path, body in (("resume", {}), ("fork", {"step": steps_of(service, run_id), "start": True})):
                answer = once_its_worker_has_ended(service, f"/runs/{run_id}/{path}", body)
                assert answer.status_code in (503, 507), answer.text
            assert service.get(f"/runs/{run_id}")["status"] == "paused"
            assert {path.name for path in folder.path.parent.iterdir()} == before, "no folder is left half-made"
        assert resume(service, run_id)["resumed"]["diverged_at"] is None
        fork = service.api("POST", f"/runs/{run_id}/fork", json={"step": steps_of(service, run_id), "start": True})
        assert fork.status_code == 201, fork.text
        child = str(fork.json()["id"])
        eventually(lambda: service.get(f"/runs/{child}")["status"] == "running", "the fork to train", LONG)
