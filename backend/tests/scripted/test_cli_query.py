"""``rlviz query``: the answer as a table, as JSON and as CSV, and what is wrong with a question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlviz.cli.exits import Exit
from tests.support.cli import shell
from tests.support.run_folders import make_run

SQL = "SELECT id, hp_gamma, tags FROM runs ORDER BY id"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of one run."""
    folder = tmp_path_factory.mktemp("query")
    make_run(folder / "runs", "one", rows=5, status="completed")
    return folder


def test_an_answer_is_a_table_or_json_or_csv(folder: Path) -> None:
    assert shell(folder, "query", SQL).stdout.split() == ["ID", "HP_GAMMA", "TAGS", "one", "0.99", "[]"]
    assert json.loads(shell(folder, "query", "--json", SQL).stdout)["rows"] == [["one", 0.99, []]]
    assert shell(folder, "query", "--csv", SQL).stdout == "id,hp_gamma,tags\none,0.99,[]\n"


def test_what_is_left_out_is_said_beside_the_answer(folder: Path) -> None:
    answer = shell(folder, "query", "--csv", "--limit", "2", "SELECT * FROM range(5)")
    assert answer.stdout == "range\n0\n1\n"
    assert "more than these 2 rows" in answer.stderr


def test_a_mistake_is_told_with_its_place(folder: Path) -> None:
    answer = shell(folder, "query", "SELECT nam FROM runs")
    assert answer.returncode == Exit.BAD_INPUT
    assert '"nam" not found' in answer.stderr
    assert "character 8" in answer.stderr
