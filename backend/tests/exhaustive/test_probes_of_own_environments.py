"""Probes of custom environments that hang, are unusual or were edited. Each waits for a process that imports the
environment.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from rlviz.domain.environment import ProbedEnvironment
from rlviz.domain.events import EventKind
from rlviz.server.runs.environments import ProbeFailure, Prober
from tests.support.own_environments import CASES, SOURCE
from tests.support.service_process import Service, serving
from tests.support.training import events, kinds, messages
from tests.support.waiting import eventually
from tests.support.workers import pid_of

ALONE = {kind.__name__: case for kind, case in CASES.items() if case.is_alone}


PROBED = ("KeepsAThread", "KeepsAProcess", "HangsInClose", "MainThreadOnly")


pytestmark = pytest.mark.filterwarnings("ignore")


def test_environments_that_keep_state_or_hang_are_probed_in_parallel() -> None:
    """Their processes and child processes are ended, and one that hangs delays no other."""
    prober = Prober()
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(PROBED, pool.map(lambda name: prober.probe(f"{SOURCE}:{name}"), PROBED), strict=True))
    for name, answer in found.items():
        case = ALONE[name]
        if case.refused is not None:
            assert isinstance(answer, ProbeFailure)
            assert case.refused in answer.message
        else:
            assert isinstance(answer, ProbedEnvironment), (name, answer)
            assert (case.warned or "") in " ".join(answer.environment.warnings)
            assert answer.still is not None
    assert not [one for one in psutil.Process().children(recursive=True) if "10000" in one.cmdline()]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("own") / "worlds.py"
    path.write_text(Path(SOURCE).read_text())
    return path


@pytest.fixture(scope="module")
def app(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    environments = f"{source}:HangsAtTheEnd, {source}:Outside"
    with serving(tmp_path_factory.mktemp("service"), environments=environments) as service:
        yield service
        assert "Traceback" not in service.log, service.log


SMALL = {"n_envs": 1, "n_steps": 64, "batch_size": 64, "n_epochs": 1, "net_arch": [8]}


def start(app: Service, env_id: str) -> str:
    run = app.create(env_id=env_id, preset=None, total_timesteps=192, hyperparameters=SMALL, start=True)
    return str(run["id"])


def test_a_probe_lists_oddities_and_a_worker_that_hangs_in_close_is_ended(app: Service) -> None:
    run_id = start(app, "HangsAtTheEnd")
    done = app.wait_for_status(run_id, "completed")
    assert done["step"] == 192
    [started] = events(app.folder(run_id), EventKind.STARTED)
    pid = pid_of(started.data.worker)
    eventually(lambda: not psutil.pid_exists(pid), "the end of the worker")
    assert kinds(app.folder(run_id))[-2:] == ["finished", "warning"]
    assert "did not return from close()" in messages(app.folder(run_id))[-1]
    [outside] = [found for found in app.get("/environments") if found["id"] == "Outside"]
    assert outside["available"]
    assert "outside its space: number 0 is 11" in outside["warnings"][0]


def test_an_edited_class_is_probed_again(app: Service, source: Path) -> None:
    before = start(app, "Outside")
    app.wait_for_status(before, "completed")
    text = source.read_text()
    assert "class Outside(Plain):\n" in text
    source.write_text(
        text.replace("class Outside(Plain):\n", "class Outside(Plain):\n    acted = spaces.Discrete(5)\n")
    )
    [now] = [found for found in app.get("/environments") if found["id"] == "Outside"]
    assert now["action_space"]["n"] == 5
    after = start(app, "Outside")
    app.wait_for_status(after, "completed")
    for run_id, status in ((before, "failed"), (after, "completed")):
        assert app.api("POST", f"/runs/{run_id}/evaluations", json={"episodes": 1, "video": False}).status_code == 202

        def ended(path: str = f"/runs/{run_id}/evaluations/latest") -> dict[str, str | None] | None:
            found: dict[str, str | None] = app.get(path)
            return found if found["status"] in ("completed", "failed") else None

        evaluation = eventually(ended, "the evaluation")
        assert evaluation["status"] == status, evaluation["cause"]
        if status == "failed":
            assert "action space was Discrete(3) and is now Discrete(5)" in str(evaluation["cause"])
