"""The growth video of a run. It is exhaustive because it plays every policy of the film."""

from __future__ import annotations

from tests.real.test_film import made, run_id, service
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service

__all__ = ["run_id", "service"]


def test_the_growth_video_has_no_step_records_and_says_why(service: Service, run_id: str) -> None:
    video = made(service, run_id, "growth-video", seed=3)
    problem = assert_problem(service.api("GET", f"/runs/{run_id}/clips/{video['id']}/steps"), 404)
    assert "several policies" in problem["detail"]
