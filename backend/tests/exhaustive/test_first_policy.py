"""The main workflow over HTTP: train CartPole, evaluate it, and check every frame of the video."""

from __future__ import annotations

import io
from collections.abc import Iterator
from statistics import fmean
from typing import Any

import av
import gymnasium
import pytest

from tests.support.event_streams import is_kind, streaming
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

STEPS = 8_000
RECENT = 20
MARGIN = 3


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("first-policy")) as service:
        yield service
        assert "Traceback" not in service.log, service.log


@pytest.fixture(scope="module")
def random_return() -> float:
    """Return the mean return of random actions."""
    environment = gymnasium.make("CartPole-v1")
    environment.action_space.seed(1)
    returns = []
    for episode in range(100):
        environment.reset(seed=episode)
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, _ = environment.step(environment.action_space.sample())
            total, over = total + float(reward), terminated or truncated
        returns.append(total)
    environment.close()
    return fmean(returns)


@pytest.fixture(scope="module")
def trained(app: Service) -> tuple[dict[str, Any], list[float]]:
    """The run, and the return of each of its episodes from the stream."""
    run = app.create(algo="ppo", env_id="CartPole-v1", preset="fast", seed=1, total_timesteps=STEPS, start=True)
    with streaming(app, f"/runs/{run['id']}/stream") as stream:
        events = stream.until(is_kind("end"))
    assert events[-1].data["status"] == "completed", app.get(f"/runs/{run['id']}")["cause"]
    rows = [row["values"] for event in events if event.kind == "metrics" for row in event.data["rows"]]
    return app.get(f"/runs/{run['id']}"), [row["episode/reward"] for row in rows if "episode/reward" in row]


@pytest.fixture(scope="module")
def evaluation(app: Service, trained: tuple[dict[str, Any], list[float]]) -> dict[str, Any]:
    path = f"/runs/{trained[0]['id']}/evaluations"
    assert app.api("POST", path, json={"episodes": 3}).status_code == 202

    def ended() -> dict[str, Any] | None:
        found: dict[str, Any] = app.get(f"{path}/latest")
        return found if found["status"] in ("completed", "failed") else None

    found = eventually(ended, "The end of the evaluation")
    assert found["status"] == "completed", found["cause"]
    return found


def test_training_clearly_beats_random_actions(
    trained: tuple[dict[str, Any], list[float]], random_return: float
) -> None:
    run, returns = trained
    assert 15 < random_return < 30
    assert run["episodes"] == len(returns)
    assert run["step"] >= STEPS
    assert fmean(returns[-RECENT:]) > MARGIN * random_return
    assert fmean(returns[:RECENT]) < MARGIN * random_return, "It was not learned, it was given"


def test_the_evaluated_policy_clearly_beats_random_actions(
    app: Service, trained: tuple[dict[str, Any], list[float]], evaluation: dict[str, Any], random_return: float
) -> None:
    summary = evaluation["summary"]
    episodes = summary["episodes"]
    assert summary["episode_return"]["mean"] > MARGIN * random_return
    assert summary["episode_return"]["mean"] == pytest.approx(fmean(e["episode_return"] for e in episodes))
    assert [episode["seed"] for episode in episodes] == [evaluation["seed"] + number for number in range(3)]
    assert summary["terminated"] + summary["truncated"] == len(episodes) == 3
    assert evaluation["checkpoint_step"] == trained[0]["step"]


def test_the_video_holds_every_frame_of_every_episode_in_a_browser_format(
    app: Service, evaluation: dict[str, Any]
) -> None:
    facts, episodes = evaluation["summary"]["video"], evaluation["summary"]["episodes"]
    answer = app.http.get(evaluation["video_url"])
    assert answer.headers["content-type"] == "video/mp4"
    assert answer.content.index(b"moov") < answer.content.index(b"mdat"), "The index comes first: faststart"
    with av.open(io.BytesIO(answer.content)) as container:
        stream = container.streams.video[0]
        shapes = {(frame.width, frame.height, frame.format.name) for frame in container.decode(stream)}
        container.seek(0)
        frames = sum(1 for _ in container.decode(stream))
        assert stream.codec_context.name == "h264"
        assert float(stream.average_rate or 0) == facts["fps"] == 50
    assert shapes == {(facts["width"], facts["height"], "yuv420p")}
    assert facts["width"] % 2 == facts["height"] % 2 == 0
    assert facts["height"] <= 720
    assert frames == facts["frames"] == sum(episode["episode_length"] + 1 for episode in episodes)
    begin = 0
    for episode in episodes:
        assert episode["first_frame"] == begin
        begin += episode["episode_length"] + 1
