"""Delivery of an ended run on request, through the service."""

from __future__ import annotations

from pathlib import Path

from tests.scripted.test_live_sinks import RUN, here, only_sink
from tests.support.service_process import Service
from tests.support.waiting import eventually

__all__ = ["here"]


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
