"""Experiments whose service or workers are killed, whose disk is full or whose folders are deleted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from rlviz.domain.experiments import TrialState
from rlviz.rundir.experiment_folder import ExperimentFolder
from rlviz.server.experiments.scheduler import DELETED
from tests.support import experiments
from tests.support.experiments import LONG, cells
from tests.support.faults import Figures, fill, times, worker_of
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

EACH = 300.0
"""Seconds that a trial may take, on a machine however busy."""

STEPS = 8_000
"""Of a run: some seconds, so that it is met while it trains. With fewer it may be over before it is seen."""

pytestmark = pytest.mark.faults


def begun(service: Service, *, seeds: int, steps: int, evaluation: object = None, **wishes: object) -> str:
    spec = {
        "base": {**experiments.BASE, "total_timesteps": steps, "evaluation": evaluation},
        "variants": [{"name": "only"}],
        "seeds": seeds,
        "score": {"episodes": 2, "policy": "latest"},
        **wishes,
    }
    return experiments.create(service, spec)


def training(service: Service, experiment_id: str) -> str | None:
    """Return a run of the experiment that is training."""
    found = [one for one in cells(service, experiment_id) if one["status"] == "training" and one["trained"] > 0]
    return str(found[0]["run_id"]) if found else None


def ended(service: Service, experiment_id: str) -> dict[str, Any]:
    trials = service.get(f"/experiments/{experiment_id}")["trials"]
    return experiments.ended(service, experiment_id, within=EACH * trials)


def scores_counted(runs_dir: Path, experiment_id: str) -> Counter[int]:
    """Return how often each trial was scored."""
    lines = list(ExperimentFolder(runs_dir, experiment_id).read_trials())
    return Counter(line.trial for line in lines if line.state is TrialState.SCORED)


def test_killed_services_and_workers_lose_no_trial_and_score_none_twice(tmp_path: Path, figures: Figures) -> None:
    seeds, kills = times(3, 40), times(3, 50)
    experiment_id = killed(tmp_path, kills, figures, lambda service: begun(service, seeds=seeds, steps=STEPS))
    with serving(tmp_path, max_concurrent_runs="2") as service:
        found = ended(service, experiment_id)
        assert [cell["status"] for cell in found["cells"]] == ["scored"] * seeds, found
        for cell in found["cells"]:
            run = service.get(f"/runs/{cell['run_id']}")
            assert (run["status"], run["step"] >= STEPS) == ("completed", True), "no score of half a run"
    counted = scores_counted(tmp_path / "runs", experiment_id)
    wrong = sum(counted[number] != 1 for number in range(seeds))
    figures.add("an experiment whose workers and service are killed: scores lost or duplicated", wrong, "", at_most=0)
    assert counted == Counter(range(seeds))


def test_a_killed_search_proposes_nothing_twice_and_loses_at_most_its_running_trials(
    tmp_path: Path, figures: Figures
) -> None:
    trials, kills = times(2, 10), times(3, 20)
    sweep = {
        "space": {"learning_rate": {"kind": "float", "low": 1e-4, "high": 1e-2, "log": True}},
        "trials": trials,
        "seeds_per_trial": 2,
        "pruner": "median",
    }
    wishes = {"variants": [], "sweep": sweep, "evaluation": {"every_steps": STEPS // 4, "episodes": 2}}
    experiment_id = killed(tmp_path, kills, figures, lambda service: begun(service, seeds=2, steps=STEPS, **wishes))
    with serving(tmp_path, max_concurrent_runs="2") as service:
        found = ended(service, experiment_id)
        proposed = service.get(f"/experiments/{experiment_id}/search")["trials"]
    assert len({trial["values"]["learning_rate"] for trial in proposed}) == len(proposed) == trials
    assert {trial["state"] for trial in proposed} <= {"complete", "pruned"}, proposed
    assert {cell["status"] for cell in found["cells"]} <= {"scored", "pruned"}, found
    lines = list(ExperimentFolder(tmp_path / "runs", experiment_id).read_trials())
    assert max(scores_counted(tmp_path / "runs", experiment_id).values()) == 1
    lost = sum(line.state is TrialState.LOST for line in lines)
    assert lost <= 2 * kills, "no more than what trained"


def killed(tmp_path: Path, kills: int, figures: Figures, begin: Callable[[Service], str]) -> str:
    """Run an experiment in which a worker, the service, or both are killed in turn, a given number of times, while a
    run trains. Return its id.
    """
    experiment_id, made = "", 0
    while made < kills:
        with serving(tmp_path, max_concurrent_runs="2") as service:
            experiment_id = experiment_id or begin(service)
            made = killed_from(made, kills, service, experiment_id, figures)
    return experiment_id


def killed_from(made: int, kills: int, service: Service, experiment_id: str, figures: Figures) -> int:
    """Kill until there were ``kills`` in total or the service is gone, and return the number of kills so far."""
    while made < kills and service.process.poll() is None:
        began = time.monotonic()
        worker = eventually(lambda: worker_that_trains(service, experiment_id), "a run that trains", LONG)
        figures.add("an experiment, from a kill until a run of it trains", time.monotonic() - began, "s")
        if made % 3 != 1:
            worker.kill()
        if made % 3 != 0:
            service.process.kill()
            service.process.wait()
        if made % 3 != 1:
            eventually(partial(has_ended, worker), "the end of the worker", LONG)
        made += 1
    return made


def worker_that_trains(service: Service, experiment_id: str) -> psutil.Process | None:
    """Return the worker of a run that is training."""
    experiment = service.get(f"/experiments/{experiment_id}")
    assert experiment["status"] == "running", "it ended before it was killed as often as it should be"
    for cell in experiment["cells"]:
        if cell["status"] == "training" and cell["trained"] > 0:
            with suppress(psutil.Error):
                worker = worker_of(service, cell["run_id"])
                if not has_ended(worker):
                    return worker
    return None


def has_ended(worker: psutil.Process) -> bool:
    try:
        return bool(worker.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def test_a_full_disk_delays_an_experiment_which_reports_it_and_continues(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="2MB", max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=STEPS)
        eventually(lambda: training(service, experiment_id), "a run that trains", LONG)
        filler = fill(small_disk, leave=1_000_000)
        held = eventually(lambda: service.get(f"/experiments/{experiment_id}")["problem"], "what holds it up", LONG)
        assert "It continues when there is room." in held
        assert "RLVIZ_MIN_FREE_DISK" in held
        filler.unlink()
        found = ended(service, experiment_id)
        assert [cell["status"] for cell in found["cells"]] == ["scored"] * 2, found
        assert found["problem"] is None
    assert scores_counted(small_disk / "runs", experiment_id) == Counter(range(2))


def test_a_completely_full_disk_loses_no_score(small_disk: Path) -> None:
    """A trained policy that cannot be saved, or an evaluation that cannot be written, is repeated."""
    with serving(small_disk, min_free_disk="0", max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=STEPS)
        eventually(lambda: training(service, experiment_id), "a run that trains", LONG)
        filler = fill(small_disk)
        run_id = cells(service, experiment_id)[0]["run_id"]
        worker = worker_of(service, run_id)
        eventually(lambda: has_ended(worker), "its end", LONG)
        assert service.get(f"/experiments/{experiment_id}")["status"] == "running"
        filler.unlink()
        found = ended(service, experiment_id)
        assert [cell["status"] for cell in found["cells"]] == ["scored"] * 2, found
        assert "Traceback" not in service.log
    assert scores_counted(small_disk / "runs", experiment_id) == Counter(range(2))


def test_deleting_the_folder_of_a_training_run_fails_only_its_trial(tmp_path: Path) -> None:
    with serving(tmp_path, max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=STEPS)
        run_id = eventually(lambda: training(service, experiment_id), "a run that trains", LONG)
        worker = worker_of(service, run_id)
        service.folder(run_id).path.rename(tmp_path / "gone")
        worker.kill()
        gone, other = sorted(ended(service, experiment_id)["cells"], key=lambda cell: cell["run_id"] != run_id)
        assert (gone["run_id"], gone["status"], gone["cause"]) == (run_id, "failed", DELETED)
        assert other["status"] == "scored", other
        assert "Traceback" not in service.log


def test_deleting_the_folder_of_a_running_experiment_removes_it_and_its_run_continues(tmp_path: Path) -> None:
    with serving(tmp_path, max_concurrent_runs="1") as service:
        experiment_id = begun(service, seeds=2, steps=STEPS)
        run_id = eventually(lambda: training(service, experiment_id), "a run that trains", LONG)
        ExperimentFolder(service.runs_dir, experiment_id).path.rename(tmp_path / "gone")
        assert service.api("GET", f"/experiments/{experiment_id}").status_code == 404
        service.wait_for_status(run_id, "completed")
        assert service.api("GET", f"/experiments/{experiment_id}/results").status_code == 404
        eventually(lambda: service.get("/experiments")["experiments"] == [], "a list without it")
        assert not ExperimentFolder(service.runs_dir, experiment_id).path.exists()
        assert "Traceback" not in service.log
