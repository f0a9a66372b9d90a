"""Runs of version 0.1.0 open and evaluate, with their own catalogue and with a rebuilt one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.support.event_streams import streaming
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

FIXTURE = Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0"

ENDINGS = ["completed", "created", "failed", "interrupted", "stopped"]


def test_old_runs_are_the_same_in_their_own_catalogue_and_in_a_rebuilt_one(tmp_path: Path) -> None:
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
    for run in migrated["list"]:
        drift = {(one["kind"], one["key"]) for one in migrated[f"{run['id']}/drift"]["drift"]}
        assert {("deprecated", "/own_environment"), ("defaulted", "/snapshots")} <= drift
        assert {kind for kind, _ in drift} <= {"deprecated", "defaulted", "package"}


def test_the_policy_of_an_old_run_can_be_evaluated(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "runs")
    with serving(tmp_path) as service:
        for run in service.get("/runs?status=completed&status=stopped")["runs"]:
            asked = service.api("POST", f"/runs/{run['id']}/evaluations", json={"episodes": 2})
            assert asked.status_code == 202, asked.text
            evaluation = eventually(lambda run=run: ended(service, run["id"]), f"the evaluation of {run['id']}")
            assert (evaluation["status"], evaluation["cause"]) == ("completed", None)
            assert evaluation["checkpoint_step"] == run["policy_step"]
            assert len(evaluation["summary"]["episodes"]) == 2
            video = service.http.get(evaluation["video_url"])
            assert (video.status_code, video.headers["content-type"]) == (200, "video/mp4")


def ended(service: Service, run_id: str) -> dict[str, Any] | None:
    """Return the newest evaluation of the run after it has ended."""
    newest: dict[str, Any] = service.get(f"/runs/{run_id}/evaluations/latest")
    return newest if newest["status"] in ("completed", "failed") else None


def everything(service: Service) -> dict[str, Any]:
    """Return what the service says about each run, from every endpoint."""
    runs = service.get("/runs?sort=created_at")["runs"]
    ids = [run["id"] for run in runs]
    said: dict[str, Any] = {"list": runs}
    for run_id in ids:
        for path in (
            "",
            "/config",
            "/metrics/rows?tail=50",
            "/metrics/curves",
            "/events",
            "/evaluations",
            "/hints",
            "/drift",
        ):
            said[run_id + path] = service.get(f"/runs/{run_id}{path}")
    said["compare"] = service.get(f"/compare?runs={','.join(ids)}")
    said["streams"] = {run["id"]: rows(service, run["id"]) for run in runs if run["status"] != "created"}
    return said


def rows(service: Service, run_id: str) -> list[dict[str, Any]]:
    """Return every row that a stream of an ended run sends."""
    found: list[dict[str, Any]] = []
    with streaming(service, f"/runs/{run_id}/stream") as stream:
        for event in stream:
            if event.kind == "metrics":
                found += event.data["rows"]
            if event.kind == "end":
                return found
    raise AssertionError(f"The stream of {run_id} closed before its end")
