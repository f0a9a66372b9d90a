"""The map of a run: visited cells, now and at earlier steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import RunFolderError
from rlviz.domain.visits import EvaluatedPath, VisitFrame, VisitMap
from rlviz.learning.environments.custom import find_environment
from rlviz.rundir.folder import RunFolder
from rlviz.server.metrics.models import RunMap
from rlviz.server.metrics.service import read_map
from tests.support.training import make_run


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path, env_id="FrozenLake-v1", exploration=ExplorationPlan(map=True))


def write(folder: RunFolder, visits: list[int], **archive: Any) -> None:
    frames = [VisitFrame(step=step, visits=[*visits[:-1], 0]) for step in (1_000, 9_000)]
    path = EvaluatedPath(step=1_500, cells=[0, 4, 8])
    found = VisitMap(step=2_000, visits=visits, episodes=visits, frames=frames, path=path, **archive)
    folder.map_path.write_text(found.model_dump_json())


def read(folder: RunFolder, step: int | None = None) -> RunMap:
    return read_map(folder, find_environment(folder.read_config()), step)


def test_visited_cells_have_their_positions_and_the_path(folder: RunFolder) -> None:
    write(folder, [7, *[0] * 14, 3])
    found = read(folder)
    assert [cell.model_dump() for cell in found.cells] == [
        {"id": 0, "x": 0, "y": 0, "room": 0, "visits": 7},
        {"id": 15, "x": 3, "y": 3, "room": 0, "visits": 3},
    ]
    assert (found.step, found.steps) == (2_000, [1_000, 2_000]), "a rollback left a later map behind"
    assert found.path is not None
    assert found.path.cells == [0, 4, 8]


def test_an_earlier_step_returns_the_newest_map_before_it(folder: RunFolder) -> None:
    write(folder, [7, *[0] * 14, 3])
    assert [cell.id for cell in read(folder, 1_999).cells] == [0]
    assert (read(folder, 999).step, read(folder, 999).cells) == (None, [])


def test_a_run_without_recordings_has_an_empty_map(folder: RunFolder, tmp_path: Path) -> None:
    assert (read(folder).is_recorded, read(folder).step, read(folder).cells) == (True, None, [])
    plain = read(make_run(tmp_path, "plain"))
    assert (plain.is_recorded, plain.world) == (False, None)
    assert read_map(folder, None, None).world is None


def test_a_map_of_another_environment_is_damaged(folder: RunFolder) -> None:
    write(folder, [1, 2, 3])
    with pytest.raises(RunFolderError, match="16 cells"):
        read(folder)


def test_the_frontier_is_the_least_visited_part_of_the_archive(folder: RunFolder) -> None:
    write(folder, [99, 3, 15, 0, 8, *[0] * 11], archive=[0, 1, 2, 4, 77])
    found = read(folder)
    assert [(cell.id, cell.x, cell.y, cell.visits) for cell in found.frontier] == [
        (1, 1, 0, 3),
        (4, 0, 1, 8),
        (2, 2, 0, 15),
    ]
    assert found.frontier[0].weight == pytest.approx(0.5 / (0.5 + 1 / 3 + 0.25 + 0.1))
    assert read(folder, 1_999).frontier == [], "the archive is that of now"
    write(folder, [99, 3, 15, 0, 8, *[0] * 11], archive=[0, 1, 77], archive_weights=[1.5, 0.5, 9.0])
    assert [(cell.id, cell.weight) for cell in read(folder).frontier] == [(0, 0.75)], "the weights that training used"
    write(folder, [99, 3, 15, 0, 8, *[0] * 11])
    assert (read(folder).frontier, "archive" in folder.map_path.read_text()) == ([], False)
