"""Runs in the programs that they are delivered to, followed while they train."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz import delivery_worker
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.sinks import is_delivered, read_sink
from rlviz.server.exchange.deliveries import following
from tests.support.cli import call, shell
from tests.support.run_folders import append_rows, make_run
from tests.support.waiting import eventually

RUN_ID = "ppo-cartpole-20261121-044130-3630"


ROWS = 30


CURVE = [(10 * index, float(index)) for index in range(1, ROWS + 1)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")  # where nobody listens
    for name in ("WANDB_API_KEY", "WANDB_DIR", "WANDB_MODE", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(name, raising=False)
    folder = make_run(tmp_path / "runs", RUN_ID, rows=ROWS, status="completed")
    folder.write_labels(Labels(name="first", tags=["baseline"], notes="Why it was made."))
    return folder


def export(folder: RunFolder, *kinds: SinkKind, twice: bool = True) -> list[SinkRecord]:
    """Deliver the run, and once more; the records."""
    for kind in kinds:
        for _ in range(1 + twice):
            assert delivery_worker.main([str(folder.path), kind.value]) == 0, read_sink(folder, kind)
    records = [read_sink(folder, kind) for kind in kinds]
    assert all(record is not None and is_delivered(folder, record) and record.rows == ROWS for record in records)
    return [record for record in records if record is not None]


def test_a_run_is_followed_while_it_trains_and_has_its_rest_at_the_end(folder: RunFolder) -> None:
    def rows() -> int:
        record = read_sink(folder, SinkKind.TENSORBOARD)
        return 0 if record is None else record.rows

    with closing(JournalWriter(folder.metrics_path)) as journal, following(folder, SinkKind.TENSORBOARD):
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


def test_without_a_login_a_run_is_one_offline_folder_of_wandb(folder: RunFolder) -> None:
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


def test_sync_says_what_still_waits_and_why(folder: RunFolder) -> None:
    export(folder, SinkKind.WANDB, twice=False)
    waiting = shell(folder.path.parent, "sync", runs_dir=str(folder.path.parent))
    assert waiting.returncode == 6, "of its own: all that waits waits for a login"
    assert "You are not logged in" in waiting.stderr
    assert "wandb login" in waiting.stderr


def values(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def offline_records(path: Path) -> Iterator[Any]:
    """The records of a ``.wandb`` file: LevelDB's log format, 7 bytes of W&B's own in front."""
    from wandb.proto.wandb_internal_pb2 import Record

    data, at, whole = path.read_bytes(), 7, b""
    assert data.startswith(b":W&B")
    while at + 7 <= len(data):
        if 32_768 - at % 32_768 < 7:
            at += 32_768 - at % 32_768
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            record = Record()
            record.ParseFromString(whole)
            yield record
            whole = b""
