"""A locked catalogue, and resource leaks of the service."""

from __future__ import annotations

import socket
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.support.faults import SOAK, Figures, times, train
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults


def test_a_catalogue_locked_by_another_program_is_reported_and_waited_for(tmp_path: Path) -> None:
    run = LiveRun(tmp_path / "runs", "alive")
    try:
        with serving(tmp_path) as service, closing(sqlite3.connect(tmp_path / "runs" / "rlviz.db")) as intruder:
            intruder.execute("BEGIN IMMEDIATE")
            seq = run.row()
            assert_problem(service.api("PATCH", "/runs/alive", json={"notes": "x"}), 503)
            assert service.get("/runs/alive/metrics/rows?tail=1")["rows"][-1]["seq"] == seq
            assert service.get("/runs/alive")["status"] == "running"
            run.finish()
            intruder.rollback()
            service.wait_for_status("alive", "completed")
            assert service.api("PATCH", "/runs/alive", json={"notes": "x"}).status_code == 200
            assert "Traceback" not in service.log
    finally:
        run.close()


def test_disconnected_clients_and_deleted_runs_leak_no_resources(tmp_path: Path, figures: Figures) -> None:
    run = LiveRun(tmp_path / "runs", "alive")
    try:
        with serving(tmp_path, trash_days="0") as service:
            process = psutil.Process(service.process.pid)
            _come_and_go(service, run, 5)
            handles, threads, memory = _settled(process), process.num_threads(), process.memory_info().rss
            _come_and_go(service, run, times(15, 200))
            for _ in range(times(10, 500)):
                run_id = train(service) if SOAK else service.create()["id"]
                if SOAK:
                    service.api("POST", f"/runs/{run_id}/stop")
                    service.wait_for_status(run_id, "stopped")
                eventually(
                    lambda run_id=run_id: service.api("DELETE", f"/runs/{run_id}").status_code == 204, "deletion"
                )
            eventually(lambda: process.num_fds() <= handles + 3, "handles to be given back")
            assert process.num_threads() <= threads + 45, "the thread pool has an end"
            grown = (process.memory_info().rss - memory) / 1e6
            figures.add("memory grown over all runs and clients", grown, "MB", at_most=60)
            figures.add("handles grown over all runs and clients", process.num_fds() - handles, "", at_most=3)
    finally:
        run.close()


def _come_and_go(service: Service, run: LiveRun, count: int) -> None:
    """Open streams as clients that read a little and disconnect silently."""
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall(b"GET /api/runs/alive/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert client.recv(1_000)
        run.row()


def _settled(process: psutil.Process) -> int:
    """Return the number of open handles once it is stable."""
    before = -1
    while (now := process.num_fds()) != before:
        before = now
        time.sleep(2)
    return now
