"""Recordings and episodes of a killed session."""

from __future__ import annotations

from io import BytesIO

import av
import pytest

from tests.real.test_session_faults import service, session_workers
from tests.support.faults import whole_files
from tests.support.service_process import Service
from tests.support.sessions import Viewer, looking

__all__ = ["service"]

pytestmark = pytest.mark.faults


def test_a_worker_killed_while_filming_leaves_a_video_of_the_complete_episodes(service: Service) -> None:
    with looking(service, mode="play", env_id="CartPole-v1") as viewer:
        viewer.send(type="rate", fps=60)
        viewer.send(type="action", value=1)
        run_id = viewer.first("recorded").run_id
        [worker] = session_workers(service)
        worker.kill()
        viewer.first("ended")
    service.wait_for_status(run_id, "interrupted")
    [evaluation] = service.get(f"/runs/{run_id}/evaluations")
    with av.open(BytesIO(service.http.get(evaluation["video_url"]).content)) as container:
        frames = sum(1 for _ in container.decode(container.streams.video[0]))
    assert frames == sum(one["episode_length"] + 1 for one in evaluation["summary"]["episodes"])
    kept = {path.name for path in service.folder(run_id).evaluations.path.iterdir()}
    assert kept == {f"{evaluation['id']}{suffix}" for suffix in (".json", ".mp4", ".steps.parquet")}


def play_by_hand(viewer: Viewer) -> str:
    """Play CartPole until the pole falls, and return the run that stores the episode."""
    viewer.send(type="action", value=1)
    return str(viewer.first("recorded").run_id)


def test_a_killed_session_keeps_every_finished_episode(service: Service) -> None:
    with looking(service, mode="play", env_id="CartPole-v1") as viewer:
        run_id = play_by_hand(viewer)
        service.wait_for_status(run_id, "running")
        [worker] = session_workers(service)
        worker.kill()
        run = service.wait_for_status(run_id, "interrupted")
        assert "signal 9 (SIGKILL)" in run["cause"]
    whole_files(service.folder(run_id))
    [evaluation] = service.get(f"/runs/{run_id}/evaluations")
    assert (evaluation["has_steps"], len(evaluation["summary"]["episodes"])) == (True, run["episodes"])
