"""Sinks added to an ended run, and sinks of an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import read_sink
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

RUN = {"algo": "ppo", "preset": None, "total_timesteps": 512, "hyperparameters": QUICK["ppo"], "start": True}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path]]:
    folder = tmp_path_factory.mktemp("sinks")
    with serving(folder, max_concurrent_runs="1") as service:
        yield service, folder / "runs"


def only_sink(service: Service, run_id: str) -> dict[str, Any]:
    (sink,) = service.get(f"/runs/{run_id}/sinks")["sinks"]
    return cast("dict[str, Any]", sink)


def test_an_experiments_runs_are_delivered_to_its_sinks(here: tuple[Service, Path]) -> None:
    service, _ = here
    specification = {
        "base": {name: RUN[name] for name in ("algo", "preset", "hyperparameters")} | {"total_timesteps": 256},
        "grid": {"gamma": [0.9, 0.99]},
        "seeds": 1,
        "score": {"episodes": 1, "policy": "latest"},
    }
    refused = service.api("POST", "/experiments", json={**specification, "sinks": ["aim"]})
    assert refused.status_code == 422
    begun = service.api("POST", "/experiments", json={**specification, "sinks": ["tensorboard"]}).json()

    def runs() -> list[str]:
        return [one["run_id"] for one in service.get(f"/experiments/{begun['id']}")["cells"] if one["run_id"]]

    eventually(lambda: len(runs()) == 2, "both to begin", 120.0)
    for run_id in runs():
        eventually(lambda run_id=run_id: only_sink(service, run_id)["state"] == "delivered", "all of it", 120.0)
        assert only_sink(service, run_id)["live"]


def test_a_sink_added_to_an_ended_run_gets_its_data_and_later_changes(here: tuple[Service, Path]) -> None:
    service, runs_dir = here
    run_id = service.api("POST", "/runs", json=RUN).json()["id"]
    assert service.get(f"/runs/{run_id}/sinks")["sinks"] == []
    service.wait_for_status(run_id, "completed")
    service.api("PUT", f"/runs/{run_id}/sinks/tensorboard").raise_for_status()
    eventually(lambda: only_sink(service, run_id)["state"] == "delivered", "all of it", 120.0)
    before = read_sink(RunFolder(runs_dir, run_id), SinkKind.TENSORBOARD)
    service.api("PATCH", f"/runs/{run_id}", json={"name": "another"}).raise_for_status()
    eventually(lambda: only_sink(service, run_id)["state"] == "delivered", "its name", 120.0)
    after = read_sink(RunFolder(runs_dir, run_id), SinkKind.TENSORBOARD)
    assert before is not None
    assert after is not None
    assert before.described != after.described
    left = service.api("DELETE", f"/runs/{run_id}/sinks/tensorboard").json()["sinks"]
    assert [(one["kind"], one["live"], one["rows"]) for one in left] == [("tensorboard", False, after.rows)]
