"""Failures in sessions with real processes: each ends only its session, with the cause."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.real.test_session_faults import (
    nobody_left,
    service,
    service_with_environments,
    session_workers,
    time_until_gone,
)
from tests.support.faults import SOAK, Figures, train
from tests.support.service_process import Service, serving
from tests.support.sessions import Viewer, looking, new_session
from tests.support.waiting import eventually
from tests.support.workers import is_running

__all__ = ["service"]

pytestmark = pytest.mark.faults


@pytest.mark.parametrize(
    ("env_id", "cause"),
    [
        ("Raises", "RuntimeError: the pole snapped"),
        ("Hangs", "hung here"),
        ("HangsInNativeCode", "ended with exit status"),
        ("Nonsense", "step() returned 'nonsense'"),
        ("RaisesLater", "RuntimeError: no pole is left"),
        ("ShowsNothing", "The environment"),
        ("Leaves", "ended with exit status 3"),
    ],
)
def test_an_environment_that_fails_ends_only_its_session_with_the_cause(
    service: Service, env_id: str, cause: str
) -> None:
    with looking(service, env_id="Good") as other, looking(service, env_id=env_id) as viewer:
        other.step()
        assert cause in viewer.first("ended").cause
        with pytest.raises(ConnectionClosed):
            viewer.next()
        reached = other.step().index
        assert other.step(lambda record: record.index > reached)


@pytest.mark.parametrize("where", ["made", "reset", "drawn"])
@pytest.mark.parametrize(("how", "cause"), [("raises", "RuntimeError: not to be {}"), ("hangs", "hung here")])
def test_an_environment_that_fails_to_start_ends_its_session_with_the_cause(
    service: Service, where: str, how: str, cause: str
) -> None:
    if (where, how) == ("made", "hangs") and not SOAK:
        pytest.skip("To be made it may take a minute.")
    assert any(one["id"] == "GoesWrongLater" for one in service.get("/environments")), "it was tried"
    said = service.runs_dir.parents[1] / "goes-wrong"
    said.write_text(f"{where} {how}")
    with looking(service, env_id="GoesWrongLater") as viewer:
        assert cause.format(where) in viewer.first("ended").cause
    said.unlink()


def test_a_hanging_environment_is_reported_with_its_line(service: Service) -> None:
    with looking(service, env_id="Hangs") as viewer:
        assert "time.sleep(3_600)" in viewer.first("ended").cause
        # The service logs what the worker printed once its process is gone, unless the session is ended before.
        eventually(lambda: "The environment hung here" in service.log or None, "what the worker printed")


def test_a_suspended_session_worker_is_killed_after_its_last_viewer_leaves(service: Service, figures: Figures) -> None:
    with looking(service, env_id="CartPole-v1") as viewer:
        viewer.step()
        [worker] = session_workers(service)
        worker.suspend()
    time_until_gone(figures, "worker does not respond", lambda: not is_running(worker.pid))


def test_no_session_remains_when_the_page_disconnects_silently(service: Service, figures: Figures) -> None:
    """A phone that loses its network closes nothing, so the socket is cut off here."""
    session = new_session(service, env_id="CartPole-v1")
    with looking(service, session) as viewer:
        viewer.step()
        viewer.socket.socket.shutdown(socket.SHUT_RDWR)
        time_until_gone(figures, "viewer disappears", lambda: nobody_left(service))


def test_a_session_that_gets_no_viewer_ends(service: Service, figures: Figures) -> None:
    new_session(service, env_id="CartPole-v1")
    time_until_gone(figures, "no viewer ever connects", lambda: nobody_left(service))


def test_the_trainer_stops_writing_weights_after_the_last_viewer_leaves(service: Service) -> None:
    run_id = train(service)
    with looking(service, run_id=run_id) as viewer:
        viewer.first("policy")
    folder = service.folder(run_id)
    eventually(lambda: nobody_left(service) or None, "the end of the session")
    assert not folder.lease_path.exists()
    eventually(lambda: _stays_as_it_is(folder.live_weights_path) or None, "an end to the writing")
    service.api("POST", f"/runs/{run_id}/stop")
    service.wait_for_status(run_id, "stopped")


def _stays_as_it_is(path: Path) -> bool:
    before = path.stat().st_mtime_ns
    time.sleep(2.5)
    return path.stat().st_mtime_ns == before


def test_no_session_worker_remains_when_the_service_is_killed(tmp_path: Path, figures: Figures) -> None:
    with (
        service_with_environments(tmp_path, "HangsInNativeCode") as service,
        looking(service, env_id="CartPole-v1") as viewer,
        looking(service, env_id="HangsInNativeCode") as hanging,
    ):
        viewer.step()
        hanging.step(lambda record: record.index == 4)
        workers = session_workers(service)
        assert len(workers) == 2
        service.process.kill()
        service.process.wait()
        time_until_gone(figures, "service killed", lambda: not any(is_running(one.pid) for one in workers))


def test_the_next_service_removes_the_session_folders_of_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "rlviz-session-of-somebody-else").mkdir()
    with serving(tmp_path / "killed") as service, looking(service, env_id="CartPole-v1") as viewer:
        viewer.step()
        [left] = tmp_path.glob("rlviz-session-*/plan.json")
        service.process.kill()
        service.process.wait()
    with serving(tmp_path / "lives") as other, looking(other, env_id="CartPole-v1") as viewer:
        viewer.step()
        with serving(tmp_path / "killed"):
            assert not left.parent.exists()
            assert len(list(tmp_path.glob("rlviz-session-*/plan.json"))) == 1, "that of the one that lives"
            assert viewer.step()
    assert (tmp_path / "rlviz-session-of-somebody-else").exists()


def play_by_hand(viewer: Viewer) -> str:
    """Play CartPole until the pole falls, and return the run that stores the episode."""
    viewer.send(type="action", value=1)
    return str(viewer.first("recorded").run_id)


def test_the_next_service_finds_the_episodes_played_under_a_killed_one(tmp_path: Path) -> None:
    with serving(tmp_path) as service, looking(service, mode="play", env_id="CartPole-v1") as viewer:
        run_id = play_by_hand(viewer)
        workers = session_workers(service)
        service.process.kill()
        service.process.wait()
        eventually(lambda: not any(is_running(worker.pid) for worker in workers) or None, "the end of the worker")
    with serving(tmp_path) as service:
        run = service.wait_for_status(run_id, "completed")
        [evaluation] = service.get(f"/runs/{run_id}/evaluations")
        assert len(evaluation["summary"]["episodes"]) == run["episodes"] >= 1


def test_an_environment_that_prints_endlessly_stays_playable(service: Service) -> None:
    with looking(service, env_id="Prints") as viewer:
        assert viewer.step(lambda record: record.index == 20)
