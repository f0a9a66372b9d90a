"""A fork starts at its step although its worker is killed, also while it replays the parent."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.exhaustive.faults.test_pausing import ENDED, resume
from tests.support.faults import SOAK, Figures, children, steps_of, take_snapshot, times, train, whole_files
from tests.support.service_process import Service, serving
from tests.support.training import curves
from tests.support.waiting import eventually
from tests.support.workers import title_of

pytestmark = pytest.mark.faults

REDONE = 6_000 if SOAK else 4_000
"""Steps that a worker of a fork trains again: some seconds, or two."""

COMPARED = None if SOAK else 40
"""Rows of its parent's, at most, that a fork has to write too; None: all that the parent has."""


def trainer_of(service: Service, run_id: str) -> psutil.Process | None:
    """Return the process that has the files of the run open; it may not have started to train."""
    folder = str(service.folder(run_id).path)
    for child in children(service):
        with suppress(psutil.Error):
            if "rlviz.worker" in title_of(child) and any(one.path.startswith(folder) for one in child.open_files()):
                return child
    return None


def test_a_worker_killed_while_it_starts_a_fork_leaves_a_fork_that_starts_correctly(
    tmp_path: Path, figures: Figures
) -> None:
    with serving(tmp_path) as service:
        run_id = train(service)
        parent = service.folder(run_id)
        step = take_snapshot(service, run_id, "mine").step + REDONE
        eventually(lambda: steps_of(service, run_id) > step + 500, f"step {step}", 300)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        for number in range(times(1, 100)):
            fork = service.api("POST", f"/runs/{run_id}/fork", json={"step": step, "start": True}).json()
            child, begin = str(fork["id"]), int(fork["parent"]["step"])
            assert begin == -(-step // 128) * 128
            worker = eventually(lambda child=child: trainer_of(service, child), "a worker")
            time.sleep(random.Random(number).uniform(0, REDONE / 2_000))
            worker.kill()
            killed = time.monotonic()
            eventually(lambda child=child: service.get(f"/runs/{child}")["status"] in ENDED, "the true status")
            figures.add("worker of a fork killed: correct status", time.monotonic() - killed, "s", at_most=10)
            assert resume(service, child)["warnings"] == 0
            expected = [row for row in curves(parent) if row[0] > begin][:COMPARED]
            folder = service.folder(child)
            eventually(lambda folder=folder, expected=expected: len(curves(folder)) > len(expected), "its rows", 300)
            service.api("POST", f"/runs/{child}/pause", json={})
            service.wait_for_status(child, "paused")
            assert curves(folder)[: len(expected)] == expected
            whole_files(folder)
            assert not folder.parent.exists()
        assert "Traceback" not in service.log
