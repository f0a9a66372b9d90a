"""Sessions whose worker or service dies, and the limit on sessions."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support import failing_environments
from tests.support.faults import Figures, steps_of, train, workers_of
from tests.support.service_process import Service, serving
from tests.support.sessions import looking
from tests.support.waiting import eventually
from tests.support.workers import is_running

pytestmark = pytest.mark.faults


@contextmanager
def service_with_environments(folder: Path, *kinds: str, **settings: str) -> Iterator[Service]:
    path = folder / "environments.py"
    shutil.copy(failing_environments.SOURCE, path)
    own = ",".join(f"{path}:{kind}" for kind in kinds)
    with serving(folder / "service", environments=own, on_exit="stop", **settings) as service:
        yield service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service_with_environments(tmp_path_factory.mktemp("faults"), *failing_environments.KINDS) as service:
        yield service


def time_until_gone(figures: Figures, what: str, is_gone: Callable[[], bool]) -> None:
    """Wait until the session has ended; a soak checks the time against the documented limit."""
    begin = time.monotonic()
    eventually(lambda: is_gone() or None, f"session's worker gone: {what}")
    figures.add(f"session's worker gone: {what}", time.monotonic() - begin, "s", at_most=10)


def session_workers(service: Service) -> list[psutil.Process]:
    """Return the session workers that this service started."""
    return workers_of(service, "--session")


def nobody_left(service: Service) -> bool:
    return not session_workers(service) and service.get("/sessions") == []


def test_a_killed_worker_ends_its_session_with_the_cause(service: Service, figures: Figures) -> None:
    with looking(service, env_id="CartPole-v1") as viewer:
        viewer.step()
        [worker] = session_workers(service)
        worker.kill()
        assert "signal 9 (SIGKILL)" in viewer.first("ended").cause
        time_until_gone(figures, "worker killed", lambda: nobody_left(service))


def test_a_killed_worker_does_not_disturb_the_run_that_it_showed(service: Service) -> None:
    run_id = train(service)
    with looking(service, run_id=run_id) as viewer:
        viewer.step()
        [worker] = session_workers(service)
        worker.kill()
        viewer.first("ended")
    reached = steps_of(service, run_id)
    eventually(lambda: steps_of(service, run_id) > reached, "training to go on")
    service.api("POST", f"/runs/{run_id}/stop")
    service.wait_for_status(run_id, "stopped")


def test_sessions_end_with_the_service_and_leave_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(tmp_path / "service") as service, looking(service, env_id="CartPole-v1") as viewer:
        viewer.step()
        workers = session_workers(service)
        assert list(tmp_path.glob("rlviz-session-*"))
        assert service.stop() == 0
        eventually(lambda: not any(is_running(worker.pid) for worker in workers), "the end of the workers")
        assert not list(tmp_path.glob("rlviz-session-*"))


def test_the_number_of_sessions_is_limited_and_an_unwatched_one_gives_way(service: Service) -> None:
    with looking(service, env_id="Good") as first, looking(service, env_id="Good") as second:
        first.step()
        second.step()
        answer = service.api("POST", "/sessions", json={"mode": "watch", "env_id": "Good"})
        assert (answer.status_code, answer.json()["title"]) == (409, "Too many sessions")
        assert len(session_workers(service)) == 2
        assert first.step()
