"""How much is kept of what is played: as the profile of the environment's family says, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from rlviz.rundir.folder import RunFolder
from tests.support.evaluations import evaluated
from tests.support.http import Service, serving
from tests.support.step_files import about, pole_rows, write
from tests.support.untrained import untrained_run

MEGABYTE = 1_000_000
CART, LAKE = "ppo-cartpole", "q-learning-lake"
PROFILES = {
    "classic-control": {"frames_every": 3, "max_bytes": "1MB"},
    "toy-text": {"records": False},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("profiles")
    untrained_run(place / "runs", CART)
    untrained_run(place / "runs", LAKE, algo="q-learning", env_id="FrozenLake-v1")
    with serving(place, warm_worker="true", storage=json.dumps(PROFILES)) as service:
        yield service


def test_the_service_says_what_its_profiles_are(service: Service) -> None:
    storage = service.get("/health")["storage"]
    assert storage["classic-control"] == {"records": True, "frames_every": 3, "pictures": True, "max_bytes": MEGABYTE}
    assert storage["toy-text"] == {
        "records": False,
        "frames_every": 4,
        "pictures": True,
        "max_bytes": 200 * MEGABYTE,
    }


def test_a_family_that_keeps_no_records_leaves_none_unless_they_are_asked_for(service: Service) -> None:
    assert not evaluated(service, LAKE, episodes=1, video=False)["has_steps"]
    assert evaluated(service, LAKE, episodes=1, video=False, steps=True)["has_steps"]


def test_frames_are_hashed_as_often_as_the_profile_says_and_the_last_always(service: Service) -> None:
    evaluation = evaluated(service, CART, episodes=1, video=False)
    found = service.get(f"/runs/{CART}/evaluations/{evaluation['id']}/steps", params={"columns": "index,frame_hash"})
    columns = found["columns"]
    hashed = [index for index, has in zip(columns["index"], columns["frame_hash"], strict=True) if has]
    last = columns["index"][-1]
    assert hashed == sorted({*range(0, last + 1, 3), last})


def test_the_oldest_records_go_once_there_are_too_many_and_their_summaries_stay(service: Service) -> None:
    kept = [evaluated(service, CART, episodes=1, video=False) for _ in range(3)]
    folder = service.folder(CART)
    for evaluation in kept[:2]:
        _grow(folder, evaluation["id"], 700_000)
    newest = evaluated(service, CART, episodes=1, video=False)
    listed = {one["id"]: one for one in service.get(f"/runs/{CART}/evaluations")}
    has = [listed[one["id"]]["has_steps"] for one in [*kept, newest]]
    assert has == [False, True, True, True]
    assert listed[kept[0]["id"]]["summary"] == kept[0]["summary"]
    left = sum(path.stat().st_size for path in folder.evaluations.path.glob("*.steps.parquet"))
    assert left <= MEGABYTE


def _grow(folder: RunFolder, evaluation_id: str, size: int) -> None:
    """Put records in the place of those that are there which take about ``size`` bytes."""
    path, said = folder.evaluations.steps_path(evaluation_id), about()
    write(path, said, pole_rows(said, episodes=1))
    with path.open("ab") as file:
        file.truncate(size)
