"""Pruning of trials by the evaluations of all their seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.experiments import ExperimentSpec, TrialState, new_experiment_id
from rlviz.domain.ids import utc
from rlviz.learning.search.proposer import SeedReturns
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.rundir.trash import Trash
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.experiments.open_experiment import OpenExperiment
from rlviz.server.experiments.scheduler import TrialFollower
from rlviz.server.experiments.scoring import TrialScore

NOW = 1_000_000.0
SEARCH: dict[str, Any] = {
    "sweep": {
        "space": {"gamma": {"kind": "float", "low": 0.9, "high": 0.99}},
        "trials": 12,
        "seeds_per_trial": 3,
        "sampler": "random",
        "pruner": "median",
    },
    "seeds": 3,
}


class Runs:
    def __init__(self) -> None:
        self.stopped: list[str] = []

    def stop(self, run_id: str, reason: str) -> None:
        self.stopped.append(run_id)


class Scores:
    """The score of each trained run, or None while its episodes are played."""

    def __init__(self) -> None:
        self.found: TrialScore | None = None

    def score(self, run_id: str, plan: object) -> TrialScore | None:
        return self.found


class Greedy:
    """The greedy evaluations in the journals of runs, by run id."""

    def __init__(self) -> None:
        self.returns: dict[str, list[float]] = {}

    def read_returns(self, run_id: str) -> list[float]:
        return self.returns.get(run_id, [])


class Search:
    """A service with a search in which five trials ended with returns of 10."""

    def __init__(self, folder: ExperimentFolder, database: Database) -> None:
        self.experiment = OpenExperiment(folder, lambda: NOW)
        self.runs, self.scores, self.greedy, self._database = Runs(), Scores(), Greedy(), database
        made: Any = (self.runs, self.scores, self.greedy)
        self._follower = TrialFollower(database, Trash(folder.root.parent), *made)

    def begin(self, seed: int, status: str = "running") -> None:
        trial = self.experiment.trials_of_variant("trial-5")[seed]
        self.experiment.record(trial, TrialState.BEGUN, f"seed-{seed}")
        with self._database.write() as session:
            session.add(
                RunRow(
                    id=f"seed-{seed}", name="n", algo="ppo", env_id="CartPole-v1", seed=seed, total_timesteps=100,
                    created_at=NOW, status=status, attempts=[[NOW, None]],
                )
            )  # fmt: skip

    def follow(self) -> list[TrialState | None]:
        """Return the states of the seeds."""
        self._follower.follow(self.experiment)
        return self._states()

    def hold(self) -> list[TrialState | None]:
        """Return the states of the seeds while the experiment is stopped."""
        self._follower.pause_all(self.experiment)
        return self._states()

    def _states(self) -> list[TrialState | None]:
        return [
            None if trial.last is None else trial.last.state for trial in self.experiment.trials_of_variant("trial-5")
        ]


@pytest.fixture
def folder(tmp_path: Path) -> ExperimentFolder:
    folder = ExperimentFolder(tmp_path, new_experiment_id(utc(NOW)))
    specification = ExperimentSpec.model_validate(SEARCH)
    folder.create(StoredExperiment(id=folder.id, name="n", created_at=utc(NOW), specification=specification))
    experiment = OpenExperiment(folder, lambda: NOW)
    for _ in range(6):
        proposal = experiment.proposer.propose(experiment.run_specs.keys())
        assert proposal is not None
        experiment.add(proposal)
        if proposal.variant != "trial-5":
            experiment.proposer.evaluated(proposal.variant, [SeedReturns([10.0] * 5, False)])
            for trial in experiment.trials_of_variant(proposal.variant):
                experiment.record(trial, TrialState.SCORED, "other", score=TrialScore(10.0, PolicyChoice.LATEST))
            experiment.report_if_finished(proposal.variant)
    experiment.close()
    return folder


def test_the_first_seed_is_judged_before_the_last_has_started(folder: ExperimentFolder, database: Database) -> None:
    search = Search(folder, database)
    search.begin(0)
    search.greedy.returns["seed-0"] = [-5.0] * 3
    assert search.follow() == [TrialState.PRUNED] * 3
    assert search.runs.stopped == ["seed-0"]


@pytest.mark.parametrize(
    ("second", "expected"), [(5.0, [TrialState.BEGUN, None]), (-5.0, [TrialState.PRUNED, TrialState.PRUNED])]
)
def test_a_seed_trained_before_the_service_started_counts(
    folder: ExperimentFolder, database: Database, second: float, expected: list[TrialState | None]
) -> None:
    """Returns of 20 and 5 have a mean of 12.5, and 20 and -5 one of 7.5; the median of the other trials is 10."""
    before = Search(folder, database)
    before.begin(0, "completed")
    trial = before.experiment.trials_of_variant("trial-5")[0]
    before.experiment.record(trial, TrialState.SCORED, "seed-0", score=TrialScore(20.0, PolicyChoice.LATEST))
    before.experiment.close()
    search = Search(folder, database)
    search.begin(1)
    search.greedy.returns |= {"seed-0": [20.0] * 5, "seed-1": [second] * 3}
    assert search.follow() == [TrialState.SCORED, *expected]


def test_a_fully_trained_trial_is_not_pruned(folder: ExperimentFolder, database: Database) -> None:
    search = Search(folder, database)
    for seed in range(3):
        trial = search.experiment.trials_of_variant("trial-5")[seed]
        search.experiment.record(trial, TrialState.BEGUN, f"seed-{seed}")
        search.experiment.record(trial, TrialState.SCORED, f"seed-{seed}", score=TrialScore(-5.0, PolicyChoice.LATEST))
        search.greedy.returns[f"seed-{seed}"] = [-5.0] * 5
    assert search.follow() == [TrialState.SCORED] * 3


def test_a_trained_trial_gets_its_score_while_its_experiment_is_stopped(
    folder: ExperimentFolder, database: Database
) -> None:
    search = Search(folder, database)
    search.begin(0, "completed")
    assert search.hold() == [TrialState.BEGUN, None, None], "its episodes are still played"
    search.scores.found = TrialScore(7.0, PolicyChoice.BEST)
    assert search.hold() == [TrialState.SCORED, None, None]
    assert search.experiment.trials_of_variant("trial-5")[0].score == 7.0
