"""Recording as the storage profile of an environment's family says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.support.evaluations import evaluated, verified
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.step_files import change_value
from tests.support.training import QUICK
from tests.support.untrained import untrained_run
from tests.support.waiting import eventually

MEGABYTE = 1_000_000


CART, LAKE = "ppo-cartpole", "q-learning-lake"


PROFILES = {
    # However busy the machine is, recording is not lowered.
    "classic-control": {"frames_every": 3, "max_bytes": "1MB", "most_cost": 1_000},
    "toy-text": {"detail": "off"},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("profiles")
    untrained_run(place / "runs", CART)
    untrained_run(place / "runs", LAKE, algo="q-learning", env_id="FrozenLake-v1")
    with serving(place, storage=json.dumps(PROFILES), keep_eval_videos="1") as service:
        yield service


def test_the_service_lists_its_profiles(service: Service) -> None:
    storage = service.get("/health")["storage"]
    cart, lake = storage["classic-control"], storage["toy-text"]
    assert (cart["detail"], cart["frames_every"], cart["max_bytes"]) == ("standard", 3, MEGABYTE)
    assert (lake["detail"], lake["frames_every"], lake["max_bytes"]) == ("off", 4, 200 * MEGABYTE)
    assert list(cart["keeps"]) == ["off", "minimal", "standard", "full"]
    assert "one frame in 3" in cart["keeps"]["standard"]


def test_a_family_without_records_keeps_none_unless_requested(service: Service) -> None:
    assert not evaluated(service, LAKE, episodes=1, video=False)["has_steps"]
    assert evaluated(service, LAKE, episodes=1, video=False, steps=True)["has_steps"]


def test_an_episode_that_differs_from_its_records_is_not_filmed(service: Service) -> None:
    found = evaluated(service, CART, episodes=1, video=False)
    change_value(service.folder(CART).evaluations.steps_path(found["id"]), "reward", 3, lambda value: value + 1)
    made = verified(service, CART, found["id"], film=True)
    assert (made["identical"], made["first_difference"]["column"]) == (False, "reward")
    assert _listed(service, found["id"])["video_url"] is None
    assert not list(service.folder(CART).evaluations.path.glob("*.tmp"))


def _listed(service: Service, evaluation_id: str) -> dict[str, Any]:
    listed = service.get(f"/runs/{CART}/evaluations")
    return next(one for one in listed if one["id"] == evaluation_id)


def test_the_recording_detail_of_a_run_changes_without_a_restart(service: Service) -> None:
    recording = service.get(f"/runs/{CART}/recording")
    assert (recording["detail"], recording["chosen"], recording["of_family"]) == ("standard", None, "standard")
    assert [level["detail"] for level in recording["levels"]] == ["off", "minimal", "standard", "full"]
    for detail, has_steps in (("off", False), ("minimal", True)):
        answer = service.api("PUT", f"/runs/{CART}/recording", json={"detail": detail})
        assert (answer.status_code, answer.json()["detail"]) == (200, detail)
        assert evaluated(service, CART, episodes=1, video=False)["has_steps"] == has_steps
    latest = service.get(f"/runs/{CART}/evaluations/latest")
    assert latest["summary"]["recording"]["detail"] == "minimal"
    names = service.get(f"/runs/{CART}/evaluations/{latest['id']}/steps")["info"]["names"]
    assert not [name for name in names if name.startswith("reading")]
    service.api("PUT", f"/runs/{CART}/recording", json={"detail": None})
    assert service.get(f"/runs/{CART}/recording")["detail"] == "standard"
    assert_problem(service.api("PUT", f"/runs/{CART}/recording", json={"detail": "everything"}), 422)
    assert_problem(service.api("GET", "/runs/nobody/recording"), 404)


def test_frames_of_episode_endings_are_kept_as_pictures(service: Service) -> None:
    found = evaluated(service, CART, episodes=2, video=False)
    assert found["has_frames"]
    kept = service.get(f"/runs/{CART}/evaluations/{found['id']}/frames")["frames"]
    lengths = [episode["episode_length"] for episode in found["summary"]["episodes"]]
    assert [(one["episode"], one["index"], one["reason"]) for one in kept] == [
        (place, length, "end") for place, length in enumerate(lengths)
    ]
    picture = service.http.get(kept[0]["url"])
    assert picture.headers["content-type"] == "image/jpeg"
    with Image.open(BytesIO(picture.content)) as image:
        assert image.size == (600, 400)
    assert_problem(service.http.get(kept[0]["url"].rpartition("/")[0] + "/3"), 404)


def test_a_run_records_episodes_during_training(service: Service) -> None:
    brief = {"preset": None, "hyperparameters": QUICK["ppo"], "total_timesteps": 600}
    plan = {"every_steps": 200, "episodes": 2}
    run_id = service.create(**brief, start=True, evaluation=plan)["id"]
    service.wait_for_status(run_id, "completed")
    own = eventually(lambda: service.get(f"/runs/{run_id}/evaluations", params={"by_run": True}), "what it recorded")
    assert service.get(f"/runs/{run_id}/evaluations") == []
    assert {one["origin"] for one in own} == {"run"}
    assert all(one["has_steps"] and one["video_url"] is None for one in own)
    assert service.get(f"/runs/{run_id}/recording")["cost"] is not None
    found = service.get("/episodes", params={"runs": run_id, "where": "length > 0"})
    assert found["searched"] == 0, "nobody has asked for them"
