"""Programs that end their run without a ``with`` block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rlviz.launchers import foreign
from rlviz.rundir.folder import run_folders
from rlviz.rundir.foreign import HEARTBEAT_SECONDS
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.supervisor import supervisor as foreign_runs
from tests.support.service_process import environment

BARE = """
import rlviz
run = rlviz.track("mine", "Own-v0")
run.log(3, loss=0.5)
"""


@pytest.mark.parametrize(
    ("flags", "then", "status", "level"),
    [
        ([], "", "completed", "info"),
        ([], "raise ValueError('my own mistake')", "failed", "error"),
        (["-i"], "1 / 0\nrun.log(4, loss=0.25)\n", "completed", "info"),
    ],
    ids=["to its end", "by an error", "in a notebook, where an error ends a cell alone"],
)
def test_a_run_without_a_with_block_ends_when_its_program_does(
    tmp_path: Path, flags: list[str], then: str, status: str, level: str
) -> None:
    program = [sys.executable, *flags] if flags else [sys.executable, "-"]
    subprocess.run(
        program, cwd=tmp_path, input=BARE + then, env=environment(), capture_output=True, text=True, check=False
    )
    [folder] = run_folders(tmp_path / "runs")
    row = row_of_folder(folder)
    assert (row.status, row.step) == (status, 4 if flags else 3)
    assert (level == "error") == ("my own mistake" in (row.cause or "") + folder.events_path.read_text())


def test_an_exited_program_is_detected_within_ten_seconds() -> None:
    """Checks the sum of the configured delays, because measured seconds depend on the load of the machine."""
    assert HEARTBEAT_SECONDS * 2 < foreign.SILENCE_SECONDS, "one late beat is no silence"
    assert foreign.SILENCE_SECONDS + HEARTBEAT_SECONDS + foreign.POLL_SECONDS + foreign_runs.POLL_SECONDS <= 10
