"""Command output in encodings that lack some characters."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from rlviz.cli import output
from rlviz.cli.main import main, replace_unencodable_characters
from rlviz.domain.plain_text import decode_text, escape_surrogates, typed_text

ENCODINGS = ("ascii", "latin-1", "cp1252", "utf-8")


@dataclass
class Printed:
    """The bytes of standard output and standard error."""

    out: io.BytesIO
    err: io.BytesIO


@contextmanager
def printing(encoding: str) -> Iterator[Printed]:
    """Set both streams to an encoding that raises errors for missing characters."""
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
def test_errors_that_quote_the_input_are_printed(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVIZ_RUNS_DIR", str(tmp_path))
    with printing(encoding) as printed:
        for name in ("größe", "名前 ▁▂▃", "half \udce9"):
            assert main(["export", "--to", name]) == 2
            assert main(["sync", name]) == 3
            assert main(["import", name]) == 3
    assert printed.err.getvalue().count(b"There is no") == 6


@in_every_encoding
def test_a_json_result_stays_valid_json_with_every_character(encoding: str) -> None:
    said = {"name": "größe 名 ▁", "return": "–"}
    with printing(encoding) as printed:
        replace_unencodable_characters()
        output.print_json(said)
    assert json.loads(printed.out.getvalue().decode(encoding)) == said


@in_every_encoding
def test_tables_marks_and_names_are_printed(encoding: str) -> None:
    with printing(encoding) as printed:
        replace_unencodable_characters()
        output.print_table(["run", "curve"], [["größe 名 \U0001f600", output.sparkline([1.0, 2.0, None], 5)]])
        output.note("– not yet …")
        output.warn("→ \udce9")
    assert b"gr" in printed.out.getvalue()
    assert b"not yet" in printed.err.getvalue()


def test_input_in_another_encoding_is_decoded() -> None:
    assert typed_text(os.fsdecode("größe".encode("latin-1"))) == "größe"
    assert typed_text("größe 名") == "größe 名"
    assert decode_text(b"gr\xf6\xdfe \xe5\x90\x8d") == "größe 名"
    assert escape_surrogates("a\udce9") == "a\\udce9"
