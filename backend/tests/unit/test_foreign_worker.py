"""Detecting whether the program behind a foreign run is alive, by its process or its heartbeat."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rlviz.launchers.foreign import POLL_SECONDS, SILENCE_SECONDS, ForeignWorker
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import touch_heartbeat
from rlviz.rundir.process_identity import ProcessIdentity

ELSEWHERE = ["process:7:12.5:another-boot", "ray:worker-3", ""]


class Program:
    """A program with a heartbeat, and a separate clock for the service that watches it."""

    def __init__(self, root: Path) -> None:
        self.folder = RunFolder(root, "mine-20260101-000000-abcdef")
        self.folder.path.mkdir()
        self.now, self._beats = 1_000.0, 0

    def beat(self) -> None:
        self._beats += 1
        self.folder.heartbeat_path.touch()
        os.utime(self.folder.heartbeat_path, (self._beats, self._beats))

    def worker(self, identity: str) -> ForeignWorker:
        return ForeignWorker(identity, self.folder, monotonic=lambda: self.now)


@pytest.mark.parametrize("identity", ELSEWHERE)
def test_a_program_on_another_machine_is_alive_while_its_heartbeat_advances(tmp_path: Path, identity: str) -> None:
    program = Program(tmp_path)
    program.beat()
    worker = program.worker(identity)
    for _ in range(10):
        program.now += SILENCE_SECONDS - 0.1
        program.beat()
        assert worker.poll() is None
    program.now += SILENCE_SECONDS + POLL_SECONDS
    assert worker.poll() is not None
    program.beat()
    program.now += POLL_SECONDS
    assert worker.poll() is not None, "What was found gone stays gone"


def test_a_program_without_a_heartbeat_is_waited_for_just_as_long(tmp_path: Path) -> None:
    program = Program(tmp_path)
    worker = program.worker(ELSEWHERE[0])
    assert worker.poll() is None
    program.now += SILENCE_SECONDS + POLL_SECONDS
    assert worker.poll() is not None


def test_a_process_visible_on_this_machine_needs_no_heartbeat(tmp_path: Path) -> None:
    program = Program(tmp_path)
    worker = program.worker(str(ProcessIdentity.current()))
    program.now += 100 * SILENCE_SECONDS
    assert worker.poll() is None


@pytest.mark.parametrize(("identity", "named"), [(ELSEWHERE[0], True), (ELSEWHERE[1], False)])
def test_the_cause_names_the_process_of_an_exited_program(tmp_path: Path, identity: str, named: bool) -> None:
    program = Program(tmp_path)
    worker = program.worker(identity)
    program.now += SILENCE_SECONDS + POLL_SECONDS
    gone = worker.poll()
    assert gone is not None
    assert ("(process 7)" in gone.cause()) == named


@pytest.mark.timeout(60)
def test_a_pipe_in_place_of_the_heartbeat_is_set_aside_and_blocks_no_program(tmp_path: Path) -> None:
    folder = Program(tmp_path).folder
    os.mkfifo(folder.heartbeat_path)
    touch_heartbeat(folder)
    assert folder.heartbeat_path.is_file()
    assert len(list(folder.path.glob("heartbeat.damaged-*"))) == 1


def test_a_run_without_its_folder_is_not_written(tmp_path: Path) -> None:
    program = Program(tmp_path)
    worker = program.worker(str(ProcessIdentity.current()))
    program.folder.path.rename(tmp_path / "elsewhere")
    assert worker.poll() is not None
