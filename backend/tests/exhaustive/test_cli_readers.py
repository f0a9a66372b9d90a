"""Commands whose reader closes the pipe early."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.scripted.test_cli_with_a_service import warm
from tests.support.cli import started
from tests.support.service_process import Service, environment

__all__ = ["warm"]


def test_a_reader_that_closes_the_pipe_early_causes_no_error(warm: Service) -> None:
    """A pipe holds at most 64 kB, so a command that prints more is still writing when its reader closes it."""
    make = [sys.executable, "-m", "rlviz", "openapi"]
    with subprocess.Popen(
        make, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(runs_dir=str(warm.runs_dir))
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.parametrize("command", [("logs", "Trained", "-f"), ("query", "--csv", "FROM runs")])
def test_a_reader_that_is_gone_before_the_first_write_causes_no_error(warm: Service, command: tuple[str, ...]) -> None:
    process = started(warm.runs_dir.parent, *command)
    process.stdout.close()
    with process.stderr as said:
        assert said.read() == ""
    assert process.wait() == 0
