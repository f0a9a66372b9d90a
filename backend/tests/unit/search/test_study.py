"""A search study proposes the same trials as Optuna and continues after a crash."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path
from typing import Any

import optuna
import pytest

from benchmarks.searching import SAMPLERS, SPACE, optunas_own, search
from rlviz.domain.experiments import Choice, FloatRange, IntRange, SamplerName, Sweep
from rlviz.learning.search.proposer import SearchProposer
from rlviz.learning.search.results import place_on, search_results
from rlviz.learning.search.study import JOURNAL, SearchRecord, Study, TrialState

NUMBERS: dict[str, Any] = {"x": SPACE["x"], "y": FloatRange(low=-5, high=5)}


@pytest.mark.parametrize("name", SAMPLERS)
def test_thirty_trials_equal_those_of_optuna_with_the_same_seed(tmp_path: Path, name: SamplerName) -> None:
    ours = search(tmp_path, Sweep(space=SPACE, sampler=name, trials=30, seed=7)).trials
    theirs = optunas_own(SAMPLERS[name](seed=7), 30)
    assert [trial.values for trial in ours] == [trial.params for trial in theirs.trials]
    assert max(trial.objective or -1e9 for trial in ours) == theirs.best_value


def test_a_grid_tries_each_combination_once_and_ends(tmp_path: Path) -> None:
    space: Any = {"n": IntRange(low=1, high=3), "kind": SPACE["kind"], "x": FloatRange(low=0, high=1, step=0.5)}
    found = search(tmp_path, Sweep(space=space, sampler=SamplerName.GRID, trials=100)).trials
    assert len(found) == 18
    assert len({json.dumps(trial.values) for trial in found}) == 18


def test_a_grid_requires_as_many_trials_as_combinations(tmp_path: Path) -> None:
    sweep = Sweep(space={"kind": Choice(choices=["a", "b"])}, sampler=SamplerName.GRID, trials=5)
    assert len(search_all(tmp_path, sweep)) == 2
    found = search_results(sweep, SearchRecord(tmp_path, "test").trials, {})
    assert (found.counts[TrialState.COMPLETE], found.wanted) == (2, 2)


@pytest.mark.parametrize("name", list(SamplerName))
def test_a_reopened_study_repeats_no_trial(tmp_path: Path, name: SamplerName) -> None:
    space: Any = {"n": IntRange(low=1, high=12)} if name is SamplerName.GRID else NUMBERS
    sweep = Sweep(space=space, sampler=name, trials=12, seed=3)
    for _ in range(4):  # each time another process would begin here
        study = Study(tmp_path, "test", sweep)
        for _ in range(3):
            asked = study.ask()
            assert asked is not None
            study.complete(asked.number, float(asked.number))
    found = Study(tmp_path, "test", sweep).trials
    assert [trial.number for trial in found] == list(range(12))
    assert len({json.dumps(trial.values) for trial in found}) == 12
    assert Study(tmp_path, "test", sweep).ask() is None


FEW: Any = {
    "n": IntRange(low=1, high=2),
    "kind": Choice(choices=["a", [64]]),
    "x": FloatRange(low=0, high=0.2, step=0.1, when={"kind": ["a"]}),
}
"""Eight combinations: two times three where the kind is a, and two where it is not."""


@pytest.mark.parametrize("name", [one for one in SamplerName if one is not SamplerName.GRID])
def test_no_two_trials_are_equal_and_a_small_search_tries_every_combination(tmp_path: Path, name: SamplerName) -> None:
    study = Study(tmp_path, "test", Sweep(space=FEW, sampler=name, trials=50, seed=1))
    found = []
    while (asked := study.ask()) is not None:
        study.complete(asked.number, -float(asked.values["n"]))  # type: ignore[arg-type]
        found.append(asked)
    assert [trial.number for trial in found] == list(range(8)), "no number is left out"
    assert len({json.dumps(trial.values) for trial in found}) == 8
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / JOURNAL))
    stored = optuna.load_study(study_name="test", storage=optuna.storages.JournalStorage(backend)).trials
    for trial, theirs in zip(found, stored, strict=True):  # what Optuna learns from is what was trained
        assert theirs.params["n"] == trial.values["n"]
        assert theirs.params["kind"] == (json.dumps([64]) if trial.values["kind"] == [64] else trial.values["kind"])


def test_a_running_trial_is_still_running_after_a_process_crash(tmp_path: Path) -> None:
    sweep = Sweep(space=SPACE, trials=3)
    asked = Study(tmp_path, "test", sweep).ask()
    assert asked is not None
    again = Study(tmp_path, "test", sweep)
    (running,) = again.trials
    assert running == asked
    assert running.state is TrialState.RUNNING
    again.complete(running.number, 1.5)
    again.complete(running.number, 9.0)  # told twice: the first counts
    assert again.trials[0].objective == 1.5


def test_ending_a_search_fails_running_trials_and_leaves_ended_ones_unchanged(tmp_path: Path) -> None:
    sweep = Sweep(space=SPACE, trials=3)
    study = Study(tmp_path, "test", sweep)
    first, second = study.ask(), study.ask()
    assert first is not None
    assert second is not None
    study.complete(first.number, 1.5)
    for cause in ("Its limit was reached.", "Told a second time."):
        study.end(cause)
        study = Study(tmp_path, "test", sweep)
    assert [(one.state, one.cause) for one in study.trials] == [
        (TrialState.COMPLETE, None),
        (TrialState.FAILED, "Its limit was reached."),
    ]


def test_a_condition_leaves_out_parameters_that_do_not_apply(tmp_path: Path) -> None:
    space: Any = {
        "noise": Choice(choices=["none", "normal"]),
        "std": FloatRange(low=0.1, high=1, when={"noise": ["normal"]}),
    }
    found = search_all(tmp_path, Sweep(space=space, sampler=SamplerName.RANDOM, trials=20))
    assert {("std" in values) == (values["noise"] == "normal") for values in found} == {True}
    assert {values["noise"] for values in found} == {"none", "normal"}


def search_all(folder: Path, sweep: Sweep) -> list[Any]:
    study = Study(folder, "test", sweep)
    while (asked := study.ask()) is not None:
        study.complete(asked.number, 0.0)
    return [trial.values for trial in study.trials]


def test_choices_may_be_lists(tmp_path: Path) -> None:
    space: Any = {"net_arch": Choice(choices=[[64], [64, 64], []])}
    found = search_all(tmp_path, Sweep(space=space, sampler=SamplerName.GRID, trials=3))
    assert sorted(values["net_arch"] for values in found) == [[], [64], [64, 64]]


def test_an_unsuitable_trial_is_replaced_and_a_failed_one_is_not(tmp_path: Path) -> None:
    study = Study(tmp_path, "test", Sweep(space=SPACE, trials=2))
    misfit, failed, last = study.ask(), None, None
    assert misfit is not None
    study.fail(misfit.number, "A batch does not fit.", misfit=True)
    failed = study.ask()
    assert failed is not None
    study.fail(failed.number, "Killed by signal 9.")
    last = study.ask()
    assert last is not None
    assert study.ask() is None
    assert [trial.cause for trial in study.trials] == ["A batch does not fit.", "Killed by signal 9.", None]


def test_a_search_without_any_suitable_trial_ends(tmp_path: Path) -> None:
    study = Study(tmp_path, "test", Sweep(space=SPACE, trials=1))
    while (asked := study.ask()) is not None:
        study.fail(asked.number, "Does not fit.", misfit=True)
    assert len(study.trials) == 5


def test_without_a_pruner_no_trial_is_pruned(tmp_path: Path) -> None:
    study = Study(tmp_path, "test", Sweep(space=SPACE, trials=10))
    while (asked := study.ask()) is not None:
        assert not any(study.report(asked.number, step, -float(asked.number)) for step in range(1, 10))
        study.complete(asked.number, 0.0)


def test_optuna_opens_the_journal(tmp_path: Path) -> None:
    search(tmp_path, Sweep(space=SPACE, trials=3))
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / JOURNAL))
    (summary,) = optuna.get_all_study_summaries(optuna.storages.JournalStorage(backend))
    assert (summary.study_name, summary.n_trials) == ("test", 3)


def test_a_full_disk_leaves_no_partial_line(tmp_path: Path) -> None:
    sweep = Sweep(space=SPACE, trials=6)
    study = search(tmp_path, sweep, until=3)
    before = (tmp_path / JOURNAL).read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            study.ask()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert (tmp_path / JOURNAL).read_bytes() == before
    assert len(search(tmp_path, sweep).trials) == 6


def test_a_search_that_never_started_has_no_record(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        SearchRecord(tmp_path, "test")
    search(tmp_path, Sweep(space=SPACE, trials=1))
    with pytest.raises(KeyError):
        SearchRecord(tmp_path, "other")


def test_the_influential_parameter_has_the_greatest_importance(tmp_path: Path) -> None:
    sweep = Sweep(space=SPACE, sampler=SamplerName.RANDOM, trials=40)
    study = search(tmp_path, sweep)
    found = study.importances()
    assert next(iter(found)) == "x"
    assert sum(found.values()) == pytest.approx(1)
    assert Study(tmp_path, "other", sweep).importances() == {}


def test_results_have_a_history_slices_and_coordinates(tmp_path: Path) -> None:
    sweep = Sweep(space=SPACE, trials=12, seeds_per_trial=3)
    study = search(tmp_path, sweep, until=5)
    found = search_results(sweep, study.trials, study.importances())
    bests = [trial.best_so_far for trial in found.trials]
    assert bests == sorted(bests)
    assert found.best is not None
    assert found.best.objective == max(trial.objective or -1e9 for trial in found.trials)
    assert [trial.variant for trial in found.trials] == [
        one.variant for one in SearchProposer(study, [0, 1, 2]).proposed()
    ]
    assert (found.counts[TrialState.COMPLETE], found.wanted) == (5, 12)
    assert "A score is the mean return of the trial's policy on fresh episodes" in found.made["objective"].definition
    assert found.made["objective"].n == 3
    assert [one.name for one in found.slices] == list(SPACE)
    assert all(len(one.points) == 5 for one in found.slices)
    places = [place for line in found.coordinates.lines for place in line.places if place is not None]
    assert len(places) == 20
    assert all(0 <= place <= 1 for place in places)


def test_positions_on_an_axis_follow_its_scale() -> None:
    assert place_on(SPACE["rate"], 1e-3) == pytest.approx(0.5)
    assert place_on(SPACE["x"], 0.0) == 0.5
    assert place_on(Choice(choices=[[64], [64, 64], [256]]), [64, 64]) == 0.5
