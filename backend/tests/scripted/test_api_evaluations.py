"""The endpoints that create and list evaluations."""

from __future__ import annotations

from typing import Any

from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service
from tests.support.waiting import eventually

ENDED = "ended-run"


def test_a_run_that_was_never_evaluated_has_an_empty_list_and_no_latest(service: Service) -> None:
    assert service.get(f"/runs/{ENDED}/evaluations") == []
    assert_problem(service.api("GET", f"/runs/{ENDED}/evaluations/latest"), 404)


def test_an_evaluation_is_accepted_immediately_and_listed_newest_first(service: Service) -> None:
    run = service.create(total_timesteps=256, start=True)
    service.wait_for_status(run["id"], "completed")
    path = f"/runs/{run['id']}/evaluations"
    ids = []
    for number in range(2):
        answer = service.api("POST", path, json={"episodes": 1, "seed": number})
        assert answer.status_code == 202
        assert answer.json()["status"] == "queued"
        assert answer.json()["video_url"] is None
        ids.append(answer.json()["id"])
        assert_problem(service.api("POST", path), 409)
        assert_problem(service.api("DELETE", f"/runs/{run['id']}"), 409)
        wait_for_evaluation(service, run["id"])
    listed = service.get(path)
    assert [item["id"] for item in listed] == ids[::-1]
    assert service.get(f"{path}/latest") == listed[0] == service.get(f"/runs/{run['id']}")["latest_evaluation"]
    assert listed[0]["summary"]["episodes"][0]["seed"] == 1
    assert listed[0]["checkpoint_step"] == service.get(f"/runs/{run['id']}")["policy_step"]
    video = service.http.get(listed[0]["video_url"])
    assert video.headers["content-type"] == "video/mp4"
    assert len(video.content) == listed[0]["summary"]["video"]["size_bytes"]


def wait_for_evaluation(service: Service, run_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/evaluations/latest")
        return found if found["status"] in ("completed", "failed") else None

    found = eventually(look, "The end of the evaluation")
    assert found["status"] == "completed", found["cause"]
    return found
