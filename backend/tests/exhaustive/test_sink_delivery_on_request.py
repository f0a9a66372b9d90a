"""A run that has ended is delivered on request, through the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

RUN = {"algo": "ppo", "preset": None, "total_timesteps": 512, "hyperparameters": QUICK["ppo"], "start": True}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path]]:
    folder = tmp_path_factory.mktemp("sinks")
    with serving(folder, max_concurrent_runs="1", launcher="scripted") as service:
        yield service, folder / "runs"


def only_sink(service: Service, run_id: str) -> dict[str, Any]:
    (sink,) = service.get(f"/runs/{run_id}/sinks")["sinks"]
    return cast("dict[str, Any]", sink)


def test_a_run_is_exported_once_through_the_service(here: tuple[Service, Path]) -> None:
    service, _ = here
    run_id = service.api("POST", "/runs", json=RUN).json()["id"]
    service.wait_for_status(run_id, "completed")
    answer = service.api("POST", f"/runs/{run_id}/sinks/tensorboard/deliver")
    assert (answer.status_code, answer.json()["sinks"][0]["state"]) == (202, "waiting")
    eventually(lambda: only_sink(service, run_id)["state"] == "delivered", "all of it", 120.0)
    eventually(lambda: not only_sink(service, run_id)["under_way"], "the end of the process")
    found = only_sink(service, run_id)
    assert (found["live"], found["next_try_at"]) == (False, None)
