"""Experiments that are stopped, damaged or have a failing variant."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.server.experiments.scheduler import POLL_SECONDS
from tests.scripted.test_experiment_stops import PLACES, damage_and_delete, own
from tests.support.experiments import BASE, LONG, SEARCH, TINY, cells, create, ended, statuses
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

__all__ = ["own"]


HELD = {**BASE, "env_id": "Held", "total_timesteps": 512, "hyperparameters": {**QUICK["ppo"], "n_steps": 32}}


@pytest.fixture(scope="module")
def service(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder, environments = tmp_path_factory.mktemp("experiments"), f"{own}:Breaks,{own}:Held"
    with serving(folder, max_concurrent_runs=str(PLACES), environments=environments) as service:
        yield service


def has_environment(service: Service, env_id: str) -> None:
    """Wait until the environment has been probed."""
    eventually(lambda: any(one["id"] == env_id for one in service.get("/environments")), f"the probe of {env_id}", LONG)


def test_a_search_proposes_nothing_while_a_trial_waits_for_a_slot(service: Service, own: Path) -> None:
    """The app trains fewer runs at a time than the search requests."""
    has_environment(service, "Held")
    hold = own.with_name("hold")
    hold.touch()
    sweep = {**SEARCH["sweep"], "trials": PLACES + 2, "seeds_per_trial": 1}
    spec = {**TINY, "base": HELD, "seeds": 1, "parallel": PLACES + 2, "sweep": sweep}
    experiment_id = create(service, spec)
    one_waits = ["training"] * PLACES + ["waiting"]
    eventually(lambda: statuses(service.get(f"/experiments/{experiment_id}")) == one_waits, "one that waits", LONG)
    time.sleep(2 * POLL_SECONDS)
    assert statuses(service.get(f"/experiments/{experiment_id}")) == one_waits
    hold.unlink()
    assert statuses(ended(service, experiment_id)) == ["scored"] * (PLACES + 2)


def test_a_stopped_experiment_pauses_its_runs_and_resumes_them(service: Service, own: Path) -> None:
    """The runs are held until they pause, so that they have steps left."""
    has_environment(service, "Held")
    hold = own.with_name("hold")
    hold.touch()
    spec = {**TINY, "base": HELD, "variants": [{"name": "only"}], "seeds": 3}
    experiment_id = create(service, spec)
    eventually(lambda: any(cell["progress"] for cell in cells(service, experiment_id)), "steps")
    assert service.api("POST", f"/experiments/{experiment_id}/stop").json()["status"] == "stopped"

    def runs() -> list[str]:
        found = cells(service, experiment_id)
        return [service.get(f"/runs/{cell['run_id']}")["status"] for cell in found if cell["run_id"]]

    eventually(lambda: set(runs()) <= {"paused", "stopped", "completed"}, "a stand-still", LONG)

    def paused() -> set[str]:
        return {cell["run_id"] for cell in cells(service, experiment_id) if cell["status"] == "paused"}

    before = eventually(paused, "trials whose runs are paused", LONG)
    hold.unlink()
    service.api("POST", f"/experiments/{experiment_id}/resume")
    found = ended(service, experiment_id)
    assert statuses(found) == ["scored"] * 3
    assert before <= {cell["run_id"] for cell in found["cells"]}, "they went on where they were"
    again = service.api("POST", f"/experiments/{experiment_id}/resume")
    assert assert_problem(again, 409)["title"] == "Experiment is over"


@pytest.mark.parametrize(
    ("wishes", "status", "attempts", "others"),
    [
        ({"fail_mode": "continue"}, "completed", 1, {"scored"}),
        ({"fail_mode": "retry", "retries": 1}, "completed", 2, {"scored"}),
        ({"fail_mode": "fast-fail", "parallel": 1}, "failed", 1, {"scored", "skipped"}),
    ],
)
def test_a_variant_that_always_crashes_fails_its_trials(
    service: Service, wishes: dict[str, Any], status: str, attempts: int, others: set[str]
) -> None:
    has_environment(service, "Breaks")
    variants = [{"name": "sound"}, {"name": "breaks", "changes": {"env_id": "Breaks"}}]
    found = ended(service, create(service, {**TINY, **wishes, "variants": variants}))
    assert found["status"] == status, found
    crashed = [cell for cell in found["cells"] if cell["variant"] == "v1" and cell["status"] == "failed"]
    assert crashed
    assert {cell["attempt"] for cell in crashed} == {attempts}
    assert all("it snapped" in cell["cause"] for cell in crashed)
    assert {cell["status"] for cell in found["cells"] if cell["variant"] == "v0"} <= others
    if status == "failed":
        assert "breaks, seed 0" in found["cause"]


def test_runs_stopped_because_the_app_exited_are_resumed(tmp_path: Path, own: Path) -> None:
    spec = {**TINY, "base": HELD, "variants": [{"name": "only"}], "seeds": 1}
    hold, given = own.with_name("hold"), {"max_concurrent_runs": "1", "environments": f"{own}:Held"}
    hold.touch()
    with serving(tmp_path, on_exit="stop", **given) as first:
        has_environment(first, "Held")
        experiment_id = create(first, spec)
        # Far enough to have a snapshot: what is stopped before it has one is begun anew.
        eventually(lambda: any((cell["progress"] or 0) > 0.1 for cell in cells(first, experiment_id)), "steps")
        begun = cells(first, experiment_id)[0]["run_id"]
    hold.unlink()
    with serving(tmp_path, **given) as second:
        found = ended(second, experiment_id)
        attempt = second.get(f"/runs/{begun}")["attempt"]
    assert statuses(found) == ["scored"]
    assert found["cells"][0]["run_id"] == begun
    assert attempt == 2, "it was stopped in the middle and went on"


def test_an_experiment_with_a_damaged_study_is_reported_and_can_be_deleted(tmp_path: Path) -> None:
    damage_and_delete(tmp_path, "optuna.journal")
