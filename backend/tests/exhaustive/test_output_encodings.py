"""The help of every command in every encoding."""

from __future__ import annotations

from rlviz.cli.command_index import COMMANDS
from rlviz.cli.main import main
from tests.unit.test_output_encodings import in_every_encoding, printing


@in_every_encoding
def test_the_help_of_every_command_is_printed(encoding: str) -> None:
    with printing(encoding) as printed:
        assert {main([command, "--help"]) for command in COMMANDS} == {0}
    assert printed.err.getvalue() == b""
