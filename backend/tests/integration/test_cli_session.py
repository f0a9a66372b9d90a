"""The session in a terminal that the documents show: a real one, whose figures may differ and nothing else.

``RLVIZ_WRITE_DOCS=1`` writes it anew.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.support.cli import call

PAGE = Path(__file__).parents[3] / "docs" / "cli-session.md"
HEAD = """# A session in a terminal

Made by a test, `backend/tests/integration/test_cli_session.py`. [cli.md](cli.md) describes the commands."""

SESSION = (
    (
        "Train, and see it learn. No app runs, so the command serves the runs folder itself.",
        (
            "rlviz run --algo ppo --seed 1 --steps 10000 --name steady --follow",
            "rlviz run --algo ppo --seed 1 --steps 10000 --name hasty --set learning_rate=0.01 --wait",
        ),
    ),
    ("Look at what there is.", ("rlviz runs", "rlviz status steady", "rlviz logs hasty")),
    (
        "Evaluate: fresh episodes with the newest policy, and what it did in them.",
        (
            "rlviz evaluate steady --episodes 3",
            "rlviz actions steady last --columns episode,index,action,reward --limit 3",
        ),
    ),
    ("Compare.", ("rlviz compare steady hasty",)),
    ("Watch it play, in the browser.", ("rlviz watch steady --no-open --json",)),
    (
        "Take the data along.",
        (
            "rlviz export steady --output steady.parquet",
            "rlviz export steady --what config --output steady.json",
        ),
    ),
    ("Keep the folder tidy.", ("rlviz delete hasty", "rlviz prune --dry-run", "rlviz prune --yes")),
)


def test_the_session_that_is_documented_is_what_the_commands_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = [HEAD]
    for heading, commands in SESSION:
        parts.append(f"{heading}\n\n```console")
        for command in commands:
            ended = call(tmp_path / "runs", *shlex.split(command)[1:])
            assert ended.status == 0, ended.err
            parts[-1] += f"\n$ {command}\n{ended.out}{ended.err}".rstrip("\n")
        parts[-1] += "\n```"
    page = "\n\n".join(parts) + "\n"
    if os.environ.get("RLVIZ_WRITE_DOCS"):
        PAGE.write_text(page)
    assert outline(page) == outline(PAGE.read_text()), "Run it with RLVIZ_WRITE_DOCS=1."


def outline(page: str) -> list[str]:
    """Commands and words; figures, and how many lines a table or a picture of them takes, differ from machine to
    machine."""
    words = [re.sub(r"[^A-Za-z_/$ -]+", "", line).split() for line in page.splitlines()]
    return [" ".join(line[:3]) for line in words if line and line[0] in ("$", "#", "RUN", "FIGURE", "SETTING", "WHAT")]
