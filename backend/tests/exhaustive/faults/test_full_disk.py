"""A full disk: writes are delayed or reported, and no partial file stays."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.faults import fill, filled, train, train_briefly, whole_files, worker_of, workers_of
from tests.support.odd_environments import SOURCE
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service, serving
from tests.support.training import messages
from tests.support.waiting import eventually

LONG = 300.0
"""Seconds in which a worker has begun, however busy the machine."""


pytestmark = pytest.mark.faults


def over(evaluation: dict[str, Any]) -> dict[str, Any] | None:
    return evaluation if evaluation["status"] in ("failed", "completed") else None


def test_a_full_disk_stops_no_process_and_pending_writes_are_not_lost(small_disk: Path) -> None:
    run = LiveRun(small_disk / "runs", "alive")
    try:
        with serving(small_disk, min_free_disk="0") as service:
            filler = fill(small_disk)
            for _ in range(50):
                with suppress(OSError):
                    run.metrics.append({"step": 1, "values": {"episode/reward": 1.0}})
                    run.metrics.flush()
            assert service.get("/health")["free_disk_bytes"] == 0
            assert service.get("/runs/alive")["status"] == "running"
            for method, path, body in (
                ("POST", "/runs", {"algo": "ppo"}),
                ("PATCH", "/runs/alive", {"notes": "x" * 9_000}),
                ("POST", "/runs/alive/stop", None),
            ):
                problem = assert_problem(answer := service.api(method, path, json=body), answer.status_code)
                assert problem["status"] in (503, 507), problem
            filler.unlink()
            run.row()
            eventually(lambda: service.get("/runs/alive/metrics/rows?tail=1")["rows"][-1]["seq"] == 51, "every row")
            assert service.api("POST", "/runs", json={"algo": "ppo"}).status_code == 201
            assert "Traceback" not in service.log
    finally:
        run.close()


FULL = re.compile("No space left|disk is full")


def train_for(worker: psutil.Process, seconds: float) -> None:
    """Wait until the worker has used the given processor time."""
    spent = worker.cpu_times().user
    eventually(lambda: worker.cpu_times().user > spent + seconds, "some training", LONG)


def test_a_full_disk_costs_the_filmstrip_a_few_moments_and_does_not_affect_training(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0", keep_film="500", on_exit="stop") as service:
        run_id = train(service, total_timesteps=1_000_000)  # a policy of each rollout once a thousandth of that is done
        folder, worker = service.folder(run_id), worker_of(service, run_id)
        eventually(lambda: len(folder.film_files()) > 1, "the first policies", LONG)

        def one_is_lost() -> bool:
            """Return whether a moment of the film was due while the disk was full; a busy machine may need several
            tries.
            """
            with filled(small_disk):
                train_for(worker, 0.5)
            train_for(worker, 0.2)
            return any("filmstrip" in message for message in messages(folder))

        eventually(one_is_lost, "the warning", LONG)
        newest = folder.film_files()[-1][0]
        eventually(lambda: folder.film_files()[-1][0] > newest, "policies to be kept again", LONG)
        assert service.get(f"/runs/{run_id}")["status"] == "running"
        service.api("POST", f"/runs/{run_id}/stop")
        service.wait_for_status(run_id, "stopped")
        whole_files(folder)


def answered(service: Service, run_id: str, clip_id: str) -> dict[str, Any] | None:
    """Return the clip once it is completed or failed."""
    clip: dict[str, Any] = service.get(f"/runs/{run_id}/clips/{clip_id}")
    return clip if clip["status"] != "waiting" else None


def test_a_full_disk_fails_the_current_clip_and_not_the_next(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0", environments=f"{SOURCE}:Slow") as service:
        run_id = train_briefly(service, "Slow")
        clips = service.folder(run_id).film / "clips"
        asked = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0}).json()
        eventually(lambda: list(clips.glob(".*.mp4.*")), "the first frames", LONG)
        with filled(small_disk):
            clip = eventually(lambda: answered(service, run_id, asked["id"]), "the end of the clip", LONG)
            assert clip["status"] == "failed"
            assert FULL.search(clip["cause"]), clip["cause"]
            assert not list(clips.rglob("*.mp4*"))
            refused = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0})
            assert assert_problem(refused, refused.status_code)["status"] in (503, 507)
        again = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0})
        assert again.status_code == 202
        assert eventually(lambda: answered(service, run_id, asked["id"]), "the clip", LONG)["status"] == "ready"
        assert "Traceback" not in service.log


def test_a_full_disk_fails_a_recording_evaluation_and_leaves_no_partial_record(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0", environments=f"{SOURCE}:Slow") as service:
        run_id = train_briefly(service, "Slow")
        folder = service.folder(run_id)
        wishes = {"episodes": 3, "video": False, "steps": True}
        assert service.api("POST", f"/runs/{run_id}/evaluations", json=wishes).status_code == 202
        eventually(lambda: list(folder.evaluations.path.glob(".*.steps.parquet.*")), "the first records", LONG)
        with filled(small_disk):
            eventually(lambda: not workers_of(service, "--evaluate"), "the evaluator to give up", LONG)
            assert service.get(f"/runs/{run_id}/evaluations/latest")["id"]
        evaluation = eventually(lambda: over(service.get(f"/runs/{run_id}/evaluations/latest")), "its end", LONG)
        assert evaluation["status"] == "failed"
        assert FULL.search(evaluation["cause"]), evaluation["cause"]
        assert not evaluation["has_steps"]
        eventually(
            lambda: not list(folder.evaluations.path.glob("*.parquet*")), "what was half-written to be swept away"
        )
        assert not list(folder.evaluations.path.glob(".*"))
        assert "Traceback" not in service.log
