"""Sessions through a real service, real workers and a real WebSocket."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from rlviz.domain.recording import Actor
from rlviz.domain.sessions import PolicyMessage, StepMessage
from tests.support.faults import train
from tests.support.service_process import Service, serving
from tests.support.sessions import Viewer, looking, new_session
from tests.support.training import QUICK


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("sessions"), on_exit="stop") as service:
        yield service


@pytest.fixture(scope="module")
def trained(service: Service) -> str:
    """A completed run."""
    run = service.create(start=True, preset=None, total_timesteps=512, hyperparameters=QUICK["ppo"])
    service.wait_for_status(run["id"], "completed")
    return str(run["id"])


def picture(viewer: Viewer) -> Image.Image:
    return Image.open(io.BytesIO(viewer.frames[len(viewer.messages) - 1]))


def test_a_training_run_is_watched_with_ever_newer_policies(service: Service) -> None:
    run_id = train(service)
    with looking(service, run_id=run_id) as viewer:
        hello = viewer.first("hello")
        assert (hello.run_id, hello.env_id, hello.actor) == (run_id, "CartPole-v1", Actor.POLICY)
        record = viewer.step(lambda record: record.index == 1)
        assert picture(viewer).size == (600, 400)
        assert record.actor is Actor.POLICY
        assert record.reading is not None
        assert record.reading.value is not None
        assert sum(record.reading.probabilities or ()) == pytest.approx(1, abs=1e-5)
        steps = [viewer.first("policy").step for _ in range(3)]
        assert steps == sorted(set(steps))
        assert (service.folder(run_id).live_weights_path).is_file()
    service.api("POST", f"/runs/{run_id}/stop")
    service.wait_for_status(run_id, "stopped")
    assert not service.folder(run_id).live_weights_path.exists(), "the final model has taken its place"


def test_the_q_table_is_written_with_the_weights_being_played(service: Service) -> None:
    run_id = train(service, algo="q-learning", env_id="FrozenLake-v1", hyperparameters={})
    table = service.folder(run_id).q_table_path
    with looking(service, run_id=run_id) as viewer:
        # One in ten at least: a checkpoint may write it in between, and a busy worker may miss weights.
        of_the_same_step = (viewer.first("policy").step == json.loads(table.read_bytes())["step"] for _ in range(10))
        assert any(of_the_same_step)
        service.api("POST", f"/runs/{run_id}/stop")
    service.wait_for_status(run_id, "stopped")


def test_a_run_that_ends_while_it_is_watched_continues_with_its_final_policy(service: Service) -> None:
    run_id = train(service)
    with looking(service, run_id=run_id) as viewer:
        viewer.step()
        service.api("POST", f"/runs/{run_id}/stop")
        final = service.wait_for_status(run_id, "stopped")["policy_step"]
        viewer.until(lambda message: isinstance(message, PolicyMessage) and message.step == final)
        assert viewer.step().reading is not None


def test_a_session_steps_forward_and_back_and_into_another_future(service: Service, trained: str) -> None:
    with looking(service, run_id=trained, mode="step") as viewer:
        assert viewer.step().index == 0
        viewer.send(type="step", n=5)
        seen = {record.index: record for record in (viewer.step() for _ in range(5))}
        viewer.send(type="back")
        assert viewer.step() == seen[4], "observation, reading and the hash of the frame"
        viewer.send(type="action", value=1 - seen[5].action)
        viewer.send(type="step")
        other = viewer.step()
        assert (other.index, other.actor) == (5, Actor.PERSON)
        assert other.observation != seen[5].observation


def test_a_player_takes_over_and_hands_back_the_controls(service: Service, trained: str) -> None:
    with looking(service, run_id=trained, mode="play") as viewer:
        assert viewer.first("hello").actor is Actor.PERSON
        viewer.send(type="action", value=1)
        pressed = viewer.step(lambda record: record.index > 0)
        assert (pressed.action, pressed.actor) == (1, Actor.PERSON)
        viewer.send(type="actor", actor="policy")
        assert viewer.step(lambda record: record.actor is Actor.POLICY).episode == pressed.episode
        viewer.send(type="actor", actor="person")
        viewer.send(type="action", value=0)
        assert viewer.step(lambda record: record.actor is Actor.PERSON and record.index > pressed.index).action == 0


@pytest.mark.parametrize(
    ("env_id", "options"), [("Pendulum-v1", {}), ("FrozenLake-v1", {"map_name": "8x8"}), ("LunarLander-v3", {})]
)
def test_an_environment_without_a_run_is_played_at_random(
    service: Service, env_id: str, options: dict[str, object]
) -> None:
    with looking(service, env_id=env_id, env_options=options) as viewer:
        hello = viewer.first("hello")
        assert (hello.run_id, hello.actor, hello.actors) == (None, Actor.RANDOM, (Actor.RANDOM, Actor.PERSON))
        viewer.send(type="rate", fps=60)
        records = [viewer.step() for _ in range(4)]
        assert {record.reading for record in records} == {None}
        assert np.asarray(picture(viewer)).std() > 0


def test_a_frame_and_its_record_arrive_together_and_no_record_is_missing(service: Service, trained: str) -> None:
    with looking(service, run_id=trained) as viewer:
        viewer.send(type="rate", fps=60)
        viewer.step(lambda record: record.episode == 1)
        records = [message.record for message in viewer.messages if isinstance(message, StepMessage)]
        first = [record.index for record in records if record.episode == 0]
        assert first == list(range(len(first)))


def test_sessions_are_listed_deleted_and_then_not_found(service: Service, trained: str) -> None:
    session = new_session(service, run_id=trained)
    with looking(service, session) as viewer:
        viewer.step()
        [listed] = [one for one in service.get("/sessions") if one["id"] == session["id"]]
        assert listed == {**session, "watched": True}
        assert service.api("DELETE", f"/sessions/{session['id']}").status_code == 204
        assert "ended" in viewer.first("ended").cause
    assert service.api("DELETE", f"/sessions/{session['id']}").status_code == 404
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{service.port}{session['socket']}")
    assert refused.value.response.status_code == 404
    assert b"There is no session" in refused.value.response.body


def test_a_second_window_takes_over_the_session_in_its_current_state(service: Service, trained: str) -> None:
    session = new_session(service, run_id=trained, mode="step")
    with looking(service, session) as first:
        first.send(type="step", n=3)
        stands = first.step(lambda record: record.index == 3)
        with looking(service, session) as second:
            assert second.next().type == "hello"
            assert second.step() == stands
            assert "elsewhere" in first.first("ended").cause
            second.send(type="step")
            assert second.step().index == 4


@pytest.mark.parametrize(
    ("wishes", "status"),
    [
        ({"mode": "watch"}, 422),
        ({"mode": "dream", "env_id": "CartPole-v1"}, 422),
        ({"mode": "watch", "env_id": "CartPole-v2"}, 422),
        ({"mode": "watch", "env_id": "CartPole-v1", "run_id": "x"}, 422),
        ({"mode": "watch", "env_id": "CartPole-v1", "env_options": {"wind": 1}}, 422),
        ({"mode": "watch", "env_id": "CartPole-v1", "seed": -1}, 422),
        ({"mode": "watch", "run_id": "no-such-run"}, 404),
        ({"mode": "watch", "run_id": "../../etc"}, 404),
    ],
)
def test_an_impossible_session_is_refused(service: Service, wishes: dict[str, object], status: int) -> None:
    answer = service.api("POST", "/sessions", json=wishes)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


def test_a_run_without_a_policy_has_nothing_to_play(service: Service) -> None:
    run = service.create(preset=None, total_timesteps=512)
    answer = service.api("POST", "/sessions", json={"mode": "watch", "run_id": run["id"]})
    assert (answer.status_code, answer.json()["title"]) == (409, "Nothing to play yet")


def test_sessions_leave_no_files_in_the_folder_of_an_ended_run(service: Service, trained: str) -> None:
    folder: Path = service.folder(trained).path
    before = sorted(folder.rglob("*"))
    with looking(service, run_id=trained) as viewer:
        viewer.step()
    assert sorted(folder.rglob("*")) == before
