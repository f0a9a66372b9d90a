"""Delivered runs, read by Trackio, TensorBoard and MLflow."""

from __future__ import annotations

from contextlib import closing

import pytest

from rlviz import delivery_worker
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.sinks import own_folder, read_sink
from rlviz.server.exchange.deliveries import keep_delivering
from tests.support.cli import call
from tests.support.exported_run import CURVE, ROWS, RUN_ID, export, folder
from tests.support.readers import needs

__all__ = ["folder"]


def test_trackio_has_the_run_once_with_its_curve_settings_and_score(folder: RunFolder) -> None:
    import trackio
    from trackio.sqlite_storage import SQLiteStorage

    export(folder, SinkKind.TRACKIO)
    (run,) = trackio.Api().runs("rlviz")
    logs = SQLiteStorage.get_logs("rlviz", run.name)
    assert (run.id, run.name) == (RUN_ID, "first")
    assert [(log["step"], log["episode/reward"]) for log in logs] == CURVE
    assert run.config["hyperparameters/gamma"] == 0.99
    assert (run.config["summary/status"], run.config["tags"]) == ("completed", ["baseline"])


def test_tensorboard_has_each_value_once_however_often_it_was_delivered(folder: RunFolder) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    export(folder, SinkKind.TENSORBOARD)
    files = EventAccumulator(str(own_folder(folder, SinkKind.TENSORBOARD)))
    files.Reload()
    assert [(event.step, event.value) for event in files.Scalars("episode/reward")] == CURVE


def test_an_interrupted_delivery_leaves_the_rest_to_the_next_one(folder: RunFolder) -> None:
    with pytest.raises(KeyboardInterrupt), keep_delivering(folder, SinkKind.TENSORBOARD):
        raise KeyboardInterrupt
    export(folder, SinkKind.TENSORBOARD)


def test_sync_does_nothing_when_everything_is_delivered(folder: RunFolder) -> None:
    export(folder, SinkKind.TENSORBOARD, twice=False)
    assert call(folder.path.parent, "sync").out == "All data have been delivered.\n"


def test_a_run_without_sinks_is_not_found_under_another_name(folder: RunFolder) -> None:
    assert call(folder.path.parent, "sync", "nonsense").status == 3


@needs("mlflow")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # MLflow's, of its database package
def test_mlflow_has_the_run_once_with_its_curve_settings_and_score(folder: RunFolder) -> None:
    from mlflow.tracking import MlflowClient

    (record,) = export(folder, SinkKind.MLFLOW)
    client = MlflowClient(tracking_uri=record.place)
    experiment = client.get_experiment_by_name("rlviz")
    (run,) = client.search_runs([experiment.experiment_id])
    assert (run.info.run_id, run.info.run_name, run.info.status) == (record.foreign_id, "first", "FINISHED")
    curve = client.get_metric_history(run.info.run_id, "episode/reward")
    assert sorted((point.step, point.value) for point in curve) == CURVE
    assert run.data.params["hyperparameters/gamma"] == "0.99"
    assert run.data.tags["rlviz.tag.baseline"] == "true"
    assert run.data.tags["rlviz.summary.status"] == "completed"


@needs("mlflow")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # MLflow's, of its database package
def test_mlflow_has_both_of_two_episodes_that_end_identically_at_the_same_moment(folder: RunFolder) -> None:
    from mlflow.tracking import MlflowClient

    with closing(JournalWriter(folder.metrics_path)) as journal:
        for _ in range(2):
            journal.append({"step": 999, "values": {"episode/reward": 7.0}}, at=2e9)
    for _ in range(2):
        assert delivery_worker.main([str(folder.path), SinkKind.MLFLOW.value]) == 0
    record = read_sink(folder, SinkKind.MLFLOW)
    assert record is not None
    history = MlflowClient(tracking_uri=record.place).get_metric_history(record.foreign_id, "episode/reward")
    assert len(history) == ROWS + 2
