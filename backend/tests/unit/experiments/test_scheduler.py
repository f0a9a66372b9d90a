"""Searches that end before all their trials are trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.experiments import ExperimentControl, ExperimentSpec, new_experiment_id
from rlviz.domain.ids import utc
from rlviz.learning.search.study import SearchRecord, TrialState
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.events import EventBus
from rlviz.server.experiments.open_experiment import ENDED, OpenExperiment, Trial
from rlviz.server.experiments.scheduler import LIMITED, ExperimentScheduler
from rlviz.server.experiments.scoring import TrialScore
from rlviz.settings import Settings
from tests.support.waiting import eventually

NOW = 1_000_000.0
STEPS = 600
"""Of each run."""


@dataclass(frozen=True)
class Config:
    run_id: str


@dataclass(frozen=True)
class Planned:
    config: Config


class Runs:
    """Runs that are trained, or have failed, as soon as they are added."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.ends_as = "completed"

    def plan(self, experiment: OpenExperiment, trial: Trial) -> Planned:
        return Planned(Config(f"run-{trial.number}"))

    def add(self, planned: Planned, sinks: object) -> None:
        with self._database.write() as session:
            session.add(
                RunRow(
                    id=planned.config.run_id, name="n", algo="ppo", env_id="CartPole-v1", seed=0, total_timesteps=STEPS,
                    step=STEPS, created_at=NOW, status=self.ends_as, cause="It snapped.", attempts=[[NOW, NOW + 1]],
                )
            )  # fmt: skip

    def stop(self, run_id: str, reason: str) -> None:
        """Do nothing: the runs have ended."""


class Scorer:
    def score(self, run_id: str, plan: object) -> TrialScore:
        return TrialScore(1.0, PolicyChoice.LATEST)


@pytest.fixture
def runs(database: Database) -> Runs:
    return Runs(database)


Begin = Callable[[], ExperimentScheduler]


@pytest.fixture
def begin(tmp_path: Path, database: Database, runs: Runs) -> Iterator[Begin]:
    """Start a service, and end all services afterwards."""
    settings = Settings(_env_file=None, runs_dir=tmp_path, min_free_disk=1)  # type: ignore[call-arg]
    begun: list[ExperimentScheduler] = []

    def start() -> ExperimentScheduler:
        made: Any = (runs, Scorer())
        begun.append(
            ExperimentScheduler(
                settings, database, EventBus(), Trash(tmp_path), *made, clock=lambda: NOW + 10, poll_seconds=0.01
            )
        )
        begun[-1].start()
        return begun[-1]

    yield start
    for one in begun:
        one.close()


def search(runs_dir: Path, *, seeds: int, trials: int = 3, **given: Any) -> ExperimentFolder:
    space = {"gamma": {"kind": "float", "low": 0.9, "high": 0.99}}
    sweep = {"space": space, "trials": trials, "seeds_per_trial": seeds, "sampler": "random"}
    specification = ExperimentSpec.model_validate({"sweep": sweep, "seeds": seeds, "parallel": 1, **given})
    folder = ExperimentFolder(runs_dir, new_experiment_id(utc(NOW)))
    folder.create(StoredExperiment(id=folder.id, name="n", created_at=utc(NOW), specification=specification))
    return folder


def ended(folder: ExperimentFolder) -> ExperimentControl:
    eventually(lambda: folder.read_control().desired == "end", "the end of the experiment")
    return folder.read_control()


def told(folder: ExperimentFolder) -> list[tuple[TrialState, str | None]]:
    """Return the states and causes of the study's trials."""
    return [(trial.state, trial.cause) for trial in SearchRecord(folder.path, folder.id).trials]


COMPLETE = (TrialState.COMPLETE, None)
NEVER_SCORED = (TrialState.FAILED, f"{ENDED} {LIMITED}")


@pytest.mark.parametrize(
    ("seeds", "steps", "expected"),
    [
        (2, 2 * STEPS, [COMPLETE]),
        (2, STEPS + 1, [COMPLETE]),
        (2, 3 * STEPS, [COMPLETE, NEVER_SCORED]),
        (1, STEPS, [COMPLETE]),
    ],
)
def test_a_search_at_its_limit_proposes_nothing_and_fails_trials_with_missing_seeds(
    tmp_path: Path, begin: Begin, seeds: int, steps: int, expected: list[tuple[TrialState, str | None]]
) -> None:
    folder = search(tmp_path, seeds=seeds, limits={"steps": steps})
    begin()
    assert ended(folder).skipped == LIMITED
    assert told(folder) == expected


def test_a_limit_reached_by_the_last_trial_skips_nothing(tmp_path: Path, begin: Begin) -> None:
    folder = search(tmp_path, seeds=1, trials=2, limits={"steps": 2 * STEPS})
    begin()
    assert ended(folder).skipped is None
    assert told(folder) == [COMPLETE] * 2


def test_a_trial_of_a_failed_fail_fast_experiment_does_not_run_forever(
    tmp_path: Path, begin: Begin, runs: Runs
) -> None:
    runs.ends_as = "failed"
    folder = search(tmp_path, seeds=2, fail_mode="fast-fail")
    begin()
    assert ended(folder).cause == "Trial 0, seed 0: It snapped."
    assert told(folder) == [(TrialState.FAILED, f"{ENDED} Trial 0, seed 0: It snapped.")]


def test_a_search_that_ended_with_a_running_trial_reports_it_when_it_is_opened(tmp_path: Path, begin: Begin) -> None:
    folder = search(tmp_path, seeds=1, limits={"steps": STEPS})
    before = OpenExperiment(folder, lambda: NOW)
    assert before.proposer.propose(()) is not None
    before.write_control(ExperimentControl(desired="end", skipped=LIMITED))
    before.close()
    for _ in range(2):
        begin()
        assert told(folder) == [NEVER_SCORED]


def test_a_stopped_search_continues_with_its_running_trials(tmp_path: Path, begin: Begin) -> None:
    folder = search(tmp_path, seeds=1, trials=2)
    before = OpenExperiment(folder, lambda: NOW)
    assert before.proposer.propose(()) is not None
    before.write_control(ExperimentControl(desired="stop"))
    before.close()
    scheduler = begin()
    assert told(folder) == [(TrialState.RUNNING, None)]
    (experiment,) = scheduler.experiments()
    with experiment.lock:
        experiment.write_control(ExperimentControl())
    ended(folder)
    assert told(folder) == [COMPLETE] * 2
