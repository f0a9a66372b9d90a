"""Workers killed at random moments."""

from __future__ import annotations

import random
import signal
import time

import pytest

from tests.real.test_kills import other, service
from tests.support.faults import Figures, times, train, whole_files, worker_of
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service
from tests.support.training import rows
from tests.support.waiting import eventually

__all__ = ["other", "service"]

pytestmark = pytest.mark.faults


KILLS = [
    (signal.SIGKILL, "interrupted", "killed by signal 9 (SIGKILL)"),
    (signal.SIGSEGV, "interrupted", "crashed in native code"),
    (signal.SIGTERM, "stopped", "Another program ended the worker"),
]


@pytest.mark.parametrize("number", range(times(3, 100)))
def test_a_worker_killed_at_a_random_moment_is_reported_with_its_cause(
    service: Service, other: LiveRun, figures: Figures, number: int
) -> None:
    kind, status, cause = KILLS[number % len(KILLS)]
    run_id = train(service)
    worker = worker_of(service, run_id)
    time.sleep(random.Random(number).uniform(0, 1.5))
    worker.send_signal(kind)
    killed_at, begin = time.time(), time.monotonic()
    run = service.wait_for_status(run_id, status)
    figures.add("worker ended: correct status and cause", time.monotonic() - begin, "s", at_most=10)
    assert cause in run["cause"]
    folder = service.folder(run_id)
    eventually(lambda: not list(folder.path.rglob("*.tmp")), "what was half-written to be swept away")
    whole_files(folder)
    if kind is signal.SIGKILL:
        lost = max(0.0, killed_at - rows(folder)[-1]["time"])
        figures.add("worker killed: rows lost", lost, "s", at_most=0.5)
    seq = other.row()
    eventually(
        lambda: service.get("/runs/other/metrics/rows?tail=1")["rows"][-1]["seq"] == seq, "the other run to go on"
    )
