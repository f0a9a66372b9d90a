"""A stop during an update, as two stream clients see it. It is exhaustive because it needs a long update."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.scripted.test_stream_resume import lines
from tests.support.event_streams import Event, is_status, streaming
from tests.support.service_process import Service
from tests.support.waiting import PATIENCE, eventually


def stands_still(path: Path, seconds: float) -> bool:
    size = path.stat().st_size
    threading.Event().wait(seconds)
    return path.stat().st_size == size


@pytest.mark.timeout(150)
def test_two_clients_see_a_stop_during_an_update_and_nothing_is_locked(service: Service) -> None:
    """Each update takes seconds, so the stop arrives during one."""
    n_steps = 2_048
    run = service.create(
        total_timesteps=1_000_000,
        start=True,
        hyperparameters={"n_envs": 1, "n_steps": n_steps, "batch_size": 32, "n_epochs": 100},
    )
    seen: dict[int, list[Event]] = {}

    def follow(client: int) -> None:
        with streaming(service, f"/runs/{run['id']}/stream") as stream:
            seen[client] = list(stream)

    clients = [threading.Thread(target=follow, args=(client,)) for client in range(2)]
    for client in clients:
        client.start()
    metrics = service.folder(run["id"]).metrics_path
    eventually(lambda: metrics.exists() and b'"step":' in metrics.read_bytes(), "The first episode")
    eventually(lambda: lines(service, run["id"])[-1]["step"] > n_steps - 500, "The end of the first rollout")
    eventually(lambda: stands_still(metrics, 3.0), "The update, in which nothing is logged")
    answers = [service.api("POST", f"/runs/{run['id']}/stop") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    for client in clients:
        client.join(PATIENCE)
        assert not client.is_alive()
    assert service.get(f"/runs/{run['id']}")["step"] % n_steps <= 1, "The stop did not come in an update"
    everything = [row["seq"] for row in lines(service, run["id"])]
    for events in seen.values():
        assert any(map(is_status("stopping"), events))
        assert [event.data["run"]["status"] for event in events if event.kind == "status"][-1] == "stopped"
        assert events[-1].kind == "end"
        assert events[-1].data == {"run_id": run["id"], "status": "stopped"}
        assert [seq for event in events if event.kind == "metrics" for seq in event.seqs] == everything
    assert service.folder(run["id"]).model_path.exists()
