"""Runs written by the user's own programs: live view, refused control, detection of their end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.status import RunStatus
from rlviz.launchers import foreign
from rlviz.library.tracking import track
from rlviz.rundir.folder import RunFolder, run_folders
from tests.support.service import becomes, catalogued
from tests.support.service import service as a_service
from tests.support.service_process import Service, environment, serving
from tests.support.training import rows
from tests.support.waiting import eventually

SCRIPT = """
import sys, time, rlviz
run = rlviz.track("dreamer", "Minecraft-v9", runs_dir=sys.argv[1], config={"lr": 1e-3, "net": object})
for step in range(10):
    run.log(step, {"train/loss": 1.0 / (step + 1)})
    run.episode(step, float(step), 1)
print(run.id, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("foreign"), on_exit="stop", launcher="scripted") as service:
        yield service


def script(runs_dir: Path) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(runs_dir)], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def listed(service: Service) -> list[str]:
    return [run["id"] for run in service.get("/runs")["runs"]]


def test_a_run_of_a_script_appears_live_and_is_interrupted_when_the_script_is_killed(service: Service) -> None:
    process, run_id = script(service.runs_dir)
    try:
        eventually(lambda: run_id in listed(service), "the run's appearance")
        run = service.wait_for_status(run_id, "running")
        assert (run["actor"], run["algo"], run["env_id"], run["end_step"]) == ("foreign", "dreamer", "Minecraft-v9", 0)
        eventually(lambda: service.get(f"/runs/{run_id}")["episodes"] == 10, "its episodes")
        assert run["config"]["hyperparameters"]["lr"] == 1e-3
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    run = service.wait_for_status(run_id, "interrupted")
    assert f"process {process.pid}" in run["cause"]
    assert "killed" in run["cause"]


def test_controlling_a_foreign_run_is_refused(service: Service) -> None:
    with track("mine", "Own-v0", runs_dir=service.runs_dir) as run:
        run.log(1, loss=0.5)
        service_run = eventually(lambda: run.id in listed(service), "the run's appearance")
        assert service_run
        asked: list[tuple[str, str, Any]] = [
            ("POST", "start", None),
            ("POST", "stop", None),
            ("POST", "pause", None),
            ("POST", "resume", {}),
            ("POST", "fork", {"step": 0}),
            ("POST", "snapshots", {}),
            ("POST", "evaluations", {}),
            ("POST", "rollback", {"snapshot": "1"}),
        ]
        for method, path, body in asked:
            answer = service.api(method, f"/runs/{run.id}/{path}", json=body)
            assert (path, answer.status_code) == (path, 409), answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            assert "written by another program" in answer.json()["detail"]
        assert service.api("DELETE", f"/runs/{run.id}").status_code == 409
    service.wait_for_status(run.id, "completed")
    assert eventually(lambda: service.api("DELETE", f"/runs/{run.id}").status_code == 204, "the deletion")


def test_every_view_of_a_run_supports_unknown_names(service: Service) -> None:
    with track("dreamer-v4", "Minecraft/Diamond-v9", runs_dir=service.runs_dir, total_timesteps=5) as one:
        one.log(5, {"rollout/ep_rew_mean": 3.0, "my/own": 1.0})
    with track("dreamer-v4", "Minecraft/Diamond-v9", runs_dir=service.runs_dir) as other:
        other.episode(3, 1.0, 3)
    for run in (one, other):
        eventually(lambda run=run: run.id in listed(service), "the run's appearance")
        service.wait_for_status(run.id, "completed")
        for path in ("", "/config", "/metrics?tail=5", "/events", "/evaluations", "/hints", "/policies", "/snapshots"):
            service.get(f"/runs/{run.id}{path}")
        service.get(f"/runs/{run.id}/rules")
        assert service.api("GET", f"/runs/{run.id}/hints/kl-spikes/test").status_code == 409
    compared = service.get(f"/compare?runs={one.id},{other.id}")
    assert json.dumps(compared)
    assert service.get("/runs", params={"env_id": "Minecraft/Diamond-v9"})["total"] == 2


def test_a_run_written_without_a_service_is_found_by_the_next_one(tmp_path: Path) -> None:
    with track("mine", "Own-v0", runs_dir=tmp_path) as run:
        run.log(7, loss=0.5)
    with catalogued(tmp_path) as application:
        row = application.runs.get(run.id)
    assert (row.status, row.step, row.actor.value) == ("completed", 7, "foreign")


def test_a_forked_process_neither_writes_the_run_nor_keeps_it_alive(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = track("mine", "Own-v0", runs_dir=tmp_path)
    if (child := os.fork()) == 0:
        try:
            for step in (1, 2):
                run.log(step, loss=1.0)
            run.finish(ValueError("not mine to end"))
        finally:
            os._exit(7)
    _, status = os.waitpid(child, 0)
    run.log(2, loss=2.0)
    run.finish()
    assert os.waitstatus_to_exitcode(status) == 7
    rows = RunFolder(tmp_path, run.id).metrics_path.read_text().splitlines()
    assert [json.loads(row)["step"] for row in rows] == [2]
    assert capfd.readouterr().err.count("is written by process") == 1
    assert run.is_finished


def test_a_restarted_service_continues_to_watch_runs_and_ends_those_that_died_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "SILENCE_SECONDS", 0.0)
    alive = track("mine", "Own-v0", runs_dir=tmp_path)
    process, dead = script(tmp_path)
    try:
        with a_service(tmp_path) as application:
            assert {becomes(application, one, RunStatus.RUNNING).id for one in (alive.id, dead)} == {alive.id, dead}
    finally:
        process.kill()
        process.communicate()
    with a_service(tmp_path) as application:
        row = becomes(application, dead, RunStatus.INTERRUPTED)
        assert f"process {process.pid}" in (row.cause or "")
        assert application.runs.get(alive.id).state is RunStatus.RUNNING
        alive.log(3, loss=0.5)
        alive.finish()
        assert becomes(application, alive.id, RunStatus.COMPLETED).step == 3


def test_programs_started_simultaneously_get_separate_runs(tmp_path: Path) -> None:
    children = []
    for number in range(2):
        if (child := os.fork()) == 0:
            status = 1
            try:
                with track("mine", "Own-v0", runs_dir=tmp_path) as run:
                    run.log(number, loss=float(number))
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    steps = [[row["step"] for row in rows(folder)] for folder in run_folders(tmp_path)]
    assert sorted(steps) == [[0], [1]]
