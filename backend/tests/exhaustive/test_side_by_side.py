"""Videos of two runs side by side, over HTTP and from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import pytest

from tests.support.cli import call
from tests.support.evaluations import evaluated
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.training import QUICK


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("beside")) as service:
        yield service


@pytest.fixture(scope="module")
def run_id(service: Service) -> str:
    run = service.create(algo="ppo", preset=None, hyperparameters=QUICK["ppo"], total_timesteps=300, start=True)
    service.wait_for_status(run["id"], "completed")
    return str(run["id"])


@pytest.fixture(scope="module")
def evaluation(service: Service, run_id: str) -> dict[str, Any]:
    return evaluated(service, run_id, episodes=1)


def test_two_evaluations_are_combined_into_one_video(
    service: Service, run_id: str, evaluation: dict[str, Any], tmp_path: Path
) -> None:
    answer = service.api("GET", "/compare/video", params={"first": run_id, "second": f"{run_id}/{evaluation['id']}"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "video/mp4"
    video = evaluation["summary"]["video"]
    with av.open(BytesIO(answer.content)) as container:
        frames = list(container.decode(video=0))
    assert abs(len(frames) - video["frames"]) <= 1
    assert frames[0].width > video["width"]


def test_the_command_writes_the_video(
    service: Service, run_id: str, evaluation: dict[str, Any], tmp_path: Path
) -> None:
    other = service.create(algo="ppo", name="Never trained")["id"]
    missing = call(service.runs_dir, "compare", run_id, other, "--video", str(tmp_path / "both.mp4"))
    assert missing.status != 0
    assert "has no video" in missing.err
    one = call(service.runs_dir, "compare", run_id, "--video", str(tmp_path / "both.mp4"))
    assert "two runs" in one.err
    assert not list(tmp_path.iterdir())
    both = tmp_path / "both.mp4"
    written = call(service.runs_dir, "compare", run_id, run_id, "--video", str(both), "--json")
    assert written.json == {"path": str(both), "bytes": both.stat().st_size}


def test_an_evaluation_without_a_video_is_named(service: Service, run_id: str) -> None:
    other = service.create(algo="ppo")["id"]
    answer = service.api("GET", "/compare/video", params={"first": run_id, "second": other})
    assert other in assert_problem(answer, 404)["detail"]
    answer = service.api(
        "GET", "/compare/video", params={"first": run_id, "second": f"{run_id}/eval_20260101-000000-000"}
    )
    assert_problem(answer, 404)


def test_an_unreadable_video_is_reported_in_the_response(
    service: Service, run_id: str, evaluation: dict[str, Any]
) -> None:
    video = service.runs_dir / run_id / "eval" / f"{evaluation['id']}.mp4"
    content = video.read_bytes()
    video.write_bytes(b"no video")
    try:
        answer = service.api("GET", "/compare/video", params={"first": run_id, "second": run_id})
        assert_problem(answer, 500)
    finally:
        video.write_bytes(content)
