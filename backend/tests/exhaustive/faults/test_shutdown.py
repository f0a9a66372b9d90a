"""Exit of the service by Ctrl-C, and runs that hang or lose their folder."""

from __future__ import annotations

import http.client
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.event_streams import is_kind, streaming
from tests.support.faults import SOAK, Figures, children, steps_of, train, whole_files, worker_of
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service, serving
from tests.support.training import QUICK, messages
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults


PATIENT = """
import logging
from rlviz.server import serve
from rlviz.server import application
from rlviz.server.supervisor import supervisor
from rlviz.server.supervisor.monitors import GracePeriod
from rlviz.settings import read_settings

logging.basicConfig(level=logging.INFO)
supervisor.CLOSING_GRACE = GracePeriod(ask=100.0, terminate=20.0)
application.DRAIN_SECONDS = 120.0
raise SystemExit(serve.serve(application.Application(read_settings())))
"""
"""The service with as much time for its end as a busy machine may take: what is left behind must not depend on that."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_ctrl_c_saves_the_policies_ends_the_streams_and_leaves_no_process(
    tmp_path: Path, figures: Figures, number: signal.Signals
) -> None:
    script, settings = None if SOAK else PATIENT, {"on_exit": "stop", "max_concurrent_runs": "1"}
    own = {"warm_worker": "true"} if number == signal.SIGINT else {}  # once with a template of its own, too
    with serving(tmp_path, script=script, **own, **settings) as service:
        trains, waits = train(service), service.create(start=True)["id"]
        eventually(lambda: steps_of(service, trains) > 500, "some steps")
        before = children(service)
        with streaming(service, f"/stream?runs={trains}") as stream:
            stream.until(is_kind("metrics"))
            begin = time.monotonic()
            assert service.stop(number) == 0
            figures.add("Ctrl-C: app and workers gone, policy saved", time.monotonic() - begin, "s", at_most=10)
            with suppress(http.client.IncompleteRead):
                list(stream)  # it ends
        assert not [process for process in before if process.is_running()]
        assert "Traceback" not in service.log
    assert service.folder(trains).model_path.exists()
    whole_files(service.folder(trains))
    with serving(tmp_path, **settings) as again:
        stopped = again.get(f"/runs/{trains}")
        assert (stopped["status"], stopped["cause"]) == ("stopped", "The app was ended.")
        again.wait_for_status(waits, "running")


@pytest.fixture
def played(tmp_path: Path) -> Iterator[dict[str, LiveRun]]:
    """Two runs with fake workers in a folder that a service opens."""
    runs = {name: LiveRun(tmp_path / "runs", name) for name in ("doomed", "other")}
    yield runs
    for run in runs.values():
        run.close()


HANGS = '''
import time
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium import spaces


class Hangs(gymnasium.Env):
    """Never comes back from its hundredth step."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, render_mode=None):
        self.observation_space, self.action_space = spaces.Box(-1, 1, (1,), np.float32), spaces.Discrete(2)
        self._steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self._steps += 1
        while self._steps == 100:
            Path(__file__).with_suffix(".hung").touch()
            time.sleep(3_600)
        return np.zeros(1, np.float32), 1.0, self._steps % 10 == 0, False, {}

    def render(self):
        return np.zeros((8, 8, 3), np.uint8)
'''


def test_a_run_that_hangs_is_asked_to_stop_then_terminated_then_killed_and_reports_it(
    tmp_path: Path, played: dict[str, LiveRun]
) -> None:
    source = tmp_path / "hangs.py"
    source.write_text(HANGS)
    settings = {"terminate_after_seconds": "3", "kill_after_seconds": "6", "max_concurrent_runs": "3"}
    with serving(tmp_path, environments=f"{source}:Hangs", **settings) as service:
        wishes = {"env_id": "Hangs", "preset": None, "hyperparameters": QUICK["ppo"]}
        run_id = service.create(start=True, total_timesteps=100_000, **wishes)["id"]
        eventually(source.with_suffix(".hung").exists, "the step that hangs", 300)
        worker = worker_of(service, run_id)
        assert service.api("POST", f"/runs/{run_id}/stop").status_code == 202
        run = service.wait_for_status(run_id, "interrupted")
        assert run["cause"].startswith(
            "The worker did not stop within 3 s of being asked, nor within 6 s of being terminated, and was killed"
        )
        assert not worker.is_running()
        told = messages(service.folder(run_id))
        assert any("it hangs here" in message and "hangs.py" in message for message in told), told
        whole_files(service.folder(run_id))
        goes_on(service, played["other"])


@pytest.mark.parametrize("what", ["deleted", "renamed"])
def test_a_run_whose_folder_is_removed_while_it_trains_fails_and_names_the_cause(
    tmp_path: Path, played: dict[str, LiveRun], what: str
) -> None:
    played["doomed"].row()
    with serving(tmp_path) as service:
        folder = service.folder("doomed").path
        if what == "deleted":
            shutil.rmtree(folder)
        else:
            folder.rename(tmp_path / "elsewhere")
        found = eventually(lambda: service.get("/runs?status=interrupted")["runs"], "the end to be told")
        assert "deleted, moved or renamed" in found[0]["cause"]
        assert played["doomed"].process.wait() == -signal.SIGTERM
        for path in ("", "/metrics/curves", "/config", "/events", "/evaluations", "/hints", "/artifacts/metrics.jsonl"):
            assert service.api("GET", f"/runs/doomed{path}").status_code in (200, 404), path
        assert_problem(service.api("POST", "/runs/doomed/evaluations", json={}), 404)
        assert service.api("POST", "/runs/doomed/stop").status_code == 202
        assert_problem(service.api("POST", "/runs/doomed/start"), 409)
        assert service.api("DELETE", "/runs/doomed").status_code == 204
        goes_on(service, played["other"])
        assert "Traceback" not in service.log


def test_a_manual_copy_of_a_run_folder_does_no_harm(tmp_path: Path, played: dict[str, LiveRun]) -> None:
    played["doomed"].row()
    with serving(tmp_path) as service:
        shutil.copytree(service.folder("doomed").path, service.folder("copy").path)
        goes_on(service, played["doomed"])
        assert_problem(service.api("GET", "/runs/copy"), 404)
    with serving(tmp_path) as again:
        assert {run["id"] for run in again.get("/runs")["runs"]} == {"doomed", "other"}
        goes_on(again, played["other"])


def goes_on(service: Service, run: LiveRun) -> None:
    """Check that the run is still followed: new rows arrive."""
    seq = run.row()
    eventually(
        lambda: service.get(f"/runs/{run.run_id}/metrics/rows?tail=1")["rows"][-1]["seq"] == seq,
        "the row that was written",
    )
    assert service.get(f"/runs/{run.run_id}")["status"] == "running"
