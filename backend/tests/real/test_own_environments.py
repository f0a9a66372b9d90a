"""Odd environments of a user's own, for real: probed, trained, evaluated, watched, resumed, and edited between runs.

The whole table is lived through in ``tests/exhaustive``; here are those that are odd in what only a process shows, and
one of each kind of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean

import psutil
import pytest

from rlviz.domain.environment import CustomEnvironment, ProbedEnvironment
from rlviz.domain.events import EventKind
from rlviz.learning.environments.probe import probe, rehearse, try_state
from rlviz.server.runs.environments import ProbeFailure, Prober
from tests.support import own_environments
from tests.support.forks import forked, parent_of
from tests.support.lives import live
from tests.support.own_environments import CASES, SOURCE
from tests.support.service_process import Service, serving
from tests.support.training import events, kinds, messages
from tests.support.waiting import eventually
from tests.support.workers import pid_of

ALONE = {kind.__name__: case for kind, case in CASES.items() if case.is_alone}
PROBED = ("KeepsAThread", "KeepsAProcess", "HangsInClose", "MainThreadOnly")
LIVED = ("FromOne", "SwitchesFromOne", "CountsManyFromOne", "FewFrames", "Grows")

pytestmark = pytest.mark.filterwarnings("ignore")


def describe(name: str) -> CustomEnvironment:
    return try_state(rehearse(probe(f"{SOURCE}:{name}")))


def test_those_that_keep_something_or_hang_are_probed_side_by_side() -> None:
    """Their processes end, with what they have started; one that hangs keeps no other waiting."""
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


def test_what_was_found_before_it_hung_counts(tmp_path: Path) -> None:
    """It is usable, and its tenth step takes longer than its random steps may take."""
    (tmp_path / "world.py").write_text(
        "import time\nfrom tests.support.own_environments import Plain\n"
        "class Slow(Plain):\n    def step(self, action):\n        time.sleep(600 * (self.t == 9))\n"
        "        return super().step(action)\n"
    )
    found = Prober(hang_seconds=1).probe(f"{tmp_path}/world.py:Slow")
    assert isinstance(found, ProbedEnvironment)
    assert "It crashed within its first random steps" in " ".join(found.environment.warnings)


@pytest.mark.parametrize(
    ("name", "algo"), [*((name, "ppo") for name in LIVED), ("WholeNumbers", "td3"), ("MatrixOfActions", "td3")]
)
def test_it_is_trained_evaluated_watched_and_resumed(tmp_path: Path, name: str, algo: str) -> None:
    life = live(describe(name), name, algo, tmp_path)
    assert (life.ending, life.cause, life.warnings) == ("finished", "", [])
    assert (life.evaluation, life.session, life.resumed) == (None, None, None)
    if name == "FromOne":  # actions from 1 to 3 earn 1, 2 and 5; from 0 to 2 they would earn 0, 1 and 2
        assert fmean(life.returns) > 60


@pytest.mark.parametrize(("name", "algo"), [("NanLater", "ppo"), ("NanLater", "dqn"), ("NanSeen", "a2c")])
def test_numbers_that_are_none_are_put_down_to_the_environment(tmp_path: Path, name: str, algo: str) -> None:
    life = live(describe(name), name, algo, tmp_path)
    told = CASES[getattr(own_environments, name)].told
    assert told is not None
    first = life.warnings[0]
    assert first.startswith("At step ")
    assert "after action " in first
    assert told in first
    assert not [warning for warning in life.warnings if "learning rate" in warning]
    if life.ending == "error":
        assert life.cause.startswith("At step ")
        assert told in life.cause


def test_training_that_its_environment_ends_fails_with_the_cause(tmp_path: Path) -> None:
    life = live(describe("ExitsLater"), "ExitsLater", "ppo", tmp_path)
    assert life.ending == "error"
    assert "step() called sys.exit(4), after action" in life.cause


def test_a_fork_trains_though_the_environment_is_not_configured(tmp_path: Path) -> None:
    """The run's configuration names its class."""
    small = {"n_envs": 1, "n_steps": 64, "batch_size": 64, "n_epochs": 1}
    custom = describe("Plain")
    parent = parent_of(tmp_path, "ppo", env_id="Plain", custom_environment=custom, hyperparameters=small)
    child = forked(parent)
    assert child.read_config().custom_environment == custom
    assert kinds(child)[-1] == "finished"


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


def test_what_is_odd_is_listed_and_a_worker_that_hangs_as_it_closes_is_gone(app: Service) -> None:
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


def test_a_class_that_is_edited_between_two_runs_is_probed_again(app: Service, source: Path) -> None:
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
            assert "action space is Discrete(5) now, and was Discrete(3)" in str(evaluation["cause"])
