"""What runs out: the disk, the catalogue's lock, and what the service itself may keep."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.faults.support import SOAK, Figures, times, train, whole_files, worker_of
from tests.support.http import LiveRun, Service, assert_problem, serving, wait_for
from tests.support.training import rows

LONG = 300.0
"""Seconds in which a worker has begun, however busy the machine."""

pytestmark = [pytest.mark.faults, pytest.mark.timeout(14_400)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 8 MB, with a runs folder on it."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(tmp_path)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """No byte is free within the block."""
    filler = fill(disk)
    yield
    filler.unlink()


def over(evaluation: dict[str, Any]) -> dict[str, Any] | None:
    return evaluation if evaluation["status"] in ("failed", "completed") else None


def fill(disk: Path, *, leave: int = 0) -> Path:
    """Leave no more than so many bytes free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while shutil.disk_usage(disk).free > leave and file.write(b"\0" * 4_096):
            pass
    return filler


def test_a_full_disk_stops_nobody_and_nothing_that_waited_for_room_is_lost(small_disk: Path) -> None:
    run = LiveRun(small_disk / "runs", "alive")
    try:
        with serving(small_disk, min_free_disk="0") as service:
            filler = fill(small_disk)
            for _ in range(50):
                with suppress(OSError):
                    run.metrics.append({"step": 1, "values": {"episode/reward": 1.0}})
                    run.metrics.flush()
            assert service.get("/health")["free_disk_bytes"] == 0
            assert service.get("/runs/alive")["status"] == "running"
            for method, path, body in (
                ("POST", "/runs", {"algo": "ppo"}),
                ("PATCH", "/runs/alive", {"notes": "x" * 9_000}),
                ("POST", "/runs/alive/stop", None),
            ):
                problem = assert_problem(answer := service.api(method, path, json=body), answer.status_code)
                assert problem["status"] in (503, 507), problem
            filler.unlink()
            run.row()
            wait_for(lambda: service.get("/runs/alive/metrics/rows?tail=1")["rows"][-1]["seq"] == 51, "every row")
            assert service.api("POST", "/runs", json={"algo": "ppo"}).status_code == 201
            assert "Traceback" not in service.log
    finally:
        run.close()


def test_a_full_disk_in_training_is_waited_for_and_in_filming_and_saving_named(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service)
        folder, worker = service.folder(run_id), worker_of(service, run_id)
        with filled(small_disk):
            at = rows(folder)[-1]["seq"]
            spent = worker.cpu_times().user
            wait_for(lambda: worker.cpu_times().user > spent + 0.2, "some training, which waits to be written", LONG)
        wait_for(lambda: rows(folder)[-1]["seq"] > at, "training to be written again", LONG)

        assert service.api("POST", f"/runs/{run_id}/evaluations", json={"episodes": 100}).status_code == 202
        half = ".*.mp4.*"
        wait_for(lambda: list(folder.evaluations.glob(half)), "the first frames", LONG)
        with filled(small_disk):
            wait_for(lambda: not list(folder.evaluations.glob(half)), "the half video to be given up", LONG)
            assert worker.is_running()
        evaluation = wait_for(lambda: over(service.get(f"/runs/{run_id}/evaluations/latest")), "its end", LONG)
        assert evaluation["status"] == "failed"
        assert re.search("No space left|disk was full", evaluation["cause"]), evaluation["cause"]
        assert not list(folder.evaluations.glob("*.mp4"))

        with filled(small_disk):
            worker.terminate()
            psutil.wait_procs([worker], LONG)
            assert service.get(f"/runs/{run_id}")["id"] == run_id
        run = service.wait_for_status(run_id, "failed", "interrupted")
        assert re.search("disk (is|was) full", run["cause"]), run["cause"]
        assert not folder.model_path.exists()
        wait_for(lambda: not list(folder.path.rglob("*.tmp")), "what was half-written to be swept away")
        whole_files(folder)
        assert "Traceback" not in service.log


def test_a_run_whose_turn_comes_on_a_full_disk_keeps_its_place_and_says_what_it_waits_for(small_disk: Path) -> None:
    run = LiveRun(small_disk / "runs", "alive")
    try:
        with serving(small_disk, min_free_disk="3MB", max_concurrent_runs="1") as service:
            waits = service.create(start=True)
            filler = fill(small_disk, leave=2_000_000)
            run.finish()
            cause = wait_for(lambda: service.get(f"/runs/{waits['id']}")["cause"], "the reason")
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


def test_a_catalogue_that_another_program_locks_is_told_and_waited_for(tmp_path: Path) -> None:
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


def test_clients_that_vanish_and_runs_that_are_deleted_leave_nothing_behind(tmp_path: Path, figures: Figures) -> None:
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
                wait_for(lambda run_id=run_id: service.api("DELETE", f"/runs/{run_id}").status_code == 204, "deletion")
            wait_for(lambda: process.num_fds() <= handles + 3, "handles to be given back")
            assert process.num_threads() <= threads + 45, "the thread pool has an end"
            grown = (process.memory_info().rss - memory) / 1e6
            figures.add("memory grown over all runs and clients", grown, "MB", at_most=60)
            figures.add("handles grown over all runs and clients", process.num_fds() - handles, "", at_most=3)
    finally:
        run.close()


def _come_and_go(service: Service, run: LiveRun, count: int) -> None:
    """Clients that open a stream, read a little, and are gone without a word."""
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall(b"GET /api/runs/alive/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert client.recv(1_000)
        run.row()


def _settled(process: psutil.Process) -> int:
    """The number of open handles, once it stays the same for a while."""
    before = -1
    while (now := process.num_fds()) != before:
        before = now
        time.sleep(2)
    return now
