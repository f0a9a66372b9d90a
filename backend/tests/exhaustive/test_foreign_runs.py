"""Videos logged by a user's script."""

from __future__ import annotations

import numpy as np

from rlviz.library.tracking import track
from tests.scripted.test_foreign_runs import listed, service
from tests.support.cli import call
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service
from tests.support.waiting import eventually

__all__ = ["service"]


def test_a_video_logged_by_a_script_is_listed_while_it_runs_and_playable(service: Service) -> None:
    frames = [np.full((60, 90, 3), 5 * number, np.uint8) for number in range(6)]
    with track("mine", "CartPole-v1", runs_dir=service.runs_dir) as run:
        run.log(128, loss=0.5)
        run.video(frames)
        found = eventually(
            lambda: run.id in listed(service) and service.get(f"/runs/{run.id}/evaluations"), "its video"
        )
        [evaluation] = found
        assert (evaluation["status"], evaluation["checkpoint_step"]) == ("completed", 128)
        assert evaluation["summary"]["episode_return"] is None
        film = service.http.get(evaluation["video_url"])
        assert (film.status_code, film.headers["content-type"]) == (200, "video/mp4")
        run.video(frames, episodes=[(3.5, 5)])
        eventually(lambda: len(service.get(f"/runs/{run.id}/evaluations")) == 2, "its second video")
    service.wait_for_status(run.id, "completed")
    judged = [
        service.api("GET", f"/runs/{run.id}/evaluations/{one['id']}/judgement")
        for one in service.get(f"/runs/{run.id}/evaluations")
    ]
    assert [answer.status_code for answer in judged] == [200, 404]
    assert_problem(judged[1], 404)
    for path in (
        f"/episodes?runs={run.id}",
        f"/compare?runs={run.id}",
        f"/runs/{run.id}/hints",
        f"/runs/{run.id}/events",
    ):
        service.get(path)
    assert call(service.runs_dir, "evaluations", run.id).status == 0
