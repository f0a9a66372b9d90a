"""Random actions as an actor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.service_process import Service, serving
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
