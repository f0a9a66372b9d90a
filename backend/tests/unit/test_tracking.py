"""What a program of the user's own may hand to ``rlviz.track``, and what becomes of the rest."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlviz.domain.errors import InvalidRequest
from rlviz.library.tracking import TrackedRun, track
from rlviz.rundir.folder import RunFolder
from rlviz.services.projection.folder_projection import row_of_folder


def rows(run: TrackedRun) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]


def test_a_number_that_is_not_finite_is_a_gap_and_a_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, loss=math.nan)
        run.log(2, {"loss": 10**400, "scalar": np.float32(0.5)})
    assert [row["values"] for row in rows(run)] == [{"loss": None}, {"loss": None, "scalar": 0.5}]
    warned = row_of_folder(RunFolder(tmp_path, run.id)).last_warning
    assert warned is not None
    assert "loss" in warned


def test_a_step_that_goes_back_is_left_out_with_one_warning(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        for step in (5, 3, 4, 5, 6):
            run.log(step, loss=1.0)
    assert [row["step"] for row in rows(run)] == [5, 5, 6]
    assert row_of_folder(RunFolder(tmp_path, run.id)).warnings == 1


@pytest.mark.parametrize("step", [-1, 1.5, True, "3", 2**60])
def test_what_is_no_step_is_refused(tmp_path: Path, step: Any) -> None:
    with track(runs_dir=tmp_path) as run, pytest.raises(ValueError, match="whole number"):
        run.log(step, loss=1.0)


@pytest.mark.parametrize("value", ["high", None, [1.0], np.zeros(2)])
def test_what_is_no_number_is_refused(tmp_path: Path, value: Any) -> None:
    with track(runs_dir=tmp_path) as run, pytest.raises(TypeError, match="only numbers"):
        run.log(1, loss=value)


def test_a_huge_name_is_cut(tmp_path: Path) -> None:
    with track(runs_dir=tmp_path) as run:
        run.log(1, {"x" * 100_000: 1.0})
    assert [len(name) for name in rows(run)[0]["values"]] == [200]


@pytest.mark.parametrize("wrong", [{"algo": ""}, {"env_id": "x" * 500}, {"name": "a\nb"}, {"seed": -1}])
def test_names_that_no_run_can_have_are_refused_before_there_is_a_folder(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(InvalidRequest):
        track(**wrong, runs_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("error", "status"), [(ValueError("no"), "failed"), (KeyboardInterrupt(), "stopped")])
def test_how_the_block_ends_is_how_the_run_ends(tmp_path: Path, error: BaseException, status: str) -> None:
    with pytest.raises(type(error)), track(runs_dir=tmp_path) as run:
        raise error
    assert row_of_folder(RunFolder(tmp_path, run.id)).status == status
    with pytest.raises(RuntimeError, match="finished"):
        run.log(1, loss=1.0)
