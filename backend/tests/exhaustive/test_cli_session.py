"""The documented terminal session matches the commands, except for its numbers.

``RLVIZ_WRITE_DOCS=1`` writes it again.
"""

from __future__ import annotations

import os
import re
import shlex
from itertools import groupby
from pathlib import Path

import pytest

from rlviz.cli import connection
from rlviz.launchers.process import ProcessLauncher
from tests.support.cli import call
from tests.support.template import SharedWorkers

PAGE = Path(__file__).parents[3] / "docs" / "cli-session.md"
HEAD = """# A session in a terminal

The test `backend/tests/exhaustive/test_cli_session.py` generates this page. [cli.md](cli.md) describes the commands."""

UNDER_WAY = ("queued", "starting", "running")

SESSION = (
    (
        "Train an agent and follow its progress. No app is running, so the command starts its own service.",
        (
            "rlviz run --algo ppo --seed 1 --steps 10000 --name steady --follow",
            "rlviz run --algo ppo --seed 1 --steps 10000 --name hasty --set learning_rate=0.01 --wait",
        ),
    ),
    ("List the runs, and show one of them.", ("rlviz runs", "rlviz status steady", "rlviz logs hasty")),
    (
        "Play new episodes with the newest policy, and show its actions.",
        (
            "rlviz evaluate steady --episodes 3",
            "rlviz actions steady last --columns episode,index,action,reward --limit 3",
        ),
    ),
    ("Compare two runs.", ("rlviz compare steady hasty",)),
    ("Watch the policy play in the browser.", ("rlviz watch steady --no-open --json",)),
    (
        "Export the data.",
        (
            "rlviz export steady --output steady.parquet",
            "rlviz export steady --what config --output steady.json",
        ),
    ),
    ("Delete a run, and empty the trash.", ("rlviz delete hasty", "rlviz prune --dry-run", "rlviz prune --yes")),
)


def test_the_documented_session_matches_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # No worker has to import torch first, which each command would pay for.
    monkeypatch.setattr(connection, "_with_first_worker", lambda _niceness: ProcessLauncher(source=SharedWorkers()))
    parts = [HEAD]
    for heading, commands in SESSION:
        parts.append(f"{heading}\n\n```console")
        for command in commands:
            ended = call(tmp_path / "runs", *shlex.split(command)[1:])
            assert ended.status == 0, ended.err
            lines = [line for line, _ in groupby(f"{ended.out}{ended.err}".rstrip("\n").splitlines())]
            parts[-1] += "\n".join([f"\n$ {command}", *lines])
        parts[-1] += "\n```"
    page = "\n\n".join(parts) + "\n"
    if os.environ.get("RLVIZ_WRITE_DOCS"):
        PAGE.write_text(page)
    assert outline(page) == outline(PAGE.read_text()), "Run it with RLVIZ_WRITE_DOCS=1."


def outline(page: str) -> list[str]:
    """Return the session without what differs between machines and days: ids, times, figures, and the number of redraws
    of a followed run. Table rows are reduced to their first cell and sorted, because file sizes differ too.
    """
    found: list[str] = []
    table: set[str] = set()
    for line in page.splitlines():
        if re.search(r"\S {2,}\S", line):
            first = line.split("  ")[0]
            if first.strip() not in UNDER_WAY:
                table.add(without_figures(first))
            continue
        found += sorted(table)
        table.clear()
        if not re.match("  [A-Za-z]", line):  # what is said of the figures
            found.append(without_figures(line))
    return found + sorted(table)


def without_figures(text: str) -> str:
    text = re.sub(r"(ppo-cartpole-|eval_)\d{8}-\d{6}-\w+", r"\1ID", text)
    return re.sub(r"\d[\d.,:e-]*( [kMG]?B)?", "N", text)
