"""Runs delivered to other programs during training."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.sinks import is_delivered, read_sink
from rlviz.server.exchange.deliveries import keep_delivering
from tests.support.cli import call, shell
from tests.support.exported_run import CURVE, ROWS, RUN_ID, export, folder, offline_records, values
from tests.support.run_folders import append_rows
from tests.support.waiting import eventually

__all__ = ["folder"]


def test_a_run_is_delivered_while_it_trains_and_completed_at_the_end(folder: RunFolder) -> None:
    def rows() -> int:
        record = read_sink(folder, SinkKind.TENSORBOARD)
        return 0 if record is None else record.rows

    with closing(JournalWriter(folder.metrics_path)) as journal, keep_delivering(folder, SinkKind.TENSORBOARD):
        eventually(lambda: rows() == ROWS, "what it has")
        append_rows(journal, 5)
        eventually(lambda: rows() == ROWS + 5, "what it gains")
        append_rows(journal, 5)
    record = read_sink(folder, SinkKind.TENSORBOARD)
    assert record is not None
    assert (record.rows, is_delivered(folder, record)) == (ROWS + 10, True)


def test_the_command_follows_a_run_to_its_end(folder: RunFolder) -> None:
    told = call(folder.path.parent, "export", RUN_ID, "--to", "tensorboard", "--follow")
    assert (told.status, f"{ROWS} rows in TensorBoard" in told.out) == (0, True), told
    assert call(folder.path.parent, "export", RUN_ID, "--follow").status == 2
    [again] = call(folder.path.parent, "export", RUN_ID, "--to", "tensorboard", "--json").json
    assert (again["run"], again["sink"], again["rows"], again["delivered"]) == (RUN_ID, "tensorboard", ROWS, True)
    assert call(folder.path.parent, "sync", "--json").json == []


def test_a_run_without_a_login_is_one_offline_wandb_folder(folder: RunFolder) -> None:
    (record,) = export(folder, SinkKind.WANDB)
    assert record.offline
    folders = list(folder.path.parent.glob(f"wandb/offline-run-*-{RUN_ID}"))
    assert [str(one) for one in folders] == [record.place]
    records = list(offline_records(next(folders[0].glob("*.wandb"))))
    history = [values(one.history.item) for one in records if one.WhichOneof("record_type") == "history"]
    assert [(row["global_step"], row["episode/reward"]) for row in history] == CURVE
    assert [row["_step"] for row in history] == sorted({row["_step"] for row in history})
    (run,) = [one.run for one in records if one.WhichOneof("record_type") == "run"][:1]
    assert (run.run_id, run.display_name, run.project) == (RUN_ID, "first", "rlviz")
    assert {item.key: json.loads(item.value_json) for item in run.config.update}["hyperparameters/gamma"] == 0.99
    summary: dict[str, Any] = {}
    for one in records:
        if one.WhichOneof("record_type") == "summary":
            summary |= values(one.summary.update)
    assert summary["rlviz/status"] == "completed"


def test_sync_reports_pending_deliveries_with_the_reason(folder: RunFolder) -> None:
    export(folder, SinkKind.WANDB, twice=False)
    waiting = shell(folder.path.parent, "sync", runs_dir=str(folder.path.parent))
    assert waiting.returncode == 6, "of its own: all that waits waits for a login"
    assert "You are not logged in" in waiting.stderr
    assert "wandb login" in waiting.stderr
