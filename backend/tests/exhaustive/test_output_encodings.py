"""The help of every command in every encoding."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from rlviz.cli.command_index import COMMANDS
from rlviz.cli.main import main

ENCODINGS = ("ascii", "latin-1", "cp1252", "utf-8")


@dataclass
class Printed:
    """The bytes of standard output and standard error."""

    out: io.BytesIO
    err: io.BytesIO


@contextmanager
def printing(encoding: str) -> Iterator[Printed]:
    """Have both streams in an encoding that refuses the letters that it has not."""
    found = Printed(io.BytesIO(), io.BytesIO())
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in (("stdout", found.out), ("stderr", found.err)):
            wrapped = io.TextIOWrapper(stream, encoding=encoding, errors="strict", write_through=True)
            patch.setattr(sys, name, wrapped)
        yield found
        sys.stdout.flush()
        sys.stderr.flush()
        found.out, found.err = io.BytesIO(found.out.getvalue()), io.BytesIO(found.err.getvalue())


in_every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)


@in_every_encoding
def test_the_help_of_every_command_is_printed(encoding: str) -> None:
    with printing(encoding) as printed:
        assert {main([command, "--help"]) for command in COMMANDS} == {0}
    assert printed.err.getvalue() == b""
