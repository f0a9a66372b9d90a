"""A webhook that hangs or fails delays nothing else."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.post_office import SECRET, PostOffice, post_office
from tests.support.service_process import serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults

QUICKLY = {"preset": None, "hyperparameters": QUICK["ppo"], "start": True}


def told_after(episodes: int) -> dict[str, object]:
    """Return a rule that notifies once after the given number of episodes."""
    when = {"kind": "metric", "metric": "episode/length", "side": "above", "value": 0, "rows": episodes}
    return {"when": when, "do": [{"kind": "notify", "message": "look"}], "at_most": 1}


def of_the_run(office: PostOffice) -> list[dict[str, Any]]:
    """Return the posts about the run. Others may warn about memory that is nearly full."""
    return [one for one in office.posted if one["kind"] != "memory"]


def test_a_hanging_webhook_delays_neither_runs_nor_the_exit_of_the_app(tmp_path: Path) -> None:
    with post_office(None) as office, serving(tmp_path, webhook_url=office.url) as service:
        wishes = {**QUICKLY, "total_timesteps": 256, "rules": [told_after(1)]}
        first = service.create(**wishes)
        service.wait_for_status(first["id"], "completed")
        eventually(lambda: service.get("/health")["webhook"]["waiting"] >= 2, "both notifications to wait")
        eventually(lambda: of_the_run(office), "the first of them to be tried")
        assert of_the_run(office)[0]["message"] == "look"
        second = service.create(**wishes)
        service.wait_for_status(second["id"], "completed")
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 15
        log = service.log
    assert SECRET not in log
    assert "were not sent to http://127.0.0.1" in log


def test_a_webhook_that_recovers_is_sent_what_happened_while_the_app_was_closed(tmp_path: Path) -> None:
    with post_office(500, 200) as office:
        with serving(tmp_path) as service:
            run = service.create(**QUICKLY, total_timesteps=4_096, rules=[told_after(100)])
            service.wait_for_status(run["id"], "running", "completed")
            service.process.kill()
            service.process.wait()
        events = service.folder(run["id"]).events_path
        eventually(lambda: '"finished"' in events.read_text(), "the end of the run")
        with serving(tmp_path, webhook_url=office.url) as service:
            eventually(lambda: len(of_the_run(office)) == 3, "both notifications to be sent")
            assert SECRET not in service.log
    assert [one["kind"] for one in of_the_run(office)] == ["rule", "rule", "completed"]
