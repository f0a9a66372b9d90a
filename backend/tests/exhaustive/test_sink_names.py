"""Metric names and W&B modes that sinks accept or refuse."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz import delivery_worker
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.sinks import SINKS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.sinks import own_folder, read_sink
from tests.support.cli import shell
from tests.support.exported_run import RUN_ID, folder, offline_records, values
from tests.support.readers import needs

__all__ = ["folder"]

ODD_NAMES = [
    *(
        "step",
        "time",
        "timestamp",
        "global_step",
        "_step",
        "__x",
        "metrics",
        "loss",
        "/loss",
        "loss/",
        "a//b",
        "a/../b",
    ),
    *("a/../b", "a?b", "a*b", "a_b", "nul\0", "line\nbreak", "größe", "x" * 190, "a.b", "a", 'quote"', "_0x2F_loss"),
]


@pytest.mark.parametrize(
    "kind",
    [SinkKind.TRACKIO, SinkKind.TENSORBOARD, SinkKind.WANDB, pytest.param(SinkKind.MLFLOW, marks=needs("mlflow"))],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # MLflow's, of its database package
def test_metrics_of_any_name_are_delivered_and_stay_distinct(folder: RunFolder, kind: SinkKind) -> None:
    logged = {name: float(index) for index, name in enumerate(ODD_NAMES)}
    with closing(JournalWriter(folder.metrics_path)) as journal:
        journal.append({"step": 9_999, "values": logged})
    assert delivery_worker.main([str(folder.path), kind.value]) == 0
    record = read_sink(folder, kind)
    assert record is not None
    naming = SINKS.get(kind).naming
    assert record.renamed == naming.renamed(ODD_NAMES)
    there = last_row(folder, record)
    assert {name: there[naming.encode(name)] for name in ODD_NAMES} == logged


def last_row(folder: RunFolder, record: SinkRecord) -> dict[str, Any]:
    """Return the metrics of the newest step, as the sink's own program reads them."""
    if record.kind is SinkKind.TRACKIO:
        import trackio
        from trackio.sqlite_storage import SQLiteStorage

        (run,) = trackio.Api().runs("rlviz")
        found: dict[str, Any] = SQLiteStorage.get_logs("rlviz", run.name)[-1]
        return found
    if record.kind is SinkKind.MLFLOW:
        from mlflow.tracking import MlflowClient

        metrics: dict[str, Any] = MlflowClient(tracking_uri=record.place).get_run(record.foreign_id).data.metrics
        return metrics
    if record.kind is SinkKind.TENSORBOARD:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        files = EventAccumulator(str(own_folder(folder, record.kind)))
        files.Reload()
        return {tag: files.Scalars(tag)[-1].value for tag in files.Tags()["scalars"]}
    assert record.place is not None
    import wandb

    wandb.teardown()  # its service writes the end of the file after a run is finished; the worker's exit waits for it
    records = offline_records(next(Path(record.place).glob("*.wandb")))
    history = [values(one.history.item) for one in records if one.WhichOneof("record_type") == "history"]
    return history[-1]


@pytest.mark.parametrize(("mode", "found"), [("", "set, but empty"), ("foo", "'foo'")])
def test_an_unsupported_wandb_mode_is_answered_with_advice(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, mode: str, found: str
) -> None:
    monkeypatch.setenv("WANDB_MODE", mode)
    told = shell(folder.path.parent, "export", RUN_ID, "--to", "wandb", runs_dir=str(folder.path.parent))
    assert told.returncode == 1
    assert f"WANDB_MODE is {found}. W&B does not accept that" in told.stderr
    assert "or remove it" in told.stderr
    note = SINKS.get(SinkKind.WANDB).destination(folder.path.parent).note
    assert note is not None
    assert f"WANDB_MODE is {found}" in note
