"""Experiments whose service, workers, disk and folders are taken from under them: every trial ends, and none twice."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from rlviz.domain.experiments import TrialState
from rlviz.rundir.experiment_folder import ExperimentFolder
from rlviz.services.experiments.following import DELETED
from tests.faults.support import fill, times, worker_of
from tests.support.http import Service, serving, wait_for
from tests.support.training import QUICK

LONG = 300.0

pytestmark = [pytest.mark.faults, pytest.mark.timeout(14_400)]


def begun(service: Service, *, seeds: int, steps: int, **wishes: object) -> str:
    spec = {
        "base": {"algo": "ppo", "preset": None, "total_timesteps": steps, "hyperparameters": QUICK["ppo"]},
        "variants": [{"name": "only"}],
        "seeds": seeds,
        "score": {"episodes": 2, "policy": "latest"},
        **wishes,
    }
    answer = service.api("POST", "/experiments", json=spec)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def cells(service: Service, experiment_id: str) -> list[dict[str, Any]]:
    return list(service.get(f"/experiments/{experiment_id}")["cells"])


def training(service: Service, experiment_id: str) -> str | None:
    """A run of it that has done steps and is not at its end."""
    found = [one for one in cells(service, experiment_id) if one["status"] == "training" and one["trained"] > 0]
    return str(found[0]["run_id"]) if found else None


def ended(service: Service, experiment_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/experiments/{experiment_id}")
        return found if found["status"] in ("completed", "failed") else None

    return wait_for(look, "the end of the experiment", LONG)


def scores_counted(runs_dir: Path, experiment_id: str) -> Counter[int]:
    """How often each trial was scored."""
    lines = ExperimentFolder(runs_dir, experiment_id).read_trials()
    return Counter(line.trial for line in lines if line.state is TrialState.SCORED)


def test_killed_services_and_workers_cost_no_trial_and_none_is_scored_twice(tmp_path: Path) -> None:
    """In turns the worker, the service, and both."""
    seeds, kills, experiment_id = times(4, 40), times(3, 50), ""
    for number in range(kills):
        with serving(tmp_path, max_concurrent_runs="2") as service:
            experiment_id = experiment_id or begun(service, seeds=seeds, steps=4_000)
            run_id = trains_or_is_over(service, experiment_id)
            if not run_id:
                break
            if number % 3 != 1:
                with suppress(psutil.Error):  # it has just ended
                    worker_of(service, run_id).kill()
            if number % 3 != 0:
                service.process.kill()
                service.process.wait()
    with serving(tmp_path, max_concurrent_runs="2") as service:
        found = ended(service, experiment_id)
        assert [cell["status"] for cell in found["cells"]] == ["scored"] * seeds, found
        for cell in found["cells"]:
            run = service.get(f"/runs/{cell['run_id']}")
            assert (run["status"], run["step"] >= 4_000) == ("completed", True), "no score of half a run"
    assert scores_counted(tmp_path / "runs", experiment_id) == Counter(range(seeds))


def trains_or_is_over(service: Service, experiment_id: str) -> str:
    """A run of it that trains; empty once it is over."""

    def look() -> tuple[str] | None:
        if service.get(f"/experiments/{experiment_id}")["status"] != "running":
            return ("",)
        run_id = training(service, experiment_id)
        return (run_id,) if run_id else None

    return wait_for(look, "a run to be killed", LONG)[0]


def test_a_full_disk_holds_an_experiment_up_says_so_and_it_goes_on(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="2MB", max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=10_000)
        wait_for(lambda: training(service, experiment_id), "a run that trains", LONG)
        filler = fill(small_disk, leave=1_000_000)
        held = wait_for(lambda: service.get(f"/experiments/{experiment_id}")["problem"], "what holds it up", LONG)
        assert "It goes on when there is room." in held
        assert "RLVIZ_MIN_FREE_DISK" in held
        filler.unlink()
        found = ended(service, experiment_id)
        assert [cell["status"] for cell in found["cells"]] == ["scored"] * 2, found
        assert found["problem"] is None
    assert scores_counted(small_disk / "runs", experiment_id) == Counter(range(2))


def test_a_disk_without_a_byte_loses_no_line_of_an_experiment(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0", max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=10_000)
        wait_for(lambda: training(service, experiment_id), "a run that trains", LONG)
        filler = fill(small_disk)
        assert service.get(f"/experiments/{experiment_id}")["status"] == "running"
        filler.unlink()
        found = ended(service, experiment_id)
        assert {cell["status"] for cell in found["cells"]} <= {"scored", "failed"}, found
        assert "Traceback" not in service.log
    assert max(scores_counted(small_disk / "runs", experiment_id).values()) == 1


def test_a_run_whose_folder_is_deleted_while_it_trains_costs_its_trial_and_no_other(tmp_path: Path) -> None:
    with serving(tmp_path, max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=10_000)
        run_id = wait_for(lambda: training(service, experiment_id), "a run that trains", LONG)
        worker = worker_of(service, run_id)
        service.folder(run_id).path.rename(tmp_path / "gone")
        worker.kill()
        gone, other = sorted(ended(service, experiment_id)["cells"], key=lambda cell: cell["run_id"] != run_id)
        assert (gone["run_id"], gone["status"], gone["cause"]) == (run_id, "failed", DELETED)
        assert other["status"] == "scored", other
        assert "Traceback" not in service.log


def test_an_experiment_whose_folder_is_deleted_while_it_runs_is_gone_and_its_run_goes_on(tmp_path: Path) -> None:
    with serving(tmp_path, max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=10_000)
        run_id = wait_for(lambda: training(service, experiment_id), "a run that trains", LONG)
        ExperimentFolder(service.runs_dir, experiment_id).path.rename(tmp_path / "gone")
        assert service.api("GET", f"/experiments/{experiment_id}").status_code == 404
        service.wait_for_status(run_id, "completed")
        assert service.api("GET", f"/experiments/{experiment_id}/results").status_code == 404
        wait_for(lambda: service.get("/experiments")["experiments"] == [], "a list without it")
        assert not ExperimentFolder(service.runs_dir, experiment_id).path.exists()
        assert "Traceback" not in service.log
