"""Runs without learning: played by a person, or with random actions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import av
import pytest

from rlviz.domain.metrics import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.sessions import RecordedMessage
from rlviz.rundir.journal import read_journal
from tests.support.service_process import Service, serving
from tests.support.sessions import Viewer, looking, new_session
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("played"), on_exit="stop") as service:
        yield service


@contextmanager
def playing(service: Service, **wishes: Any) -> Iterator[Viewer]:
    """Yield a viewer who plays, then end the session, which would otherwise continue for some seconds."""
    session = new_session(service, env_id="CartPole-v1", **wishes)
    with looking(service, session) as viewer:
        yield viewer
        assert service.api("DELETE", f"/sessions/{session['id']}").status_code == 204


def fall_over(viewer: Viewer, episodes: int = 1) -> str:
    """Hold one key in CartPole until the given number of episodes have ended, and return the run that stores them."""
    viewer.send(type="rate", fps=60)
    viewer.send(type="action", value=1)
    found = viewer.until(lambda message: isinstance(message, RecordedMessage) and message.episodes == episodes)
    assert isinstance(found, RecordedMessage)
    return found.run_id


def rows(service: Service, run_id: str) -> list[dict[str, Any]]:
    lines = read_journal(service.folder(run_id).metrics_path)
    return [line.record["values"] for line in lines if line.record is not None]


def test_episodes_played_by_a_person_form_an_ordinary_run(service: Service) -> None:
    with looking(service, mode="play", env_id="CartPole-v1", seed=40) as viewer:
        run_id = fall_over(viewer)
        [first] = eventually(lambda: service.get(f"/runs/{run_id}/evaluations"), "the first episode in the catalogue")
        fall_over(viewer, episodes=2)
        run = service.wait_for_status(run_id, "running")
        assert (run["actor"], run["algo"], run["env_id"], run["seed"]) == ("human", "human", "CartPole-v1", 40)
        assert run["name"].startswith("Human on ")
    run = service.wait_for_status(run_id, "completed")
    assert run["config"]["actor"] == "human"
    assert run["step"] == sum(row[EPISODE_LENGTH] for row in rows(service, run_id))
    assert [row[EPISODE_INDEX] for row in rows(service, run_id)][:2] == [1, 2]
    assert run["ep_rew_mean"] == pytest.approx(run["ep_len_mean"])
    assert run_id in [one["id"] for one in service.get("/runs", params={"algo": "human"})["runs"]]
    [evaluation] = eventually(lambda: service.get(f"/runs/{run_id}/evaluations"), "the records in the catalogue")
    assert (evaluation["status"], evaluation["has_steps"]) == ("completed", True)
    assert [episode["seed"] for episode in evaluation["summary"]["episodes"]][:2] == [40, 41]
    episodes, video = evaluation["summary"]["episodes"], evaluation["summary"]["video"]
    frames = [episode["episode_length"] + 1 for episode in episodes]
    assert [episode["first_frame"] for episode in episodes] == [sum(frames[:place]) for place in range(len(frames))]
    assert evaluation["video_url"] != first["video_url"], "no browser takes it for the shorter one"
    answer = service.http.get(evaluation["video_url"])
    assert (answer.status_code, len(answer.content)) == (200, video["size_bytes"])
    with av.open(BytesIO(answer.content)) as container:
        assert sum(1 for _ in container.decode(container.streams.video[0])) == video["frames"] == sum(frames)
    found = service.get(f"/runs/{run_id}/evaluations/{evaluation['id']}/steps", params={"episode": 0})
    assert set(found["columns"]["actor"][1:]) == {"person"}
    service.api("POST", f"/runs/{run_id}/evaluations/{evaluation['id']}/verify")
    verified = eventually(
        lambda: (
            (answer := service.get(f"/runs/{run_id}/evaluations/{evaluation['id']}/verify"))["status"] == "completed"
            and answer
        ),
        "the verification",
    )
    assert verified["identical"], verified


def test_each_action_records_its_actor_where_the_controls_changed(service: Service) -> None:
    with playing(service, mode="step") as viewer:
        viewer.send(type="action", value=1)
        viewer.send(type="step", n=1)
        viewer.send(type="actor", actor="random")
        viewer.send(type="step", n=500)
        run_id = viewer.first("recorded").run_id
    service.wait_for_status(run_id, "completed")
    [evaluation] = service.get(f"/runs/{run_id}/evaluations")
    found = service.get(f"/runs/{run_id}/evaluations/{evaluation['id']}/steps", params={"episode": 0})
    actors = found["columns"]["actor"]
    assert (actors[0], actors[1], set(actors[2:])) == (None, "person", {"random"})


def test_a_played_run_cannot_be_started_stopped_evaluated_or_watched(service: Service) -> None:
    with playing(service, mode="play") as viewer:
        run_id = fall_over(viewer)
        service.wait_for_status(run_id, "running")
        for path in ("start", "stop"):
            answer = service.api("POST", f"/runs/{run_id}/{path}")
            assert (answer.status_code, "played by hand" in answer.json()["detail"]) == (409, True)
        for path, body in ((f"/runs/{run_id}/evaluations", {}), ("/sessions", {"mode": "watch", "run_id": run_id})):
            answer = service.api("POST", path, json=body)
            assert (answer.status_code, "Nothing learns" in answer.json()["detail"]) == (409, True)
        assert service.get("/health")["active_runs"] == 0, "it takes no place of a run that trains"
    service.wait_for_status(run_id, "completed")
    assert service.api("POST", "/runs", json={"algo": "human"}).status_code == 422


def test_random_runs_are_started_like_any_other_run(service: Service) -> None:
    run_id = service.create(algo="random", start=True, total_timesteps=2_000)["id"]
    run = service.wait_for_status(run_id, "completed")
    assert (run["actor"], run["step"], run["policy_step"]) == ("random", 2_000, None)
    returns = [row[EPISODE_REWARD] for row in rows(service, run_id) if EPISODE_REWARD in row]
    assert run["episodes"] == len(returns) > 40
    chance = next(env for env in service.get("/environments") if env["id"] == "CartPole-v1")["random_return"]["mean"]
    assert sum(returns) / len(returns) == pytest.approx(chance, rel=0.3)
    again = service.create(algo="random", start=True, total_timesteps=2_000)["id"]
    service.wait_for_status(again, "completed")
    assert [row[EPISODE_REWARD] for row in rows(service, again) if EPISODE_REWARD in row] == returns
    compared = service.get("/compare", params={"runs": f"{run_id},{again}"})
    assert [group["title"] for group in compared["algorithms"]] == ["random"]
