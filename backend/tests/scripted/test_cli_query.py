"""``rlviz query``: output formats and errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.cli.exits import Exit
from tests.support.cli import call
from tests.support.run_folders import make_run
from tests.support.service_process import serving

SQL = "SELECT id, hp_gamma, tags FROM runs ORDER BY id"


@pytest.fixture(scope="module")
def runs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A served runs folder with one run."""
    folder = tmp_path_factory.mktemp("query")
    make_run(folder / "runs", "one", rows=5, status="completed")
    with serving(folder, launcher="scripted") as service:
        yield service.runs_dir


def test_an_answer_is_printed_as_a_table_json_or_csv(runs_dir: Path) -> None:
    assert call(runs_dir, "query", SQL).out.split() == ["ID", "HP_GAMMA", "TAGS", "one", "0.99", "[]"]
    assert call(runs_dir, "query", "--json", SQL).json["rows"] == [["one", 0.99, []]]
    assert call(runs_dir, "query", "--csv", SQL).out == "id,hp_gamma,tags\none,0.99,[]\n"


def test_a_limit_prints_a_note_that_there_are_more_rows(runs_dir: Path) -> None:
    answer = call(runs_dir, "query", "--csv", "--limit", "2", "SELECT * FROM range(5)")
    assert answer.out == "range\n0\n1\n"
    assert "more than these 2 rows" in answer.err


def test_a_mistake_in_a_query_is_reported_with_its_position(runs_dir: Path) -> None:
    answer = call(runs_dir, "query", "SELECT nam FROM runs")
    assert answer.status == Exit.BAD_INPUT
    assert '"nam" not found' in answer.err
    assert "character 8" in answer.err
