"""The app on a full disk fails to start, with advice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.faults import fill
from tests.support.run_folders import make_run
from tests.support.service_process import environment
from tests.support.waiting import PATIENCE


def run_rlviz(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    given = environment(port="0", runs_dir=str(folder / "runs"), frontend_dir=str(folder / "none"), min_free_disk="0")
    command = [sys.executable, "-m", "rlviz", *arguments]
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=PATIENCE)


def assert_advises(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode in (1, 2), ended.stderr
    assert "disk is full" in ended.stderr
    assert "Free some space" in ended.stderr
    assert "Traceback" not in ended.stderr + ended.stdout


def test_serving_a_new_runs_folder_on_a_full_disk_fails_with_advice(small_disk: Path) -> None:
    (small_disk / "runs").mkdir()
    fill(small_disk)
    assert_advises(run_rlviz(small_disk, "serve"))


def test_serving_unindexed_runs_on_a_full_disk_fails_with_advice(small_disk: Path) -> None:
    assert run_rlviz(small_disk, "rebuild").returncode == 0
    for number in range(3):
        make_run(small_disk / "runs", f"run-{number}", status="completed", name="n" * 90)
    fill(small_disk)
    for command in ("serve", "runs", "rebuild"):
        assert_advises(run_rlviz(small_disk, command))
