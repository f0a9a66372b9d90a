"""What a run knows of a cell of its map, and how an episode can begin there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from rlviz.confined import Confined
from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest, NothingToPlay, RunFolderError, TooMuchToRead
from rlviz.domain.registry import load
from rlviz.domain.visits import EvaluatedPath, VisitFrame, VisitMap
from rlviz.learning.sessions.folder import RecordedStart
from rlviz.rundir.folder import RunFolder
from rlviz.server.sessions.cells import CellService
from tests.support.recorded_lake import DOWN, EVALUATION, FIRM, RIGHT, record
from tests.support.snapshots import written
from tests.support.step_files import change_value
from tests.support.training import make_run


class InThisProcess:
    """Reads records without a process of its own; ``fails`` raises as one does that needs too much memory."""

    def __init__(self, *, fails: bool = False) -> None:
        self._fails = fails

    def call(self, function: str, *arguments: Any) -> Any:
        if self._fails:
            raise TooMuchToRead("The records are too large.")
        return load(function)(*arguments)


def service(**options: Any) -> CellService:
    return CellService(cast(Confined, InThisProcess(**options)))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path, **FIRM)


def write_map(folder: RunFolder, visits: dict[int, int], archive: list[int] | None = None) -> None:
    counts = [visits.get(cell, 0) for cell in range(16)]
    earlier = [VisitFrame(step=1_000, visits=[9, *[0] * 15]), VisitFrame(step=2_000, visits=[9, *counts[1:]])]
    found = VisitMap(step=3_000, visits=counts, episodes=counts, frames=earlier, archive=archive or [])
    folder.map_path.write_text(found.model_dump_json())


def test_a_cell_has_its_place_its_visits_and_the_maps_between_which_it_was_found(folder: RunFolder) -> None:
    write_map(folder, {0: 50, 9: 4})
    found = service().describe(folder, 9)
    assert (found.x, found.y, found.room, found.visits, found.episodes) == (1, 2, 0, 4, 4)
    assert (found.first_visit_after, found.first_visit_by) == (1_000, 2_000)
    assert (service().describe(folder, 0).first_visit_after, service().describe(folder, 0).first_visit_by) == (
        None,
        1_000,
    )
    assert service().describe(folder, 3).first_visit_by is None


def test_a_recorded_episode_comes_before_the_archive(folder: RunFolder) -> None:
    write_map(folder, {0: 9, 4: 4, 8: 1}, archive=[4, 8])
    written(folder, 2_000)
    record(folder, [DOWN, RIGHT], seed=3)
    recorded = service().describe(folder, 4).start
    assert recorded is not None
    assert recorded.model_dump() == {
        "kind": "episode",
        "evaluation_id": EVALUATION,
        "episode": 0,
        "index": 1,
        "snapshot": None,
        "is_certain": True,
    }
    archived = service().describe(folder, 8).start
    assert archived is not None
    assert archived.kind == "archive"
    config = folder.read_config()
    assert service().find_start(folder, config, 4) == RecordedStart(evaluation_id=EVALUATION, episode=0, index=1)
    assert service(fails=True).find_start(folder, config, 4).kind == "archive", "records that cannot be read are no way"


@pytest.mark.parametrize(
    ("visits", "archive", "cell", "why"),
    [
        ({0: 9}, [], 6, "Training was never in this cell, so recorded episodes were not searched"),
        ({0: 9, 8: 1}, [8], 8, "no snapshot that can be used. Take a snapshot"),
        ({0: 9, 5: 3}, [], 5, "Episodes end in this cell"),
        ({0: 9, 12: 3}, [], 12, "Episodes end in this cell"),
        ({0: 9, 10: 3}, [], 10, "no recorded episode was, and the archive has no state of it"),
    ],
)
def test_a_cell_without_a_state_says_what_helps(
    folder: RunFolder, visits: dict[int, int], archive: list[int], cell: int, why: str
) -> None:
    write_map(folder, visits, archive)
    record(folder, [DOWN, RIGHT], seed=3)
    found = service().describe(folder, cell)
    assert found.start is None
    assert why in (found.why_no_start or "")
    with pytest.raises(NothingToPlay, match=why):
        service().find_start(folder, folder.read_config(), cell)


@pytest.mark.parametrize(("step", "is_certain"), [(1_500, False), (2_000, True), (3_000, True)])
def test_a_snapshot_from_before_the_first_map_with_the_cell_may_lack_it(
    folder: RunFolder, step: int, is_certain: bool
) -> None:
    write_map(folder, {0: 9, 8: 1}, archive=[8])
    written(folder, step)
    start = service().describe(folder, 8).start
    assert start is not None
    assert (start.snapshot, start.is_certain) == (str(step), is_certain)


@pytest.mark.parametrize("step", [500, 1_000])
def test_a_snapshot_that_is_older_than_the_first_visit_offers_no_start(folder: RunFolder, step: int) -> None:
    write_map(folder, {0: 9, 8: 1}, archive=[8])
    written(folder, step)
    found = service().describe(folder, 8)
    assert found.start is None
    assert f"of step {step:,}, is older than that. Take a snapshot" in (found.why_no_start or "")
    with pytest.raises(NothingToPlay, match="is older than that"):
        service().find_start(folder, folder.read_config(), 8)


def test_an_episode_that_ended_in_a_cell_does_not_mean_that_all_do(folder: RunFolder) -> None:
    write_map(folder, {0: 9, 4: 4})
    record(folder, [DOWN, RIGHT], seed=3)
    change_value(folder.evaluations.steps_path(EVALUATION), "terminated", 1, lambda _: True)
    why = service().describe(folder, 4).why_no_start or ""
    assert "Each recorded episode that reached this cell ended there, and the archive has no state of it" in why
    assert "An evaluation that passes through it makes it known" in why


def test_a_search_that_was_cut_says_so(folder: RunFolder) -> None:
    write_map(folder, {0: 9, 4: 4})
    record(folder, [DOWN, RIGHT], seed=3)
    assert "Not all recorded episodes could be searched" in (service(fails=True).describe(folder, 4).why_no_start or "")


def test_a_cell_of_the_shown_path_is_searched_although_training_was_never_there(folder: RunFolder) -> None:
    path = EvaluatedPath(step=10, cells=[0, 4])
    counts = [9, *[0] * 15]
    folder.map_path.write_text(VisitMap(step=10, visits=counts, episodes=counts, path=path).model_dump_json())
    record(folder, [DOWN, DOWN, RIGHT], seed=3)
    assert service().describe(folder, 4).start is not None
    assert service().describe(folder, 8).start is None


def test_a_run_without_an_archive_is_told_of_it(tmp_path: Path) -> None:
    folder = make_run(tmp_path, **{**FIRM, "exploration": ExplorationPlan(map=True)})
    write_map(folder, {0: 9, 10: 3})
    assert "a run with the archive switched on" in (service().describe(folder, 10).why_no_start or "")


def test_an_unknown_cell_and_an_environment_without_cells_are_refused(folder: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="has 16 cells, from 0"):
        service().describe(folder, 16)
    with pytest.raises(InvalidRequest, match="CartPole-v1 has no cells"):
        service().describe(make_run(tmp_path, "pole"), 0)


def test_a_map_of_another_environment_is_damaged(folder: RunFolder) -> None:
    folder.map_path.write_text(VisitMap(step=1, visits=[1], episodes=[1]).model_dump_json())
    with pytest.raises(RunFolderError, match="16 cells"):
        service().describe(folder, 0)
