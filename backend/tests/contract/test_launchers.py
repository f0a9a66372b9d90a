"""What ``launchers/base.py`` says every launcher owes, proved for each of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rlviz.domain.errors import LauncherError
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Exit, Launcher, Worker
from rlviz.launchers.processes import WorkerProcesses
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process import ProcessIdentity
from tests.support.training import column, events, eventually, kinds, leftovers, make_run
from tests.support.workers import impatient_processes, is_running, put_down, worker_processes

ENDLESS = 1_000_000
KINDS = {
    "process": ("process", False),
    "process from a prewarmed worker": ("process", True),
    "thread": ("thread", False),
}


class Rig:
    """One launcher as a service has it, and the workers that came from it."""

    def __init__(self, name: str, warm: bool) -> None:
        self.is_thread = name == "thread"
        self._warm = warm
        self.processes = impatient_processes(warm=warm)
        self.launcher: Launcher = LAUNCHERS.get(name)(self.processes)
        self._workers: list[Worker] = []

    def launch(self, folder: RunFolder) -> Worker:
        self.processes.prepare()
        prewarmed = worker_processes()
        worker = self.launcher.launch(folder)
        self._workers.append(worker)
        if self._warm:
            assert worker.identity.pid in prewarmed
        return worker

    def close(self) -> None:
        self.launcher.close()
        self.processes.close()

    def end(self) -> None:
        for worker in self._workers:
            put_down(worker)
        self.close()


@pytest.fixture(params=KINDS)
def new_rig(request: pytest.FixtureRequest) -> Iterator[Callable[[], Rig]]:
    """Makes rigs of one kind; each is a service of its own."""
    rigs: list[Rig] = []

    def make() -> Rig:
        rigs.append(Rig(*KINDS[request.param]))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.end()
    assert worker_processes() == []


@pytest.fixture
def rig(new_rig: Callable[[], Rig]) -> Rig:
    return new_rig()


def ask(folder: RunFolder, desired: Desired) -> None:
    folder.write_control(Control(desired=desired))


def training(folder: RunFolder) -> None:
    eventually(lambda: column(folder, "episode/index"), "the first episode")


def test_a_worker_trains_to_the_end_and_the_run_is_never_trained_again(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = rig.launch(folder)
    assert eventually(worker.poll) == worker.poll() == Exit(0)
    assert kinds(folder) == ["started", "finished"]
    assert folder.model_path.is_file()
    told = events(folder)[0].data
    assert ProcessIdentity(told.pid, told.process_started_at) == worker.identity
    assert (worker.identity.pid == os.getpid()) is rig.is_thread

    again = eventually(rig.launch(folder).poll)
    assert again.code not in (None, 0)
    assert kinds(folder) == ["started", "finished"]


def test_launch_returns_while_it_trains_alone_in_its_folder_until_told_to_stop(
    new_rig: Callable[[], Rig], tmp_path: Path
) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    ask(folder, Desired.RUN)
    worker = new_rig().launch(folder)
    assert worker.poll() is None
    training(folder)

    second = new_rig().launch(folder)
    refusal = eventually(second.poll)
    assert refusal.code not in (None, 0)
    assert worker.poll() is None
    assert kinds(folder) == ["started"]

    ask(folder, Desired.STOP)
    assert eventually(worker.poll) == Exit(0)
    assert kinds(folder) == ["started", "stopped"]
    assert 0 < events(folder)[-1].step < ENDLESS
    assert folder.model_path.is_file()
    assert leftovers(folder) == []


def test_a_stop_that_was_asked_for_before_the_launch_counts(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    ask(folder, Desired.STOP)
    assert eventually(rig.launch(folder).poll) == Exit(0)
    assert kinds(folder) == ["started", "stopped"]
    assert folder.model_path.is_file()


def test_an_error_in_training_is_in_the_journal_and_in_the_exit(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"learning_rate": -1.0})
    assert eventually(rig.launch(folder).poll) == Exit(1)
    assert kinds(folder) == ["started", "error"]
    assert events(folder)[-1].data.type == "InvalidRequest"


def test_close_leaves_processes_alone_and_ends_a_thread_as_a_stop_would(
    new_rig: Callable[[], Rig], tmp_path: Path
) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    rig = new_rig()
    worker = rig.launch(folder)
    training(folder)
    rig.close()
    later = new_rig()
    adopted = later.launcher.adopt(worker.identity)

    if rig.is_thread:
        assert worker.poll() == Exit(0)
        assert kinds(folder) == ["started", "stopped"]
        assert folder.model_path.is_file()
        assert adopted is None
        return

    assert adopted is not None
    assert adopted.identity == worker.identity
    assert os.getsid(worker.identity.pid) != os.getsid(0), "Ctrl-C on the service does not reach it"
    episodes = len(column(folder, "episode/index"))
    eventually(lambda: len(column(folder, "episode/index")) > episodes, "training to go on")
    assert adopted.poll() is None

    adopted.kill()
    assert eventually(adopted.poll) == Exit(None)
    gone = eventually(worker.poll)
    assert gone == Exit(-9)
    assert gone.cause() == "The worker was killed by signal 9 (SIGKILL)."
    assert later.launcher.adopt(worker.identity) is None
    assert kinds(folder) == ["started"]


def test_a_worker_that_is_killed_or_a_thread_that_cannot_be_ends(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    worker = rig.launch(folder)
    worker.kill()
    gone = eventually(worker.poll)
    assert gone == (Exit(0) if rig.is_thread else Exit(-9))
    worker.kill()  # of one that is gone already: nothing happens


def test_nobody_is_adopted_by_an_identity_that_is_not_theirs(rig: Rig) -> None:
    stranger = ProcessIdentity(os.getpid(), ProcessIdentity.current().started_at - 60)  # the pid was used again
    assert rig.launcher.adopt(stranger) is None


def test_a_worker_that_cannot_be_started_is_a_launcher_error_or_an_exit(rig: Rig, tmp_path: Path) -> None:
    """A folder that somebody removed."""
    folder = RunFolder(tmp_path, "ppo-cartpole-removed")
    try:
        worker = rig.launch(folder)
    except LauncherError:
        return
    assert eventually(worker.poll).code not in (None, 0)


def test_the_thread_launcher_trains_one_run_at_a_time_and_says_so(tmp_path: Path) -> None:
    rig = Rig("thread", warm=False)
    try:
        assert rig.launcher.capacity == 1
        rig.launch(make_run(tmp_path, "first", total_timesteps=ENDLESS))
        with pytest.raises(LauncherError, match="one run at a time"):
            rig.launch(make_run(tmp_path, "second"))
    finally:
        rig.end()


def test_a_thread_service_adopts_a_process_that_an_earlier_service_left(tmp_path: Path) -> None:
    processes = WorkerProcesses(warm=False)
    worker = processes.start(make_run(tmp_path, total_timesteps=ENDLESS))
    try:
        adopted = LAUNCHERS.get("thread")(WorkerProcesses(warm=False)).adopt(worker.identity)
        assert adopted is not None
        assert adopted.identity == worker.identity
        assert is_running(worker.identity.pid)
    finally:
        put_down(worker)
