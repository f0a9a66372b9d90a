"""A run that is delivered to the programs that a sink writes for."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz import delivery_worker
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.sinks import is_delivered, read_sink
from tests.support.run_folders import make_run

RUN_ID = "ppo-cartpole-20261121-044130-3630"


ROWS = 30


CURVE = [(10 * index, float(index)) for index in range(1, ROWS + 1)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")  # no server listens there
    for name in ("WANDB_API_KEY", "WANDB_DIR", "WANDB_MODE", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(name, raising=False)
    folder = make_run(tmp_path / "runs", RUN_ID, rows=ROWS, status="completed")
    folder.write_labels(Labels(name="first", tags=["baseline"], notes="Why it was made."))
    return folder


def export(folder: RunFolder, *kinds: SinkKind, twice: bool = True) -> list[SinkRecord]:
    """Deliver the run twice, and return the records."""
    for kind in kinds:
        for _ in range(1 + twice):
            assert delivery_worker.main([str(folder.path), kind.value]) == 0, read_sink(folder, kind)
    records = [read_sink(folder, kind) for kind in kinds]
    assert all(record is not None and is_delivered(folder, record) and record.rows == ROWS for record in records)
    return [record for record in records if record is not None]


def values(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def offline_records(path: Path) -> Iterator[Any]:
    """Return the records of a ``.wandb`` file: LevelDB's log format after a 7-byte header of W&B."""
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
