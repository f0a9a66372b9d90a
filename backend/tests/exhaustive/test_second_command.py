"""A second command on a folder that another command serves."""

from __future__ import annotations

import signal
from pathlib import Path

from rlviz.server.proxy import read_address
from tests.scripted.test_cli_alone import served_by, statuses
from tests.support.cli import shell, started
from tests.support.waiting import PATIENCE, eventually


def test_a_second_command_uses_the_first_ones_service_and_takes_over_when_it_exits(
    tmp_path: Path,
) -> None:
    first = started(tmp_path, "run", "--steps", "200000", "--follow", on_exit="leave")
    try:
        served_by(tmp_path, first)
        [run_id] = eventually(lambda: statuses(tmp_path), "the run to be listed")
        second = started(tmp_path, "status", run_id, "--follow", on_exit="stop")
        try:
            assert second.stdout is not None
            second.stdout.readline()
            assert read_address(tmp_path / "runs") == served_by(tmp_path, first)
            first.send_signal(signal.SIGINT)
            assert first.wait(PATIENCE) == 130
            served_by(tmp_path, second)
            assert shell(tmp_path, "stop", run_id).returncode == 0
            assert second.wait(PATIENCE) == 0
            assert second.stderr is not None
            assert "Traceback" not in second.stderr.read()
        finally:
            second.kill()
            second.communicate()
    finally:
        first.kill()
        first.communicate()
    assert statuses(tmp_path) == {run_id: "stopped"}
