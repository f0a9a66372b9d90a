"""Recordings of a session that is killed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import av
import psutil
import pytest

from tests.support import failing_environments
from tests.support.faults import whole_files, workers_of
from tests.support.service_process import Service, serving
from tests.support.sessions import Viewer, looking

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


def session_workers(service: Service) -> list[psutil.Process]:
    """The workers of sessions that this service has started."""
    return workers_of(service, "--session")


def test_a_worker_that_is_killed_while_it_films_leaves_the_video_of_the_whole_episodes(service: Service) -> None:
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
    """Fall over with CartPole; return the run that this is kept in."""
    viewer.send(type="action", value=1)
    return str(viewer.first("recorded").run_id)


def test_of_a_session_that_is_killed_every_episode_that_was_over_is_kept(service: Service) -> None:
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
