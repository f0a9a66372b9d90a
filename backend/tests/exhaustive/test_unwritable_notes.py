"""A command succeeds although its standard error cannot be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.service_process import environment
from tests.support.waiting import PATIENCE


def run_shell(command: list[str], redirections: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = f'exec "$@" {redirections}'
    return subprocess.run(
        ["sh", "-c", script, "sh", sys.executable, "-m", "rlviz", *command],
        env=environment(runs_dir=str(folder / "runs"), frontend_dir=str(folder / "none")),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_notes_that_cannot_be_written_do_not_fail_a_command(tmp_path: Path) -> None:
    ended = run_shell(["runs"], "2>/dev/full", tmp_path)
    assert ended.returncode == 0
    assert "No run yet" in ended.stdout
