"""Processes forked from one worker template."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rlviz.launchers.base import Evaluate, Exit, Train
from rlviz.launchers.process import FORKS, ProcessLauncher
from tests.support.evaluations import ask_in_folder
from tests.support.training import column, make_run
from tests.support.waiting import eventually
from tests.support.workers import parent_of, pid_of, put_down, title_of, warm_launcher, worker_processes

pytestmark = pytest.mark.skipif(not FORKS, reason="a process that has imported torch is forked on Linux only")


@pytest.fixture(scope="module")
def launcher() -> Iterator[ProcessLauncher]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_WAIT_POLICY", "passive")  # threads that wait leave a busy core to those they wait for
        launcher = warm_launcher()
    yield launcher
    launcher.close()
    assert worker_processes() == []


@pytest.fixture(scope="module")
def template(launcher: ProcessLauncher) -> int:
    """The process id of a template that can fork."""
    [pid] = worker_processes()
    return pid


def test_each_launch_forks_a_process_with_its_own_title_and_session(
    launcher: ProcessLauncher, template: int, tmp_path: Path
) -> None:
    folders = [make_run(tmp_path, name, total_timesteps=1_000_000) for name in ("one", "two")]
    workers = [launcher.launch(folder, Train()) for folder in folders]
    for folder, worker in zip(folders, workers, strict=True):
        pid = pid_of(worker.identity)
        assert parent_of(pid) == template
        eventually(lambda folder=folder: column(folder, "episode/index"), "training")  # by then it is what it says
        assert title_of(psutil.Process(pid)).endswith(str(folder.path))
        assert os.getsid(pid) == pid
        put_down(worker)
        assert worker.poll() == Exit(-9)
    assert worker_processes() == [template]


def test_forked_processes_use_the_requested_threads_and_can_draw(
    launcher: ProcessLauncher, template: int, tmp_path: Path
) -> None:
    # One update: two threads that wait for each other take very long where the cores are wanted by others, too.
    once = {"batch_size": 128, "n_epochs": 1, "net_arch": [256, 256]}
    folder = make_run(tmp_path, torch_threads=2, total_timesteps=128, hyperparameters=once)
    assert eventually(launcher.launch(folder, Train()).poll) == Exit(0)
    asked = ask_in_folder(folder)
    assert eventually(launcher.launch(folder, Evaluate(asked.id)).poll) == Exit(0)
    assert folder.evaluations.video_path(asked.id).is_file()


def test_the_template_runs_no_drawing_thread(template: int) -> None:
    names = [path.read_text().strip() for path in Path(f"/proc/{template}/task").glob("*/comm")]
    assert "SDLTimer" not in names, "a fork would wait for that thread for ever"
