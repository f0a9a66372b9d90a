"""Standard output of commands keeps existing content and reaches no other file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no such name")
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_standard_output_keeps_existing_content(tmp_path: Path, mode: str) -> None:
    """The shell redirects it with > and >>."""
    path = tmp_path / "output"
    path.write_bytes(b"before ")
    script = (
        "from pathlib import Path\n"
        "from rlviz.cli.files import replace_file\n"
        "print('first', flush=True)\n"
        "replace_file(Path('/dev/stdout'), lambda file: file.write(b'new '))\n"
        "import os; os.lseek(1, 0, 2); print('last')\n"
    )
    with path.open(mode) as output:
        subprocess.run([sys.executable, "-c", script], stdout=output, check=True)
    expected = b"first\nnew last\n"
    assert path.read_bytes() == (expected if mode == "wb" else b"before " + expected)


def test_printed_output_never_reaches_a_file_opened_later(tmp_path: Path) -> None:
    """If standard output is closed, the next opened file gets its number."""
    script = (
        "from rlviz import standard_streams\n"
        "standard_streams.settle()\n"
        f"file = open({str(tmp_path / 'data')!r}, 'w')\n"
        "print('printed', flush=True)\n"
        "import os; os.write(1, b'printed'); os.write(2, b'printed')\n"
        "file.write('data'); file.close()\n"
    )
    subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", sys.executable, "-c", script], check=True)
    assert (tmp_path / "data").read_text() == "data"
