"""Runs of random actions, and played sessions that are discarded or interrupted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind
from tests.real.test_played_runs import fall_over, playing
from tests.support.service_process import Service, serving
from tests.support.sessions import looking
from tests.support.training import events
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("played"), on_exit="stop") as service:
        yield service


def test_random_actions_are_evaluated_recorded_verified_and_exported_like_a_policy(service: Service) -> None:
    run_id = service.create(algo="random")["id"]
    path = f"/runs/{run_id}/evaluations"

    def evaluated() -> dict[str, Any]:
        asked = service.api("POST", path, json={"episodes": 2, "seed": 5, "video": False, "steps": True})
        assert asked.status_code == 202, asked.text
        found = eventually(
            lambda: now if (now := service.get(f"{path}/latest"))["status"] in ("completed", "failed") else None,
            "the evaluation",
        )
        assert (found["status"], found["cause"], found["checkpoint_step"]) == ("completed", None, None)
        assert isinstance(found, dict)
        return found

    first, second = evaluated(), evaluated()
    assert first["summary"]["episodes"] == second["summary"]["episodes"], "the seed decides the actions"
    lines = service.api("GET", f"{path}/{first['id']}/export", params={"format": "ndjson"}).text.splitlines()
    assert {json.loads(line)["actor"] for line in lines} == {None, "random"}
    service.api("POST", f"{path}/{first['id']}/verify")
    verified = eventually(
        lambda: (
            now if (now := service.get(f"{path}/{first['id']}/verify"))["status"] in ("completed", "failed") else None
        ),
        "the verification",
    )
    assert verified["identical"] is True
    answer = service.api("POST", path, json={"policy": "best"})
    assert (answer.status_code, "Leave out `policy`" in answer.json()["detail"]) == (409, True)


def test_an_episode_without_input_or_without_an_end_is_not_kept(service: Service) -> None:
    before = service.get("/runs", params={"algo": "human"})["total"]
    with playing(service, mode="play") as viewer:
        viewer.send(type="actor", actor="random")
        viewer.send(type="rate", fps=60)
        viewer.step(lambda record: record.terminated)
        viewer.send(type="actor", actor="person")
        viewer.send(type="action", value=0)
        viewer.step(lambda record: record.episode == 1 and record.index >= 2)
    eventually(lambda: not service.get("/sessions") or None, "the end of the session")
    assert service.get("/runs", params={"algo": "human"})["total"] == before


def test_a_run_of_random_actions_stops_on_request(service: Service) -> None:
    run_id = service.create(algo="random", start=True, total_timesteps=10_000_000)["id"]
    eventually(lambda: service.get(f"/runs/{run_id}")["step"] > 0 or None, "its first steps")
    service.api("POST", f"/runs/{run_id}/stop")
    run = service.wait_for_status(run_id, "stopped")
    assert 0 < run["step"] < 10_000_000


def test_episodes_played_when_the_service_ends_are_complete(tmp_path: Path) -> None:
    with serving(tmp_path, on_exit="stop") as service, looking(service, mode="play", env_id="CartPole-v1") as viewer:
        run_id = fall_over(viewer)
        assert service.stop() == 0
        assert "did not stop" not in service.log, "its worker was told to end, and did"
        assert [event.event for event in events(service.folder(run_id))] == [EventKind.STARTED, EventKind.FINISHED]
