"""Progress bars on a terminal of 40 columns."""

from __future__ import annotations

import os
import pty
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.scripted.test_cli_alone import ON_TERMINAL, read_until
from tests.support.cli import shell
from tests.support.forked_process import ForkedProcess
from tests.support.run_folders import make_run
from tests.support.service_process import environment
from tests.support.template import SOCKET, template_address


@contextmanager
def terminal(folder: Path, *arguments: str, columns: int = 40) -> Iterator[tuple[ForkedProcess, int]]:
    """Run a command on a terminal; yield its process and the other end."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": str(columns), "LINES": "24", "TERM": "xterm", SOCKET: template_address()}
    script = ON_TERMINAL.format(path=os.ttyname(theirs), arguments=list(arguments))
    nothing = Path(os.devnull)
    process = ForkedProcess(folder, environment() | size, log=nothing, script=script, shared_workers=True)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


@pytest.fixture(scope="module")
def catalogued(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in its catalogue, and the bundle of another."""
    folder = tmp_path_factory.mktemp("catalogued")
    make_run(folder / "runs", "one", rows=2_500, status="completed")
    make_run(folder / "elsewhere", "two", rows=10, status="completed")
    two = shell(folder, "export", "two", "--bundle", "--output", "two.zip", runs_dir="elsewhere")
    assert two.returncode == 0, two.stderr
    assert shell(folder, "rebuild").returncode == 0
    return folder


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        (("export", "one", "--output", "metrics.csv"), "100%"),
        (("export", "one", "--format", "tensorboard", "--output", "logs"), "100%"),
        (("export", "one", "--bundle", "--output", "one.zip"), "100%"),
        (("import", "two.zip"), "100%"),
        (("export", "one", "--to", "tensorboard"), "━"),
        (("catalog", "check"), "━"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_long_commands_show_a_progress_bar_on_40_columns(
    catalogued: Path, tmp_path: Path, command: tuple[str, ...], shows: str
) -> None:
    shutil.copytree(catalogued, tmp_path, dirs_exist_ok=True)
    with terminal(tmp_path, *command) as (_, end):
        shown = read_until(end, shows)
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert all(len(line) <= 40 for line in re.split(r"[\r\n]+", drawn) if "━" in line), drawn
