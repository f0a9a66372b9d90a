"""Imports of truncated, damaged and hostile files."""

from __future__ import annotations

import random
import shutil
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlviz.domain.errors import ImportRefused, InvalidRequest
from rlviz.exchange.export import NAME
from rlviz.exchange.import_runs import ImportOutcome
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.journal import read_journal
from rlviz.rundir.metric_rows import all_rows
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.scripted.test_import_limits import arrays, brought, sound
from tests.support.faults import times
from tests.support.training import messages

__all__ = ["sound"]

pytestmark = pytest.mark.faults


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return the content truncated, with changed bytes, with a part repeated or removed, or with random bytes in it."""
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 3, 20])):
        begin = chance.randrange(len(changed) + 1)
        part = changed[begin : begin + chance.randrange(1, 40)]
        match chance.randrange(5):
            case 0:
                del changed[begin:]
            case 1:
                changed[begin : begin + 1] = bytes([chance.randrange(256)])
            case 2:
                changed[begin:begin] = part
            case 3:
                changed[begin : begin + len(part)] = b""
            case 4:
                changed[begin : begin + 4] = struct.pack("<I", chance.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF]))
        if not changed:
            break
    return bytes(changed)


KINDS = (
    *("run.zip", "logs.zip", "zoo.zip", "evaluations.npz", "metrics.parquet", "metrics.json", "metrics.csv"),
    *(NAME, "monitor.csv", "progress.csv"),
)


@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_import_is_refused_with_a_reason_or_imported_completely(
    sound: dict[str, bytes], tmp_path: Path, name: str
) -> None:
    runs_dir, path = tmp_path / "runs", tmp_path / name
    path.write_bytes(sound[name])
    assert brought(path, runs_dir).runs, "whole, it is taken"
    for number in range(times(40, 5_000)):
        shutil.rmtree(runs_dir)
        runs_dir.mkdir()
        path.write_bytes(damaged(sound[name], random.Random(f"{name} {number}")))
        found, reason = ImportOutcome(), "taken"
        try:
            found = brought(path, runs_dir)
        except InvalidRequest as refused:
            reason = str(refused)
        assert reason
        drafts = runs_dir / DRAFTS
        assert not drafts.exists() or not any(drafts.iterdir())
        assert {one.name for one in runs_dir.iterdir()} - {DRAFTS} == {folder.run_id for folder in found.runs}
        assert all(reason for _, reason in found.refused)
        for folder in found.runs:
            assert row_of_folder(folder).status in ("completed", "interrupted", "created")
            assert None not in [line.record for line in read_journal(folder.metrics_path)]


def test_importing_json_needs_memory_for_one_row_and_not_for_the_file(tmp_path: Path) -> None:
    content = b'[{"seq":1,"time":1.0,"step":1,"loss":0.5}' + b',{"seq":2,"step":2}' * 100_000 + b"]"
    path = tmp_path / "metrics.json"
    path.write_bytes(content)
    assert peak(lambda: brought(path, tmp_path / "runs")) < len(content)
    path.write_bytes(content[:-1])
    [folder] = brought(path, tmp_path / "runs").runs
    assert "is not valid JSON after row 100001" in messages(folder)[0]


def test_importing_parquet_needs_memory_for_a_few_rows_of_any_width(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"seq": range(1, 20_001), "time": [1.0] * 20_000, "step": range(1, 20_001)}
    columns |= {f"gap/{number}": pa.nulls(20_000, pa.float64()) for number in range(300)}
    path = tmp_path / "metrics.parquet"
    pq.write_table(pa.table({**columns, "loss": pa.nulls(20_000, pa.float64())}), path)

    def refused() -> None:
        with pytest.raises(ImportRefused, match="no numbers to draw"):
            brought(path, tmp_path / "runs")

    assert peak(refused) < 100_000_000, "a dictionary of each row at once takes several times as much"


def peak(do: Callable[[], object]) -> int:
    """Return the peak bytes of Python objects."""
    tracemalloc.start()
    try:
        do()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("behind", "says"),
    [
        (b"", "after row 1"),
        (b"] [", "after row 1"),
        (b' {"seq":1}]', "after row 1"),
        (b",5]", "row 2 was skipped"),
        (b',{"seq":2,"step":-1,"loss":1}]', "row 2 was skipped"),
    ],
    ids=["cut", "more behind it", "no comma", "a number", "no step"],
)
def test_damaged_json_keeps_its_readable_rows_and_reports_the_rest(tmp_path: Path, behind: bytes, says: str) -> None:
    path = tmp_path / "metrics.json"
    path.write_bytes(b'[{"seq":1,"step":1,"loss":1}' + behind)
    [folder] = brought(path, tmp_path / "runs").runs
    assert [row["values"] for row in all_rows(folder)] == [{"loss": 1}]
    assert says in messages(folder)[0]


@pytest.mark.parametrize("odd", [np.nan, np.inf, -1.0, 2.5])
def test_an_evaluation_without_a_step_is_left_out(tmp_path: Path, odd: float) -> None:
    path = tmp_path / "evaluations.npz"
    path.write_bytes(arrays(timesteps=np.array([1.0, odd]), results=np.ones((2, 1))))
    [folder] = brought(path, tmp_path / "runs").runs
    assert [row["step"] for row in all_rows(folder)] == [1]
    assert "evaluation 2 was skipped" in messages(folder)[0]
