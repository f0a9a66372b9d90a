"""The filmstrip over HTTP: stored policies, clips, counterfactuals and value slices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import pytest
from PIL import Image

from rlviz.domain.clips import ClipRecord, ClipRequest
from rlviz.rundir.clips import Clips
from tests.support.evaluations import evaluated
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service import service as whole_service
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

KEEP_BYTES = 1_000_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("film"), keep_clips=str(KEEP_BYTES), keep_film="12") as service:
        yield service


@pytest.fixture(scope="module")
def run_id(service: Service) -> str:
    """A short run with a filmstrip."""
    run = service.create(algo="ppo", preset=None, hyperparameters=QUICK["ppo"], total_timesteps=3_000, start=True)
    service.wait_for_status(run["id"], "completed")
    return str(run["id"])


def made(service: Service, run_id: str, path: str = "clips", **wishes: Any) -> dict[str, Any]:
    """Return the requested clip once its state is final."""
    asked = service.api("POST", f"/runs/{run_id}/{path}", json=wishes)
    assert asked.status_code in (200, 202), asked.text
    clip: dict[str, Any] = asked.json()

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/clips/{clip['id']}")
        return found if found["status"] != "waiting" else None

    return eventually(look, f"clip {clip['id']}", 300)


def download(service: Service, url: str) -> bytes:
    answer = service.api("GET", url.removeprefix("/api"))
    assert answer.status_code == 200
    return answer.content


def frames_in(video: bytes) -> int:
    with av.open(BytesIO(video)) as container:
        return sum(1 for _ in container.decode(video=0))


def test_the_policies_of_a_run_are_listed_from_the_first_to_the_last(service: Service, run_id: str) -> None:
    found = service.get(f"/runs/{run_id}/policies")
    steps = [policy["step"] for policy in found["policies"]]
    assert steps[0] == 0
    assert steps == sorted(set(steps))
    assert steps[-1] == service.get(f"/runs/{run_id}")["step"]
    assert "latest" in found["policies"][-1]["kinds"]
    film = [policy for policy in found["policies"] if "film" in policy["kinds"]]
    assert 3 <= len(film) <= 13
    assert found["film_bytes"] == sum(policy["size_bytes"] for policy in film)
    assert found["clip_limit_bytes"] == KEEP_BYTES


def test_an_evaluation_uses_the_policy_at_or_before_a_step_and_names_it(service: Service, run_id: str) -> None:
    steps = [policy["step"] for policy in service.get(f"/runs/{run_id}/policies")["policies"]]
    asked = service.api("POST", f"/runs/{run_id}/evaluations", json={"episodes": 1, "checkpoint_step": steps[3] - 1})
    assert asked.status_code == 202
    assert asked.json()["checkpoint_step"] == steps[2]

    def ended() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/evaluations/latest")
        return found if found["status"] in ("completed", "failed") else None

    evaluation = eventually(ended, "the evaluation", 300)
    assert (evaluation["status"], evaluation["cause"], evaluation["checkpoint_step"]) == ("completed", None, steps[2])


def test_a_step_and_the_best_policy_cannot_be_requested_together(service: Service, run_id: str) -> None:
    wishes = {"checkpoint_step": 0, "policy": "best"}
    assert_problem(service.api("POST", f"/runs/{run_id}/evaluations", json=wishes), 422, "/checkpoint_step")


def test_a_clip_is_one_episode_of_the_policy_at_that_moment_and_no_evaluation(service: Service, run_id: str) -> None:
    before = service.get(f"/runs/{run_id}/evaluations")
    first, last = made(service, run_id, step=0), made(service, run_id, step=10_000_000)
    assert (first["status"], first["cause"], first["step"]) == ("ready", None, 0)
    assert last["step"] == service.get(f"/runs/{run_id}")["step"]
    for clip in (first, last):
        (episode,) = clip["episodes"]
        assert episode["step"] == clip["step"]
        assert episode["episode_return"] == episode["episode_length"] > 0
        assert frames_in(download(service, clip["video_url"])) == episode["episode_length"] + 1
        with Image.open(BytesIO(download(service, clip["thumbnail_url"]))) as thumbnail:
            assert thumbnail.format == "WEBP"
            assert thumbnail.width == 160
    assert service.get(f"/runs/{run_id}/evaluations") == before
    assert {clip["id"] for clip in service.get(f"/runs/{run_id}/clips")} >= {first["id"], last["id"]}


def test_an_existing_clip_is_returned_immediately_and_plays_identically(service: Service, run_id: str) -> None:
    clip = made(service, run_id, step=0, seed=7, greedy=False)
    again = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0, "seed": 7, "greedy": False})
    assert (again.status_code, again.json()) == (200, clip)
    Clips(service.folder(run_id)).video_path(clip["id"]).unlink()
    assert service.get(f"/runs/{run_id}/clips/{clip['id']}")["status"] == "retired"
    assert made(service, run_id, step=0, seed=7, greedy=False)["episodes"] == clip["episodes"]


def test_a_picture_request_shows_the_episode_that_its_clip_plays(service: Service, run_id: str) -> None:
    picture = made(service, run_id, step=0, seed=31, picture_only=True)
    assert (picture["status"], picture["video_url"], picture["cause"]) == ("retired", None, None)
    with Image.open(BytesIO(download(service, picture["thumbnail_url"]))) as image:
        assert image.format == "WEBP"
    again = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0, "seed": 31, "picture_only": True})
    assert (again.status_code, again.json()) == (200, picture)
    clip = made(service, run_id, step=0, seed=31)
    assert (clip["status"], clip["episodes"]) == ("ready", picture["episodes"])
    assert picture["is_current"]
    policies = service.get(f"/runs/{run_id}/policies")
    assert policies["has_idle_time"]
    policy = service.folder(run_id).path / policies["policies"][0]["file"]
    saved = policy.stat()
    os.utime(policy)  # as if the run had been rolled back and had saved another policy at this step
    try:
        (old,) = [one for one in service.get(f"/runs/{run_id}/clips") if one["id"] == picture["id"]]
        assert not old["is_current"]
        assert made(service, run_id, step=0, seed=31, picture_only=True)["is_current"]
    finally:
        os.utime(policy, ns=(saved.st_atime_ns, saved.st_mtime_ns))


def test_a_run_without_film_reports_that_there_is_nothing_to_play(service: Service) -> None:
    run = service.create(algo="ppo", preset=None, hyperparameters=QUICK["ppo"], total_timesteps=1_000)
    assert service.get(f"/runs/{run['id']}/policies")["policies"] == []
    for path, body in (("clips", {"step": 5}), ("growth-video", {}), ("evaluations", {"checkpoint_step": 5})):
        problem = assert_problem(service.api("POST", f"/runs/{run['id']}/{path}", json=body), 409)
        assert "polic" in problem["detail"]


def test_a_clip_never_requested_is_not_found(service: Service, run_id: str) -> None:
    for name in ("clip_1_2_greedy", "%2e%2e%2fconfig", "clip_1_2_greedy.mp4", "growth_1_loud"):
        assert_problem(service.api("GET", f"/runs/{run_id}/clips/{name}"), 404)


def test_a_value_slice_is_computed_on_request_and_invalid_requests_say_what_to_do(
    service: Service, run_id: str
) -> None:
    clips = service.get(f"/runs/{run_id}/clips")
    path, wishes = f"/runs/{run_id}/value-slice", {"x": "pole angle", "y": "1"}
    found = eventually(
        lambda: (answer := service.api("GET", path, params=wishes)).status_code != 202 and answer, "the slice", 300
    )
    assert found.status_code == 200, found.text
    slice_: dict[str, Any] = found.json()
    assert (slice_["kind"], slice_["step"]) == ("value", service.get(f"/runs/{run_id}")["step"])
    assert (slice_["x"]["place"], slice_["y"]["place"], slice_["at"]) == (2, 1, [0, 0, 0, 0])
    assert [len(row) for row in slice_["values"]] == [64] * 64
    assert slice_["low"] == pytest.approx(min(map(min, slice_["values"])), rel=1e-5)
    assert service.get(path, params={"x": "2", "y": "1"}) == slice_
    assert service.get(f"/runs/{run_id}/clips") == clips
    for bad, field in (
        ({"x": "angle"}, "/x"),
        ({"y": "9"}, "/y"),
        ({"y": "2", "x": "2"}, "/y"),
        ({"at": "1,2"}, "/at"),
    ):
        assert_problem(service.api("GET", path, params={**wishes, **bad}), 422, field)


def test_another_action_is_played_once_by_the_same_policy_and_is_no_evaluation(service: Service, run_id: str) -> None:
    evaluation = evaluated(service, run_id, episodes=1, deterministic=False, steps=True)
    length = evaluation["summary"]["episodes"][0]["episode_length"]
    path = f"/runs/{run_id}/evaluations/{evaluation['id']}"
    offered = service.get(f"{path}/other-actions?episode=0&step=3")
    (other,) = offered["others"]
    assert {offered["taken"]["name"], other["name"]} == {"push left", "push right"}
    wishes = {"episode": 0, "step": 3, "action": other["action"]}
    before = service.get(f"/runs/{run_id}/evaluations"), service.get(f"/runs/{run_id}/clips")

    asked = service.api("POST", f"{path}/futures", json=wishes)
    assert asked.status_code == 202, asked.text
    found: dict[str, Any] = eventually(
        lambda: (one := service.get(f"/runs/{run_id}/futures/{asked.json()['id']}"))["status"] != "waiting" and one,
        "the other future",
        300,
    )
    assert (found["status"], found["cause"]) == ("ready", None)
    outcome = found["outcome"]
    assert outcome["episode_return"] == outcome["episode_length"] > 0
    assert outcome["recorded_return"] == outcome["recorded_length"] == length - 3
    assert frames_in(download(service, found["video_url"])) == outcome["episode_length"] + 1
    again = service.api("POST", f"{path}/futures", json=wishes)
    assert (again.status_code, again.json()) == (200, found)
    assert (service.get(f"/runs/{run_id}/evaluations"), service.get(f"/runs/{run_id}/clips")) == before

    for bad, field in (
        ({"step": length}, "/step"),
        ({"episode": 1}, "/episode"),
        ({"action": [2]}, "/action"),
        ({"action": offered["taken"]["action"]}, "/action"),
    ):
        assert_problem(service.api("POST", f"{path}/futures", json={**wishes, **bad}), 422, field)
    assert_problem(service.api("GET", f"/runs/{run_id}/futures/clip_1_2_greedy"), 404)


def test_a_clip_completed_during_its_lookup_is_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its record is read before the worker writes it, and its request is removed afterwards."""
    clips = Clips(make_run(tmp_path, "filmed", rows=1, status="completed"))
    name = "clip_1_1_greedy"
    about = {"id": name, "seed": 1, "greedy": True, "steps": [1], "policies": ["model.zip"], "keep_bytes": 1}
    clips.requests.add(ClipRequest.model_validate(about))
    look = Clips.find

    def find(found: Clips, clip_id: str) -> ClipRecord | None:
        before = look(found, clip_id)
        if found.requests.has(clip_id):
            found.requests.answer(ClipRecord(id=clip_id, seed=1, greedy=True, cause="The disk is full."))
        return before

    with whole_service(tmp_path) as application:
        monkeypatch.setattr(application.supervisor, "request_clips", lambda _run_id: None)
        monkeypatch.setattr(Clips, "find", find)
        first, then = (application.film.find("filmed", name) for _ in range(2))
    assert (first.status, then.status, then.cause) == ("waiting", "failed", "The disk is full.")


def test_the_report_films_policies_from_the_whole_training_with_their_returns(service: Service, run_id: str) -> None:
    asked = service.api("POST", f"/runs/{run_id}/report/film").json()
    assert asked["moments"] > 2

    def filmed() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/report/film")
        return found if found["waiting"] == 0 else None

    state = eventually(filmed, "the film of the report", 300)
    assert (state["failed"], state["cause"]) == (0, None)
    page = service.api("GET", f"/runs/{run_id}/report?film=true").text
    last = service.get(f"/runs/{run_id}")["step"]
    assert page.count('"title": "After ') >= state["moments"]
    assert f"After {last:,} steps: return " in page
