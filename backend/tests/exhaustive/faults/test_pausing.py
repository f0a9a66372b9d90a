"""Pausing and resuming while workers and the service are killed."""

from __future__ import annotations

import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from rlviz.domain.events import EventKind
from tests.exhaustive.faults.test_shutdown import PATIENT
from tests.support.faults import SOAK, Figures, steps_of, times, train, whole_files
from tests.support.service_process import Service, serving
from tests.support.training import events, rows
from tests.support.waiting import eventually
from tests.support.workers import pid_of

pytestmark = pytest.mark.faults

ENDED = ("paused", "interrupted", "stopped")


def newest_worker(service: Service, run_id: str) -> psutil.Process:
    started = events(service.folder(run_id), EventKind.STARTED)[-1]
    return psutil.Process(pid_of(started.data.worker))  # type: ignore[union-attr]


def resume(service: Service, run_id: str) -> dict[str, Any]:
    """Resume the run, and wait until it has trained beyond its previous step."""
    before = steps_of(service, run_id)
    path = f"/runs/{run_id}/resume"
    eventually(lambda: service.api("POST", path, json={}).status_code == 202, "the old worker to be gone")
    eventually(lambda: steps_of(service, run_id) > before, f"{run_id} to train beyond {before}", 300)
    return dict(service.get(f"/runs/{run_id}"))


def no_row_twice(service: Service, run_id: str) -> None:
    """Check that rows are numbered without gaps, and that each episode is counted exactly once."""
    found = rows(service.folder(run_id))
    assert [row["seq"] for row in found] == list(range(1, len(found) + 1))
    episodes = [row["values"]["episode/index"] for row in found if "episode/index" in row["values"]]
    assert episodes == list(range(1, len(episodes) + 1))


@pytest.mark.parametrize(("algo", "few"), [("ppo", 2), ("sac", 1)])
def test_a_worker_killed_at_random_moments_of_pausing_and_resuming_loses_nothing(
    tmp_path: Path, figures: Figures, algo: str, few: int
) -> None:
    with serving(tmp_path) as service:
        run_id = train(service, algo)
        service.api("POST", f"/runs/{run_id}/snapshots", json={})
        eventually(lambda: events(service.folder(run_id), EventKind.SNAPSHOT), "a snapshot")
        for number in range(times(few, 100)):
            chance = random.Random(number)
            worker = newest_worker(service, run_id)
            if number % 2 == 0:
                service.api("POST", f"/runs/{run_id}/pause", json={})
            time.sleep(chance.uniform(0, 0.3))
            with suppress(psutil.NoSuchProcess):
                worker.kill()
            begin = time.monotonic()
            eventually(lambda: service.get(f"/runs/{run_id}")["status"] in ENDED, "the true status")
            figures.add("worker killed at a pause: correct status", time.monotonic() - begin, "s", at_most=10)
            run = resume(service, run_id)
            assert run["superseded"] == []
            assert run["resumed"]["diverged_at"] is None
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        no_row_twice(service, run_id)
        whole_files(service.folder(run_id))
        assert "Traceback" not in service.log


def test_a_service_killed_while_a_run_pauses_finds_the_run_paused_or_unchanged(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        run_id = train(service)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.process.send_signal(signal.SIGKILL)
        service.process.wait()
    with serving(tmp_path) as service:
        service.wait_for_status(run_id, "paused")
        resume(service, run_id)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        no_row_twice(service, run_id)


def test_one_of_two_simultaneous_resumes_is_refused_and_one_attempt_starts(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        run_id = train(service)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        eventually(lambda: not newest_worker_lives(service, run_id), "the worker to go")
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: service.api("POST", f"/runs/{run_id}/resume", json={}), range(4)))
        assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409]
        refused = next(answer for answer in answers if answer.status_code == 409).json()
        assert "cannot become 'queued'" in refused["detail"]
        eventually(lambda: len(events(service.folder(run_id), EventKind.STARTED)) == 2, "the second attempt")
        assert service.get(f"/runs/{run_id}")["attempt"] == 2


def newest_worker_lives(service: Service, run_id: str) -> bool:
    try:
        return newest_worker(service, run_id).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_ctrl_c_pauses_training_runs_and_the_next_start_resumes_only_those(tmp_path: Path) -> None:
    script = None if SOAK else PATIENT
    settings = {"on_exit": "pause", "max_concurrent_runs": "2"}
    with serving(tmp_path, script=script, **settings) as service:
        held, goes_on = train(service), train(service)
        service.api("POST", f"/runs/{held}/pause", json={})
        service.wait_for_status(held, "paused")
        assert service.stop(signal.SIGINT) == 0
        assert "Traceback" not in service.log
    assert events(service.folder(goes_on))[-1].event == EventKind.PAUSED
    with serving(tmp_path, **settings) as again:
        eventually(lambda: again.get(f"/runs/{goes_on}")["status"] == "running", "it to go on")
        assert again.get(f"/runs/{goes_on}")["attempt"] == 2
        assert again.get(f"/runs/{held}")["status"] == "paused"
        assert not (tmp_path / "runs" / "to-resume.json").exists()


def test_a_run_interrupted_repeatedly_is_resumed_automatically_up_to_a_limit(tmp_path: Path) -> None:
    with serving(tmp_path, resume="auto", resume_attempts="2") as service:
        run_id = train(service)
        service.api("POST", f"/runs/{run_id}/snapshots", json={})
        eventually(lambda: events(service.folder(run_id), EventKind.SNAPSHOT), "a snapshot")
        for attempt in (1, 2, 3):
            eventually(
                lambda attempt=attempt: len(events(service.folder(run_id), EventKind.STARTED)) == attempt,
                f"attempt {attempt}",
                120,
            )
            newest_worker(service, run_id).kill()
        eventually(lambda: service.get(f"/runs/{run_id}")["status"] == "interrupted", "its end")
        time.sleep(1.0)
        run = service.get(f"/runs/{run_id}")
        assert (run["status"], run["attempt"]) == ("interrupted", 3)
