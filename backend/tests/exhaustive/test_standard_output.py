"""Commands with closed or full output streams. Each case starts a shell and every kind of command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exhaustive.test_unwritable_notes import run_shell

COMMANDS = (["--version"], ["--help"], ["runs"], ["no-such-command"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_an_unwritable_result_is_reported_in_one_sentence(tmp_path: Path) -> None:
    for command in COMMANDS:
        ended = run_shell(command, ">/dev/full", tmp_path)
        assert "Traceback" not in ended.stderr, command
        if command != ["no-such-command"]:
            assert ended.returncode == 1, command
            assert ended.stderr.endswith(
                "rlviz: The answer could not be written to standard output (No space left on device).\n"
            ), command


@pytest.mark.parametrize("redirections", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_failure(tmp_path: Path, redirections: str) -> None:
    for command in COMMANDS:
        ended = run_shell(command, redirections, tmp_path)
        assert "Traceback" not in ended.stderr + ended.stdout, command
        assert ended.returncode == (2 if command == ["no-such-command"] else 0), (command, ended.stderr)
