"""The contract of ``launchers/base.py``, tested with every launcher and with one that cannot see processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from rlviz.domain.errors import LauncherError
from rlviz.domain.evaluation import EvaluationStatus
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Evaluate, Exit, Job, Launcher, Train, Worker
from rlviz.launchers.process import FORKS, ForkedWorker, ProcessLauncher
from rlviz.launchers.thread import ThreadLauncher
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.testing.scripted import Script, ScriptedLauncher
from tests.support.cluster import Cluster, ClusterLauncher
from tests.support.evaluations import ask_in_folder
from tests.support.service import service, start
from tests.support.spawned import spawn_forks
from tests.support.template import TITLE, SharedWorkers
from tests.support.training import column, events, kinds, leftovers, make_run
from tests.support.waiting import eventually
from tests.support.workers import (
    forking_launcher,
    impatient_launcher,
    is_running,
    parent_of,
    pid_of,
    put_down,
    title_of,
    worker_processes,
)

ENDLESS = 1_000_000


@dataclass(frozen=True)
class Kind:
    """A kind of launcher, and its differences from others."""

    make: Callable[[Cluster], Launcher]
    warm: bool = False
    outlives_the_service: bool = True
    killed: Exit = Exit(-9)  # noqa: RUF009  (frozen)
    killed_after_close: Exit = Exit(-9)  # noqa: RUF009
    adopted_and_killed: Exit = Exit(None)  # noqa: RUF009


KINDS = {
    "process": Kind(lambda _: LAUNCHERS.get("process")(warm=False, niceness=0)),
    "fork of a template": Kind(lambda _: forking_launcher(), warm=True, killed_after_close=Exit(None)),
    "process from a prewarmed worker": Kind(lambda _: impatient_launcher(), warm=True),
    "thread": Kind(
        lambda _: LAUNCHERS.get("thread")(warm=False, niceness=0), outlives_the_service=False, killed=Exit(0)
    ),
    "cluster": Kind(ClusterLauncher, adopted_and_killed=Exit(-9)),
    "scripted": Kind(lambda _: ScriptedLauncher(script=Script()), outlives_the_service=False),
}


class Rig:
    """A launcher as a service has it, and its workers."""

    def __init__(self, kind: Kind, cluster: Cluster) -> None:
        self.kind = kind
        self.launcher = kind.make(cluster)
        self._workers: list[Worker] = []

    def launch(self, folder: RunFolder, job: Job = Train()) -> Worker:  # noqa: B008  (frozen)
        self.launcher.maintain()
        warm = worker_processes()
        worker = self.launcher.launch(folder, job)
        self._workers.append(worker)
        if self.kind.warm:
            pid = pid_of(worker.identity)
            with suppress(psutil.NoSuchProcess):  # it has ended already
                assert pid in warm or TITLE in title_of(psutil.Process(parent_of(pid)))
        return worker

    def end(self) -> None:
        for worker in self._workers:
            put_down(worker)
        self.launcher.close()


HERE = ("process", "thread", "scripted")
"""Kinds tried by `make test`; tests/exhaustive/test_launchers.py tries the others."""


def rigs_of(kind: str) -> Iterator[Callable[[], Rig]]:
    """Yield a function that creates rigs of one kind, each like a separate service. They end with the iterator."""
    rigs: list[Rig] = []
    cluster = Cluster()

    def make() -> Rig:
        rigs.append(Rig(KINDS[kind], cluster))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.end()
    cluster.close()
    assert worker_processes() == []


@pytest.fixture(params=HERE)
def new_rig(request: pytest.FixtureRequest) -> Iterator[Callable[[], Rig]]:
    yield from rigs_of(request.param)


@pytest.fixture
def rig(new_rig: Callable[[], Rig]) -> Rig:
    return new_rig()


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make workers forks, which need not import torch, in tests of what a worker does however it was started."""
    spawn_forks(monkeypatch)


def ask(folder: RunFolder, desired: Desired) -> None:
    folder.write_control(Control(desired=desired))


def training(folder: RunFolder) -> None:
    eventually(lambda: column(folder, "episode/index"), "the first episode")


