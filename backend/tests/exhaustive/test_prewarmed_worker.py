"""Prewarmed workers, for systems without fork: start, use, replacement and exit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rlviz.launchers.base import Exit, Train
from rlviz.launchers.process import (
    IMPORT_SECONDS,
    PREWARMED,
    RESPAWN_SECONDS,
    FirstWorker,
    PrewarmedWorkers,
    ProcessLauncher,
)
from tests.support.journals import Clock
from tests.support.service import service
from tests.support.training import column, kinds, make_run
from tests.support.waiting import eventually
from tests.support.workers import is_running, pid_of, put_down, worker_processes

SERVICE = """
import json, sys, time
from pathlib import Path
from rlviz.launchers.base import Train
from rlviz.launchers.process import PrewarmedWorkers
from rlviz.launchers.process import ProcessLauncher
from rlviz.rundir.folder import RunFolder

source = PrewarmedWorkers()
launcher = ProcessLauncher(source=source)
launcher.maintain()
worker = launcher.launch(RunFolder.at(Path(sys.argv[1])), Train())
source._respawn_at = 0
launcher.maintain()
print(json.dumps([source._prewarmed[0].pid, worker.identity]), flush=True)
time.sleep(600)
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def launcher(clock: Clock) -> Iterator[ProcessLauncher]:
    launcher = ProcessLauncher(source=PrewarmedWorkers(monotonic=clock))
    yield launcher
    launcher.close()
    assert worker_processes() == []


def test_two_workers_are_prewarmed_and_the_second_starts_after_the_first_has_imported(
    launcher: ProcessLauncher, clock: Clock
) -> None:
    assert worker_processes() == []
    launcher.maintain()
    [first] = worker_processes()
    launcher.maintain()
    assert worker_processes() == [first]
    for _ in range(3):
        clock.now += IMPORT_SECONDS
        launcher.maintain()
    assert len(worker_processes()) == PREWARMED == 2


def test_a_run_and_a_session_started_with_it_both_get_a_prewarmed_worker(
    launcher: ProcessLauncher, clock: Clock, tmp_path: Path
) -> None:
    launcher.maintain()
    clock.now += IMPORT_SECONDS
    launcher.maintain()
    prewarmed = set(worker_processes())
    workers = [launcher.launch(make_run(tmp_path, name), Train()) for name in ("run", "watched")]
    assert {pid_of(worker.identity) for worker in workers} == prewarmed
    for worker in workers:
        put_down(worker)


def test_a_service_configured_without_prewarming_prewarms_no_worker(tmp_path: Path) -> None:
    with service(tmp_path, warm_worker=False) as application:
        application.launcher.maintain()
        assert worker_processes() == []


def test_the_next_launch_uses_the_prewarmed_worker_and_its_replacement_starts_after_a_delay(
    launcher: ProcessLauncher, clock: Clock, tmp_path: Path
) -> None:
    launcher.maintain()
    [prewarmed] = worker_processes()
    folder = make_run(tmp_path)
    worker = launcher.launch(folder, Train())
    assert pid_of(worker.identity) == prewarmed
    launcher.maintain()
    assert worker_processes() == [prewarmed], "its imports would compete with the first steps of the run"
    clock.now += RESPAWN_SECONDS
    launcher.maintain()
    assert set(worker_processes()) > {prewarmed}
    assert eventually(worker.poll) == Exit(0)
    assert kinds(folder) == ["started", "finished"]


def test_a_prewarmed_worker_that_died_is_replaced(launcher: ProcessLauncher, clock: Clock) -> None:
    launcher.maintain()
    [prewarmed] = worker_processes()
    psutil.Process(prewarmed).kill()
    eventually(lambda: not is_running(prewarmed))
    launcher.maintain()
    assert worker_processes() == [], "one that dies at once is not started again at once"
    clock.now += RESPAWN_SECONDS
    launcher.maintain()
    [second] = worker_processes()
    assert second != prewarmed


def test_a_launch_starts_a_cold_worker_if_the_prewarmed_one_died(launcher: ProcessLauncher, tmp_path: Path) -> None:
    launcher.maintain()
    [prewarmed] = worker_processes()
    psutil.Process(prewarmed).kill()
    eventually(lambda: not is_running(prewarmed))
    worker = launcher.launch(make_run(tmp_path), Train())
    assert pid_of(worker.identity) != prewarmed
    put_down(worker)


def test_close_ends_the_prewarmed_worker_and_starts_no_other(launcher: ProcessLauncher, clock: Clock) -> None:
    launcher.maintain()
    launcher.close()
    clock.now += 60
    launcher.maintain()
    assert worker_processes() == []


def test_when_the_service_is_killed_its_prewarmed_worker_exits_and_its_training_worker_continues(
    tmp_path: Path,
) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    with subprocess.Popen([sys.executable, "-c", SERVICE, str(folder.path)], stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        prewarmed, identity = json.loads(service.stdout.readline())
        service.send_signal(signal.SIGKILL)
    worker = ProcessLauncher(warm=False).adopt(identity)
    assert worker is not None
    try:
        eventually(lambda: not is_running(prewarmed), "the prewarmed worker's end")
        eventually(lambda: len(column(folder, "episode/index")) > 10, "training to go on")
        assert worker.poll() is None
    finally:
        put_down(worker)


def test_the_first_worker_starts_before_its_service_and_is_not_replaced(tmp_path: Path) -> None:
    launcher = ProcessLauncher(source=FirstWorker())
    [begun] = worker_processes()
    first = launcher.launch(make_run(tmp_path, "first"), Train())
    assert pid_of(first.identity) == begun
    launcher.maintain()
    assert worker_processes() == [begun]
    second = launcher.launch(make_run(tmp_path, "second"), Train())
    assert pid_of(second.identity) != begun
    launcher.close()
    for worker in (first, second):
        put_down(worker)


def test_a_first_worker_without_a_job_exits_with_its_launcher() -> None:
    launcher = ProcessLauncher(source=FirstWorker())
    launcher.close()
    assert worker_processes() == []


def test_an_import_error_of_a_prewarmed_worker_appears_in_the_log_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('torch is broken')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    launcher = ProcessLauncher(source=FirstWorker())
    folder = make_run(tmp_path)
    assert eventually(launcher.launch(folder, Train()).poll) == Exit(1)
    assert "torch is broken" in folder.log_path.read_text()


def test_a_worker_whose_session_was_deleted_before_it_starts_exits_silently(tmp_path: Path) -> None:
    given = json.dumps([str(tmp_path / "gone"), "--session"]) + "\n"
    command = [sys.executable, "-m", "rlviz.worker", "--prewarm"]
    ended = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (75, "", "")
