"""Progress, cost and remaining time of an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.experiments import CellStatus, ExperimentControl, ExperimentSpec, TrialState, new_experiment_id
from rlviz.domain.ids import utc
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.server.catalog.models import RunRow
from rlviz.server.experiments.open_experiment import OpenExperiment
from rlviz.server.experiments.summaries import state_of, training_seconds
from rlviz.stats.return_curve import SPARKLINE_POINTS

CREATED = 1_000_000.0


@pytest.fixture
def experiment(tmp_path: Path) -> OpenExperiment:
    spec = ExperimentSpec.model_validate({"variants": [{"name": "only"}], "seeds": 4, "fail_mode": "fast-fail"})
    folder = ExperimentFolder(tmp_path, new_experiment_id(utc(CREATED)))
    folder.create(StoredExperiment(id=folder.id, name="x", created_at=utc(CREATED), specification=spec))
    return OpenExperiment(folder, lambda: CREATED)


def row(run_id: str, *, seconds: float, step: int) -> RunRow:
    attempts = [[CREATED, CREATED + seconds]]
    return RunRow(id=run_id, created_at=CREATED, attempts=attempts, step=step, total_timesteps=100, status="paused")


def test_the_time_left_depends_on_the_cost_and_not_on_the_age(experiment: OpenExperiment) -> None:
    first, second = list(experiment.trials.values())[:2]
    experiment.record(first, TrialState.BEGUN, "a")
    experiment.record(second, TrialState.BEGUN, "b")
    rows = {"a": row("a", seconds=60.0, step=100), "b": row("b", seconds=60.0, step=100)}
    late = CREATED + 1_000_000.0
    one = state_of(experiment, rows, now=late, parallel=1)
    assert (one.progress, one.core_seconds, one.seconds_left) == (0.5, 120.0, 120.0)
    assert state_of(experiment, rows, now=late, parallel=2).seconds_left == 60.0
    experiment.write_control(ExperimentControl(desired="stop"))
    assert state_of(experiment, rows, now=late, parallel=1).seconds_left is None


def test_no_time_left_is_given_while_only_scoring_is_left(experiment: OpenExperiment) -> None:
    rows = {}
    for index, trial in enumerate(experiment.trials.values()):
        run_id = f"run-{index}"
        experiment.record(trial, TrialState.BEGUN, run_id)
        rows[run_id] = row(run_id, seconds=60.0, step=100).model_copy(update={"status": "completed"})
    found = state_of(experiment, rows, now=CREATED + 100, parallel=1)
    assert (found.progress, found.seconds_left) == (1.0, None)


def test_long_trials_have_more_weight_in_progress_and_time_left(tmp_path: Path) -> None:
    lengths = {"short": 10_000, "long": 1_000_000}
    variants = [{"name": name, "changes": {"total_timesteps": steps}} for name, steps in lengths.items()]
    spec = ExperimentSpec.model_validate({"variants": variants, "seeds": 1})
    folder = ExperimentFolder(tmp_path, new_experiment_id(utc(CREATED)))
    folder.create(StoredExperiment(id=folder.id, name="x", created_at=utc(CREATED), specification=spec))
    both = OpenExperiment(folder, lambda: CREATED)
    first = next(iter(both.trials.values()))
    both.record(first, TrialState.BEGUN, "a")
    rows = {"a": row("a", seconds=10.0, step=10_000).model_copy(update={"total_timesteps": 10_000})}
    found = state_of(both, rows, now=CREATED + 100, parallel=1)
    assert (found.total_timesteps, found.progress) == (1_010_000, pytest.approx(10_000 / 1_010_000))
    assert found.seconds_left is None, "one hundredth is too little to tell"
    rows["a"].step = rows["a"].total_timesteps = 20_000
    found = state_of(both, rows, now=CREATED + 100, parallel=1)
    assert found.seconds_left == pytest.approx(10.0 * 1_000_000 / 20_000)


def test_the_training_time_excludes_pauses_and_counts_nothing_twice() -> None:
    def trained(*attempts: list[float | None]) -> RunRow:
        return RunRow(id="a", created_at=CREATED, attempts=attempts, step=1, total_timesteps=100, status="running")

    assert training_seconds([], 50.0) == 0.0
    rows = [trained([10.0, 20.0], [100.0, None]), trained([12.0, 15.0]), trained([18.0, 30.0])]
    assert training_seconds(rows, 110.0) == 20.0 + 10.0


def test_lost_attempts_are_part_of_the_cost(experiment: OpenExperiment) -> None:
    first = next(iter(experiment.trials.values()))
    experiment.record(first, TrialState.BEGUN, "lost")
    experiment.record(first, TrialState.LOST, "lost", cause="The machine went down.")
    experiment.record(first, TrialState.BEGUN, "again")
    rows = {name: row(name, seconds=10.0, step=50) for name in experiment.run_ids}
    assert experiment.run_ids == ["lost", "again"]
    assert state_of(experiment, rows, now=CREATED + 100, parallel=1).core_seconds == 20.0


def test_a_trial_without_a_run_does_not_end_its_experiment(experiment: OpenExperiment) -> None:
    first, second = list(experiment.trials.values())[:2]
    experiment.record(first, TrialState.FAILED, "", cause="These values cannot work together.")
    assert experiment.fast_failure() is None
    experiment.record(second, TrialState.FAILED, "a", cause="It crashed.")
    assert "It crashed." in (experiment.fast_failure() or "")


def test_the_cost_is_processor_time_if_it_was_measured(experiment: OpenExperiment) -> None:
    first = next(iter(experiment.trials.values()))
    experiment.record(first, TrialState.BEGUN, "a")
    counted = row("a", seconds=60.0, step=100).model_copy(update={"core_seconds_before": 41.5})
    found = state_of(experiment, {"a": counted}, now=CREATED + 100, parallel=1)
    assert found.core_seconds == 41.5
    assert found.seconds_left == 60.0 * 3, "the time that it took"


def test_the_cost_of_a_training_run_is_its_workers_usage_or_else_its_time(experiment: OpenExperiment) -> None:
    first = next(iter(experiment.trials.values()))
    experiment.record(first, TrialState.BEGUN, "a")
    trains = row("a", seconds=60.0, step=50).model_copy(
        update={"core_seconds_before": 10.0, "attempts": [[CREATED, CREATED + 20], [CREATED + 40, None]]}
    )
    now = CREATED + 100
    assert state_of(experiment, {"a": trains}, now=now, parallel=1).core_seconds == 10.0 + 60.0
    asked = trains.model_copy(update={"core_seconds_now": 22.5})
    assert state_of(experiment, {"a": asked}, now=now, parallel=1).core_seconds == 22.5


def test_sparklines_of_many_trials_are_thinned_together(tmp_path: Path) -> None:
    spec = ExperimentSpec.model_validate({"variants": [{"name": f"{place}"} for place in range(40)], "seeds": 10})
    folder = ExperimentFolder(tmp_path, new_experiment_id(utc(CREATED)))
    folder.create(StoredExperiment(id=folder.id, name="x", created_at=utc(CREATED), specification=spec))
    many = OpenExperiment(folder, lambda: CREATED)
    trial = next(iter(many.trials.values()))
    many.record(trial, TrialState.BEGUN, "a")
    returns = [float(value) for value in range(SPARKLINE_POINTS)]
    trained = row("a", seconds=10.0, step=50).model_copy(update={"sparkline": returns})
    cell = state_of(many, {"a": trained}, now=CREATED + 100, parallel=1).cells[0]
    assert (cell.trained, cell.progress) == (0.5, 0.5)
    assert len(cell.sparkline) == 20
    assert (cell.sparkline[0], cell.sparkline[-1]) == (returns[0], returns[-1])
    assert list(cell.sparkline) == sorted(cell.sparkline)


def test_a_failed_trial_keeps_its_returns(experiment: OpenExperiment) -> None:
    trial = next(iter(experiment.trials.values()))
    experiment.record(trial, TrialState.BEGUN, "a")
    experiment.record(trial, TrialState.FAILED, "a", cause="It crashed.")
    failed = row("a", seconds=10.0, step=25).model_copy(update={"sparkline": [1.0, 1234.5678]})
    cell = state_of(experiment, {"a": failed}, now=CREATED + 100, parallel=1).cells[0]
    assert (cell.progress, cell.trained, list(cell.sparkline)) == (1.0, 0.25, [1.0, 1235.0])


@pytest.mark.parametrize(("desired", "shown"), [("run", CellStatus.TRAINING), ("stop", CellStatus.PAUSED)])
def test_an_interrupted_run_is_paused_while_its_experiment_is_stopped(
    experiment: OpenExperiment, desired: str, shown: CellStatus
) -> None:
    trial = next(iter(experiment.trials.values()))
    experiment.record(trial, TrialState.BEGUN, "a")
    experiment.control = ExperimentControl.model_validate({"desired": desired})
    gone = row("a", seconds=10.0, step=50).model_copy(update={"status": "interrupted"})
    assert state_of(experiment, {"a": gone}, now=CREATED + 100, parallel=1).cells[0].status is shown


@pytest.mark.parametrize("status", ["failed", "interrupted"])
def test_a_trial_with_an_interrupted_run_has_the_cause_of_its_run(experiment: OpenExperiment, status: str) -> None:
    first, second = list(experiment.trials.values())[:2]
    experiment.record(first, TrialState.BEGUN, "a")
    experiment.record(second, TrialState.BEGUN, "b")
    cut_off = row("a", seconds=1.0, step=1).model_copy(update={"status": status, "cause": "The disk is full."})
    found = state_of(experiment, {"a": cut_off, "b": row("b", seconds=1.0, step=1)}, now=CREATED, parallel=1)
    assert [cell.cause for cell in found.cells[:2]] == ["The disk is full.", None]