def test_a_worker_trains_to_the_end(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = rig.launch(folder)
    assert eventually(worker.poll) == worker.poll() == Exit(0)
    assert kinds(folder) == ["started", "finished"]
    assert folder.model_path.is_file()
    assert events(folder)[0].data.worker == worker.identity


@pytest.mark.usefixtures("forks")
def test_a_run_that_has_ended_is_never_trained_again(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=128)
    assert train_run(folder)
    again = eventually(rig.launch(folder).poll)
    assert again.code not in (None, 0)
    assert kinds(folder) == ["started", "finished"]


@pytest.mark.usefixtures("forks")
def test_launch_returns_while_the_worker_trains_alone_in_its_folder_until_it_is_stopped(
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


@pytest.mark.usefixtures("forks")
def test_a_stop_requested_before_the_launch_takes_effect(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    ask(folder, Desired.STOP)
    assert eventually(rig.launch(folder).poll) == Exit(0)
    assert kinds(folder) == ["started", "stopped"]
    assert folder.model_path.is_file()


@pytest.mark.usefixtures("forks")
def test_an_error_in_training_is_in_the_journal_and_the_exit_status(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, hyperparameters={"learning_rate": -1.0})
    assert eventually(rig.launch(folder).poll) == Exit(1)
    assert kinds(folder) == ["error"]
    assert events(folder)[-1].data.type == "InvalidRequest"


@pytest.mark.skipif(not FORKS, reason="only Linux has a template")
def test_a_fork_that_has_ended_at_once_is_still_identified() -> None:
    with closing(SharedWorkers()) as workers:
        worker = workers.start(["--help"])
        assert worker is not None
        put_down(worker)
        template = workers.template
        assert template is not None
        fork = template.fork(["--help"])
        assert fork is not None
        eventually(lambda: template.is_up() and fork.exit_status is not None, "its end")
        assert pid_of(ForkedWorker(fork, template).identity) == fork.pid


@pytest.mark.usefixtures("forks")
def test_an_evaluation_is_played_to_its_end(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=128)
    assert train_run(folder)
    asked = ask_in_folder(folder)
    assert eventually(rig.launch(folder, Evaluate(asked.id)).poll) == Exit(0)
    played = folder.evaluations.read(asked.id)
    assert (played.status, played.episodes_done) == (EvaluationStatus.COMPLETED, 1)
    assert folder.evaluations.video_path(asked.id).is_file()


@pytest.mark.usefixtures("forks")
def test_close_leaves_workers_that_outlive_it_running_and_stops_others(
    new_rig: Callable[[], Rig], tmp_path: Path
) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    rig = new_rig()
    worker = rig.launch(folder)
    training(folder)
    rig.launcher.close()
    later = new_rig()
    adopted = later.launcher.adopt(worker.identity)

    if not rig.kind.outlives_the_service:
        assert worker.poll() == Exit(0)
        assert kinds(folder) == ["started", "stopped"]
        assert folder.model_path.is_file()
        assert adopted is None
        return

    assert adopted is not None
    assert adopted.identity == worker.identity
    episodes = len(column(folder, "episode/index"))
    eventually(lambda: len(column(folder, "episode/index")) > episodes, "training to go on")
    assert adopted.poll() is None

    adopted.kill()
    assert eventually(adopted.poll) == rig.kind.adopted_and_killed
    gone = eventually(worker.poll)
    assert gone == rig.kind.killed_after_close
    assert gone.cause() == rig.kind.killed_after_close.cause()
    assert later.launcher.adopt(worker.identity) is None
    assert later.launcher.cause_of_loss(worker.identity)
    assert kinds(folder) == ["started"]


def test_killing_a_worker_ends_it_as_far_as_its_launcher_can(rig: Rig, tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=ENDLESS)
    worker = rig.launch(folder)
    worker.kill()
    assert eventually(worker.poll) == rig.kind.killed
    worker.kill()  # of one that is gone already: nothing happens


@pytest.mark.parametrize("identity", ["", "of another launcher", "process:x:y:z", "cluster job 1000"])
def test_an_unknown_identity_adopts_no_worker(rig: Rig, identity: str) -> None:
    assert rig.launcher.adopt(identity) is None


def test_a_worker_that_cannot_start_is_a_launcher_error_or_an_exit(rig: Rig, tmp_path: Path) -> None:
    """Its run folder was removed."""
    folder = RunFolder(tmp_path, "ppo-cartpole-removed")
    try:
        worker = rig.launch(folder)
    except LauncherError:
        return
    assert eventually(worker.poll).code not in (None, 0)


def test_a_worker_process_has_its_own_session_and_is_identified_by_more_than_its_pid(tmp_path: Path) -> None:
    launcher = ProcessLauncher(warm=False)
    worker = launcher.launch(make_run(tmp_path, total_timesteps=ENDLESS), Train())
    try:
        assert os.getsid(pid_of(worker.identity)) != os.getsid(0), "Ctrl-C on the service does not reach it"
        process = ProcessIdentity.parse(worker.identity)
        assert process is not None
        assert launcher.adopt(str(process)) is not None
        for stranger in (replace(process, started_at=process.started_at - 60), replace(process, boot_id="another")):
            assert launcher.adopt(str(stranger)) is None
        assert launcher.cause_of_loss(str(replace(process, boot_id="another"))) == "The host was restarted."
    finally:
        put_down(worker)


def test_a_worker_has_the_niceness_of_the_settings(tmp_path: Path) -> None:
    with service(tmp_path, warm_worker=False, niceness=15) as application:
        start(application)
        [worker] = eventually(lambda: list(application.supervisor.workers()), "the worker")
        process = psutil.Process(pid_of(worker.identity))
        eventually(lambda: process.nice() == min(os.nice(0) + 15, 19), "its niceness")


def test_the_thread_launcher_trains_one_run_at_a_time_and_says_so(tmp_path: Path) -> None:
    launcher = ThreadLauncher(warm=False)
    assert launcher.capacity == 1
    worker = launcher.launch(make_run(tmp_path, "first", total_timesteps=ENDLESS), Train())
    try:
        with pytest.raises(LauncherError, match="one run at a time"):
            launcher.launch(make_run(tmp_path, "second"), Train())
    finally:
        put_down(worker)


def test_a_thread_service_adopts_a_process_of_an_earlier_service(tmp_path: Path) -> None:
    worker = ProcessLauncher(warm=False).launch(make_run(tmp_path, total_timesteps=ENDLESS), Train())
    try:
        adopted = ThreadLauncher(warm=False).adopt(worker.identity)
        assert adopted is not None
        assert adopted.identity == worker.identity
        assert is_running(pid_of(worker.identity))
    finally:
        put_down(worker)
