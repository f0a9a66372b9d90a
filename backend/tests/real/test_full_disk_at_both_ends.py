"""On a full disk the app says what to do instead of starting, and runs that end with it are paused, not failed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.reserve import RESERVE, Reserve
from tests.support.faults import fill, train
from tests.support.run_folders import make_run
from tests.support.service_process import environment, serving
from tests.support.training import events
from tests.support.waiting import PATIENCE, eventually


def run_rlviz(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    given = environment(port="0", runs_dir=str(folder / "runs"), frontend_dir=str(folder / "none"), min_free_disk="0")
    command = [sys.executable, "-m", "rlviz", *arguments]
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=PATIENCE)


def assert_advises(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode in (1, 2), ended.stderr
    assert "disk is full" in ended.stderr
    assert "Make room" in ended.stderr
    assert "Traceback" not in ended.stderr + ended.stdout


def test_a_new_runs_folder_on_a_full_disk(small_disk: Path) -> None:
    (small_disk / "runs").mkdir()
    fill(small_disk)
    assert_advises(run_rlviz(small_disk, "serve"))


def test_a_runs_folder_with_new_runs_on_a_full_disk(small_disk: Path) -> None:
    assert run_rlviz(small_disk, "rebuild").returncode == 0
    for number in range(3):
        make_run(small_disk / "runs", f"run-{number}", status="completed", name="n" * 90)
    fill(small_disk)
    for command in ("serve", "runs", "rebuild"):
        assert_advises(run_rlviz(small_disk, command))


@pytest.mark.parametrize("has_reserve", [True, False])
def test_runs_that_end_with_the_app_are_paused(small_disk: Path, has_reserve: bool) -> None:
    """Without the reserve, which another program may have taken, they are paused at an older snapshot."""
    with serving(small_disk, min_free_disk="0", on_exit="pause") as service:
        run_id = train(service, snapshots={"every_steps": 100})
        folder = service.folder(run_id)
        eventually(lambda: EventKind.SNAPSHOT in [event.event for event in events(folder)], "a snapshot")
        assert (service.runs_dir / RESERVE).exists()
        if not has_reserve:
            Reserve(service.runs_dir).release()
        filler = fill(small_disk)
        assert service.stop(signal.SIGTERM) == 0
    assert events(folder)[-1].event == EventKind.PAUSED
    filler.unlink()
    with serving(small_disk, min_free_disk="0", on_exit="stop") as service:
        assert service.wait_for_status(run_id, "running", "paused")["cause"] is None
        assert "Traceback" not in service.log
