"""Runs that version 0.1.0 wrote still open, stream, compare and are rebuilt, on its catalogue and without one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.support.http import Service, serving, streaming

FIXTURE = Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0"

ENDINGS = ["completed", "created", "failed", "interrupted", "stopped"]


def test_old_runs_are_the_same_on_their_catalogue_and_on_one_that_is_made_again(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "runs")
    with serving(tmp_path) as service:
        migrated = everything(service)
        assert "Traceback" not in service.log, service.log
    for catalogue in (tmp_path / "runs").glob("rlviz*.db*"):
        catalogue.unlink()
    with serving(tmp_path) as service:
        rebuilt = everything(service)
        assert "Traceback" not in service.log, service.log
    assert sorted({run["status"] for run in migrated["list"]}) == ENDINGS
    assert not [run["damage"] for run in migrated["list"] if run["damage"]]
    assert migrated["list"] == rebuilt["list"]
    assert migrated == rebuilt


def everything(service: Service) -> dict[str, Any]:
    """What the service says of each run, by every way there is to ask."""
    runs = service.get("/runs?sort=created_at")["runs"]
    ids = [run["id"] for run in runs]
    said: dict[str, Any] = {"list": runs}
    for run_id in ids:
        for path in ("", "/config", "/metrics/rows?tail=50", "/metrics/curves", "/events", "/evaluations", "/hints"):
            said[run_id + path] = service.get(f"/runs/{run_id}{path}")
    said["compare"] = service.get(f"/compare?runs={','.join(ids)}")
    said["streams"] = {run["id"]: rows(service, run["id"]) for run in runs if run["status"] != "created"}
    return said


def rows(service: Service, run_id: str) -> list[dict[str, Any]]:
    """Every row that a stream of an ended run delivers before it ends."""
    found: list[dict[str, Any]] = []
    with streaming(service, f"/runs/{run_id}/stream") as stream:
        for event in stream:
            if event.kind == "metrics":
                found += event.data["rows"]
            if event.kind == "end":
                return found
    raise AssertionError(f"The stream of {run_id} closed before its end")
