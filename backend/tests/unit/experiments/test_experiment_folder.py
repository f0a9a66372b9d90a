"""Opening an experiment from its folder after crashes, full disks and manual changes."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, PolicyChoice
from rlviz.domain.experiments import (
    ExperimentSpec,
    FloatRange,
    RunSpec,
    ScorePlan,
    Sweep,
    TrialState,
    new_experiment_id,
)
from rlviz.domain.recommended import RECOMMENDED
from rlviz.learning.search.proposer import SearchProposer
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment, experiment_folders
from rlviz.rundir.journal import JournalWriter
from rlviz.server.experiments.open_experiment import OpenExperiment
from rlviz.server.experiments.scoring import TrialScore, _is_asked

NOW = datetime(2026, 11, 23, tzinfo=UTC)
TWO_SEEDS: dict[str, Any] = {"variants": [{"name": "a"}], "seeds": 2}


def folder(runs_dir: Path, resolved: dict[str, RunSpec] | None = None, **given: Any) -> ExperimentFolder:
    made = ExperimentFolder(runs_dir, new_experiment_id(NOW))
    spec = ExperimentSpec.model_validate(given or TWO_SEEDS)
    made.create(StoredExperiment(id=made.id, name="n", created_at=NOW, specification=spec, resolved=resolved or {}))
    return made


def experiment(of: ExperimentFolder) -> OpenExperiment:
    return OpenExperiment(of, NOW.timestamp)


def test_trials_are_trained_with_the_preset_values_of_the_creation_time(tmp_path: Path) -> None:
    values = RunSpec(total_timesteps=500, hyperparameters={"gamma": 0.5, "n_steps": 8})
    space = {"gamma": {"kind": "float", "low": 0.9, "high": 0.99}}
    for given, known in ((TWO_SEEDS, "v0"), ({"sweep": {"space": space, "seeds_per_trial": 1}, "seeds": 1}, "base")):
        of = folder(tmp_path, resolved={known: values}, **given)
        made = experiment(of)
        if made.spec.sweep is not None:
            proposal = made.proposer.propose(made.run_specs.keys())
            assert proposal is not None
            made.add(proposal)
        variant = next(iter(made.run_specs))
        trained = made.run_spec_of(variant)
        assert (trained.total_timesteps, trained.hyperparameters["n_steps"]) == (500, 8)
        expected = made.run_specs[variant].hyperparameters.get("gamma", 0.5)
        assert trained.hyperparameters["gamma"] == expected
        made.close()
    old = experiment(folder(tmp_path))
    assert old.run_spec_of("v0") == old.run_specs["v0"], "an older version looked presets up when a trial began"


def test_recorded_states_are_known_to_the_next_service(tmp_path: Path) -> None:
    of = folder(tmp_path)
    before = experiment(of)
    before.record(before.trials[0], TrialState.BEGUN, "r1")
    before.record(before.trials[0], TrialState.SCORED, "r1", score=TrialScore(7.0, PolicyChoice.BEST))
    before.record(before.trials[1], TrialState.BEGUN, "r2")
    after = experiment(of)  # the first was not closed, because its process was killed
    assert [(one.is_final, one.is_begun, one.run_id) for one in after.trials.values()] == [
        (True, False, "r1"),
        (False, True, "r2"),
    ]
    assert after.waiting() == []


def test_a_torn_last_line_is_removed_and_the_journal_continues(tmp_path: Path) -> None:
    of = folder(tmp_path)
    first = experiment(of)
    first.record(first.trials[0], TrialState.BEGUN, "r1")
    first.close()
    with of.trials_path.open("ab") as file:
        file.write(b'{"seq":2,"trial":1,"va')
    second = experiment(of)
    second.record(second.trials[1], TrialState.BEGUN, "r2")
    second.close()
    assert [line.run_id for line in of.read_trials()] == ["r1", "r2"]


@pytest.mark.parametrize("put", [lambda path: path.symlink_to("/etc/passwd"), os.mkfifo, os.mkdir])
def test_only_regular_files_are_read_and_written(tmp_path: Path, put: Callable[[Path], None]) -> None:
    of = folder(tmp_path)
    opened = experiment(of)
    put(of.trials_path)
    with pytest.raises(RunFolderError):
        list(of.read_trials())
    with pytest.raises(RunFolderError):
        opened.record(opened.trials[0], TrialState.BEGUN, "r1")


def test_a_failure_recorded_while_the_disk_was_full_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = folder(tmp_path)
    opened = experiment(of)
    opened.record(opened.trials[0], TrialState.BEGUN, "r1")

    def full(_: JournalWriter) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(JournalWriter, "_flush", full)
        with pytest.raises(OSError, match="No space"):
            opened.record(opened.trials[0], TrialState.RETRIED, "r1", cause="It crashed.")
    if opened.trials[0].is_begun:  # as the scheduler does when it looks again
        opened.record(opened.trials[0], TrialState.RETRIED, "r1", cause="It crashed.")
    opened.close()
    assert experiment(of).trials[0].failures == 1


def test_a_score_not_reported_by_a_killed_service_is_reported_by_the_next(tmp_path: Path) -> None:
    sweep = Sweep(space={"gamma": FloatRange(low=0.9, high=0.99)}, trials=3, seeds_per_trial=1)
    of = folder(tmp_path, sweep=sweep.model_dump(mode="json"))
    first = experiment(of)
    proposal = first.proposer.propose(first.run_specs.keys())
    assert proposal is not None
    first.add(proposal)
    for trial in first.trials_of_variant(proposal.variant):
        first.record(trial, TrialState.BEGUN, "r1")
        first.record(trial, TrialState.SCORED, "r1", score=TrialScore(5.0, PolicyChoice.LATEST))
    second = experiment(of)
    assert isinstance(second.proposer, SearchProposer)
    assert second.proposer._study.trials[0].state == "complete"


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("played", [True, False])
def test_an_evaluation_gives_a_score_only_if_it_chose_actions_as_planned(planned: bool, played: bool) -> None:
    plan = ScorePlan(deterministic=planned)
    record = EvaluationRecord(
        id="e",
        run_id="r",
        created_at=NOW,
        episodes=plan.episodes,
        policy=PolicyChoice.LATEST,
        video=False,
        deterministic=played,
    )
    assert _is_asked(record, plan, PolicyChoice.LATEST) == (planned == played)


def test_experiments_are_listed_newest_first_until_they_are_removed(tmp_path: Path) -> None:
    made = [folder(tmp_path) for _ in range(2)]
    newest_first = sorted((one.id for one in made), reverse=True)
    assert [one.id for one in experiment_folders(tmp_path)] == newest_first
    ExperimentFolder(tmp_path, newest_first[0]).remove()
    assert [one.id for one in experiment_folders(tmp_path)] == newest_first[1:]


def test_a_failure_that_ends_the_experiment_is_known_to_the_next_service(tmp_path: Path) -> None:
    of = folder(tmp_path, **TWO_SEEDS, fail_mode="fast-fail")
    first = experiment(of)
    assert first.fast_failure() is None
    first.record(first.trials[0], TrialState.BEGUN, "r1")
    first.record(first.trials[0], TrialState.FAILED, "r1", cause="It crashed.")
    assert experiment(of).fast_failure() == "a, seed 0: It crashed."


def test_values_omitted_by_a_variant_come_from_the_base_also_after_reloading(tmp_path: Path) -> None:
    variants = [
        {"name": "a", "changes": {"hyperparameters": {"gamma": 0.9}}},
        {"name": "b", "changes": {"preset": "none"}},
    ]
    of = folder(tmp_path, base={"algo": "dqn"}, variants=variants, seeds=1)
    found = experiment(of).run_specs
    assert (found["v0"].algo, found["v0"].preset, found["v1"].preset) == ("dqn", RECOMMENDED, None)
