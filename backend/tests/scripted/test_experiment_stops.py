"""Experiments that are deleted or damaged, or whose service is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.rundir.experiment_folder import ExperimentFolder
from tests.support.experiments import BASE, LONG, SEARCH, TINY, TWO, cells, create, ended, statuses
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

PLACES = 2
"""Runs that the service of this file trains at a time."""


OWN = """
import time
from pathlib import Path

from gymnasium.envs.classic_control import CartPoleEnv

HOLD = Path(__file__).with_name("hold")

class Breaks(CartPoleEnv):
    taken = 0

    def step(self, action):
        Breaks.taken += 1
        if Breaks.taken > 150:
            raise RuntimeError("it snapped")
        return super().step(action)

class Held(CartPoleEnv):
    def step(self, action):
        if HOLD.exists():
            time.sleep(0.02)
        return super().step(action)
"""
"""Environments of our own: one that fails after some steps, and one that is slow as long as a file lies beside it."""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with the custom environments."""
    path = tmp_path_factory.mktemp("own") / "own.py"
    path.write_text(OWN)
    return path


@pytest.fixture(scope="module")
def service(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder, environments = tmp_path_factory.mktemp("experiments"), f"{own}:Breaks,{own}:Held"
    with serving(folder, max_concurrent_runs=str(PLACES), environments=environments, launcher="scripted") as service:
        yield service


def test_an_experiment_deleted_while_it_trains_leaves_its_runs(service: Service) -> None:
    spec = {**TINY, "base": {**BASE, "total_timesteps": 1_000_000}, "variants": [{"name": "a"}]}
    experiment_id = create(service, spec)
    training = eventually(
        lambda: [cell for cell in cells(service, experiment_id) if cell["status"] == "training"], "training"
    )
    assert service.api("DELETE", f"/experiments/{experiment_id}").status_code == 204
    assert_problem(service.api("GET", f"/experiments/{experiment_id}"), 404)
    service.wait_for_status(training[0]["run_id"], "stopped")
    assert not ExperimentFolder(service.runs_dir, experiment_id).path.exists()


def test_a_restarted_service_repeats_no_trial(tmp_path: Path) -> None:
    with serving(tmp_path, max_concurrent_runs="2", launcher="scripted") as first:
        experiment_id = create(first, TWO)
        eventually(lambda: first.get(f"/experiments/{experiment_id}")["counts"].get("scored"), "a score", LONG)
        first.process.kill()
        first.process.wait()
    with serving(tmp_path, max_concurrent_runs="2", launcher="scripted") as second:
        found = ended(second, experiment_id)
    assert statuses(found) == ["scored"] * 4
    lines = list(ExperimentFolder(tmp_path / "runs", experiment_id).read_trials())
    scored = [line.trial for line in lines if line.state == "scored"]
    assert sorted(scored) == list(range(4)), "each once"


def test_a_damaged_experiment_is_reported_and_can_be_deleted(tmp_path: Path) -> None:
    damage_and_delete(tmp_path, "experiment.json")


def damage_and_delete(tmp_path: Path, file: str) -> None:
    spec = {**SEARCH, "base": {**BASE, "total_timesteps": 1_000_000}}
    with serving(tmp_path, max_concurrent_runs="1", launcher="scripted") as first:
        experiment_id = create(first, spec)
        eventually(lambda: cells(first, experiment_id), "a proposal")
    folder = ExperimentFolder(tmp_path / "runs", experiment_id)
    (folder.path / file).write_text('{"op_code": "nonsense"}\n')
    with serving(tmp_path, max_concurrent_runs="1", launcher="scripted") as second:
        assert file in second.get("/experiments")["damaged"][experiment_id]
        assert_problem(second.api("GET", f"/experiments/{experiment_id}"), 409)
        assert second.api("DELETE", f"/experiments/{experiment_id}").status_code == 204
        assert second.get("/experiments")["damaged"] == {}
    assert not folder.path.exists()
