"""Selecting and listing runs on the command line."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from rlviz.cli.commands.train import _evaluation
from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import RUNS_A_PAGE, find_folders, list_runs
from rlviz.rundir.folder import Labels
from tests.support.cli import call
from tests.support.run_folders import make_run

FIRST, SECOND, THIRD = "ppo-cartpole-20261121-1111", "ppo-cartpole-20261121-2222", "dqn-cartpole-20261121-3333"


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    """Three runs: the second is the newest, the first was changed last, the third is unreadable."""
    for day, run_id in enumerate((FIRST, SECOND), 1):
        make_run(tmp_path, run_id, created_at=datetime(2026, 11, day, tzinfo=UTC))
    make_run(tmp_path, THIRD).config_path.write_text("{torn")
    make_run(tmp_path, "sac-pendulum-4444", created_at=datetime(2025, 1, 1, tzinfo=UTC)).write_labels(
        Labels(name="the old one")
    )
    return tmp_path


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        ([FIRST], {FIRST}),
        (["ppo-"], {FIRST, SECOND}),
        (["2222", "3333"], {SECOND, THIRD}),
        (["the old one"], {"sac-pendulum-4444"}),
        (["last"], {SECOND}),
    ],
)
def test_commands_without_a_service_name_runs_like_all_others(
    runs_dir: Path, names: list[str], meant: set[str]
) -> None:
    assert {folder.run_id for folder in find_folders(runs_dir, names)} == meant


def test_an_unknown_run_name_is_answered_with_the_nearest_match(runs_dir: Path) -> None:
    with pytest.raises(Failure, match=rf"Did you mean {FIRST}") as caught:
        find_folders(runs_dir, ["ppo-cartpole-20261121-1112"])
    assert caught.value.status is Exit.NOT_FOUND


def test_the_configuration_of_the_selected_run_is_checked(runs_dir: Path) -> None:
    for name, run_id in (("last", SECOND), ("the old one", "sac-pendulum-4444"), ("1111", FIRST)):
        assert call(runs_dir, "config", "check", name).out == f"{run_id} is exactly as this version writes it.\n"
    several = call(runs_dir, "config", "check", "ppo-")
    assert (several.status, "matches 2 runs" in several.err) == (2, True)
    assert call(runs_dir, "config", "check", "nobody").status == 3


class ManyRuns:
    """A service with any number of runs that returns at most a page of them."""

    def __init__(self, count: int) -> None:
        self._ids = [f"run-{index}" for index in range(count)]

    def get(self, path: str, *, limit: int, cursor: str | None, **query: Any) -> dict[str, Any]:
        assert (path, query) == ("/runs", {"group": ["g"]})
        assert 1 <= limit <= RUNS_A_PAGE
        start = int(cursor or 0)
        stop = min(start + limit, len(self._ids))
        following = str(stop) if stop < len(self._ids) else None
        runs = [{"id": run_id} for run_id in self._ids[start:stop]]
        return {"runs": runs, "total": len(self._ids), "next_cursor": following}


@pytest.mark.parametrize(("limit", "listed"), [(None, 1_201), (1_201, 1_201), (500, 500), (700, 700), (5_000, 1_201)])
def test_a_large_number_of_runs_is_listed_completely(limit: int | None, listed: int) -> None:
    found, total = list_runs(cast("Connection", ManyRuns(1_201)), limit, group=["g"])
    assert ([run["id"] for run in found], total) == ([f"run-{index}" for index in range(listed)], 1_201)


def test_the_plan_of_evaluations_contains_only_what_was_given() -> None:
    assert _evaluation(None, None, None, None) is None
    assert _evaluation(0, None, None, None) == {"every_steps": None}
    assert _evaluation(500, 3, True, 2) == {"every_steps": 500, "episodes": 3, "deterministic": False, "stop_after": 2}
    with pytest.raises(Failure, match="--evaluate-sampled"):
        _evaluation(None, None, True, None)
