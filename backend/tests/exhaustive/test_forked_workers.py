"""The worker template: its start, failure, replacement and exit."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rlviz.launchers.base import Exit, Train
from rlviz.launchers.process import FORKS, RESPAWN_SECONDS, ForkedWorkers, ProcessLauncher
from tests.support.journals import Clock
from tests.support.training import column, kinds, make_run
from tests.support.waiting import eventually
from tests.support.workers import is_running, parent_of, pid_of, put_down, worker_processes

pytestmark = pytest.mark.skipif(not FORKS, reason="a process that has imported torch is forked on Linux only")

SERVICE = """
import json, sys, time
from pathlib import Path
from rlviz.launchers.base import Train
from rlviz.launchers.process import ProcessLauncher
from rlviz.rundir.folder import RunFolder

launcher = ProcessLauncher()
launcher.maintain()
while not launcher.source.template.is_ready():
    time.sleep(0.05)
worker = launcher.launch(RunFolder.at(Path(sys.argv[1])), Train())
print(json.dumps(worker.identity), flush=True)
time.sleep(600)
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def launcher(clock: Clock) -> Iterator[ProcessLauncher]:
    launcher = ProcessLauncher(source=ForkedWorkers(monotonic=clock))
    launcher.maintain()
    yield launcher
    launcher.close()
    assert worker_processes() == []


@pytest.fixture
def template(launcher: ProcessLauncher) -> int:
    """The process id of a template that can fork."""
    source = launcher.source
    assert isinstance(source, ForkedWorkers)
    eventually(lambda: source.template is not None and source.template.is_ready(), "the template")
    [pid] = worker_processes()
    return pid


def test_a_launch_before_the_template_is_ready_or_after_its_death_starts_a_cold_worker(
    launcher: ProcessLauncher, tmp_path: Path
) -> None:
    [template] = worker_processes()
    for name in ("early", "late"):
        worker = launcher.launch(make_run(tmp_path, name), Train())
        assert parent_of(pid_of(worker.identity)) == os.getpid()
        put_down(worker)
        if is_running(template):
            psutil.Process(template).kill()
            eventually(lambda: not is_running(template))


def test_a_template_that_hangs_is_given_up(
    launcher: ProcessLauncher, template: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlviz.launchers.process.FORK_SECONDS", 0.2)
    psutil.Process(template).suspend()
    worker = launcher.launch(make_run(tmp_path), Train())
    assert parent_of(pid_of(worker.identity)) == os.getpid()
    assert not is_running(template)
    put_down(worker)


def test_a_dead_template_is_replaced_and_its_fork_continues(
    launcher: ProcessLauncher, template: int, clock: Clock, tmp_path: Path
) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    worker = launcher.launch(folder, Train())
    source = launcher.source
    assert isinstance(source, ForkedWorkers)
    killed = source.template
    assert killed is not None
    psutil.Process(template).kill()
    eventually(lambda: not killed.is_up(), "the end of the template, whose connection a fork closes first thing")
    launcher.maintain()
    pid = pid_of(worker.identity)
    assert worker_processes() == [], "the template is not started again at once, and the fork has another parent now"
    clock.now += RESPAWN_SECONDS
    launcher.maintain()
    assert len(worker_processes()) == 1
    eventually(lambda: column(folder, "episode/index"), "training")
    assert worker.poll() is None
    put_down(worker)
    assert (worker.poll(), is_running(pid)) == (Exit(None), False)


def test_close_ends_the_template_and_starts_no_other(launcher: ProcessLauncher, template: int, clock: Clock) -> None:
    launcher.close()
    clock.now += 60
    launcher.maintain()
    assert worker_processes() == []


def test_when_the_service_is_killed_its_template_exits_and_its_worker_continues(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    with subprocess.Popen([sys.executable, "-c", SERVICE, str(folder.path)], stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        identity = json.loads(service.stdout.readline())
        template = parent_of(pid_of(identity))
        assert parent_of(template) == service.pid
        service.send_signal(signal.SIGKILL)
    worker = ProcessLauncher(warm=False).adopt(identity)
    assert worker is not None
    try:
        eventually(lambda: not is_running(template), "the template's end")
        eventually(lambda: len(column(folder, "episode/index")) > 10, "training to go on")
        assert (worker.poll(), kinds(folder)) == (None, ["started"])
    finally:
        put_down(worker)


def test_the_template_exits_silently_when_its_launcher_is_killed_with_unread_messages() -> None:
    program = (
        "import socket, sys; from rlviz.launchers.process import fork_workers; "
        "sys.exit(0 if fork_workers(socket.socket(fileno=0)) is None else 1)"
    )
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen([sys.executable, "-c", program], stdin=theirs.fileno(), stderr=subprocess.PIPE)
    assert ours.recv(100, socket.MSG_PEEK), "it is ready, and that is not read"
    ours.close()
    _, said = process.communicate(timeout=150)
    assert (process.returncode, said.decode()) == (0, "")
