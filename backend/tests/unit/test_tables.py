"""Exports of metrics, configurations and runs as tables."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlviz.domain.export_formats import TableFormat
from rlviz.exchange import export as tables
from rlviz.exchange.export import Table, config_table, metrics_table, runs_table, write_table
from rlviz.rundir.folder import RunFolder
from tests.support.run_folders import make_run


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run with two rows and a torn line."""
    folder = make_run(tmp_path, "run-a", hyperparameters={"gamma": 0.9, "net_arch": [64]})
    folder.metrics_path.write_text(
        '{"seq": 1, "time": 1.5, "step": 10, "values": {"b": 1.0}}\n'
        '{"seq": 2, "time": 2.5, "step": 20, "values": {"a": null, "b": 2, "c": 3}}\n'
        '{"seq": 3, "ti'
    )
    return folder


def written(table: Table, form: TableFormat) -> bytes:
    file = io.BytesIO()
    write_table(table, form, file)
    return file.getvalue()


def test_metrics_become_one_column_each_and_a_torn_line_is_left_out(folder: RunFolder) -> None:
    assert written(metrics_table(folder), TableFormat.CSV).decode() == (
        "seq,time,step,a,b,c\n1,1.5,10,,1.0,\n2,2.5,20,,2.0,3\n"
    )
    assert json.loads(written(metrics_table(folder), TableFormat.JSON)) == [
        {"seq": 1, "time": 1.5, "step": 10, "b": 1.0},
        {"seq": 2, "time": 2.5, "step": 20, "a": None, "b": 2, "c": 3},
    ]
    read = pq.read_table(io.BytesIO(written(metrics_table(folder), TableFormat.PARQUET)))
    assert {name: str(read.schema.field(name).type) for name in read.column_names} == {
        **{"seq": "int64", "time": "double", "step": "int64"},
        **{"a": "int64", "b": "double", "c": "int64"},
    }
    assert read.column("b").to_pylist() == [1.0, 2.0]
    assert read.column("a").to_pylist() == [None, None]


@pytest.mark.parametrize("form", TableFormat)
def test_a_run_may_keep_training_while_it_is_exported(folder: RunFolder, form: TableFormat) -> None:
    """Rows that are added after the columns were determined are left out."""
    before, table = written(metrics_table(folder), form), metrics_table(folder)
    with folder.metrics_path.open("a") as journal:
        journal.write('me": 3.5, "step": 30, "values": {"b": "text", "d": 1}}\n{"seq": 4, "ti')
    assert written(table, form) == before
    assert written(metrics_table(folder), form) != before


@pytest.mark.parametrize("form", TableFormat)
def test_an_export_without_rows_is_also_a_table(tmp_path: Path, form: TableFormat) -> None:
    assert written(metrics_table(make_run(tmp_path, "empty")), form)


def test_a_table_is_written_in_parts_whatever_its_length(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_ROWS_AT_ONCE", 1)
    read = pq.ParquetFile(io.BytesIO(written(metrics_table(folder), TableFormat.PARQUET)))
    assert (read.num_row_groups, read.read().column("step").to_pylist()) == (2, [10, 20])


def test_a_configuration_exports_as_one_row_per_setting_or_as_json() -> None:
    config = {"algo": "ppo", "hyperparameters": {"net/arch": [64], "use_sde": True}, "tags": {}}
    assert json.loads(written(config_table(config), TableFormat.JSON)) == config
    assert written(config_table(config), TableFormat.CSV).decode().splitlines() == [
        "setting,value",
        "/algo,ppo",
        "/hyperparameters/net~1arch,[64]",
        "/hyperparameters/use_sde,true",
        "/tags,{}",
    ]
    read = pq.read_table(io.BytesIO(written(config_table(config), TableFormat.PARQUET)))
    assert [json.loads(value) for value in read.column("value").to_pylist()] == ["ppo", [64], True, {}]


def test_runs_export_as_one_row_each_with_their_settings(tmp_path: Path, folder: RunFolder) -> None:
    other = make_run(tmp_path, "run-b", algo="dqn", hyperparameters={"gamma": 1, "batch_size": 32})
    table = runs_table([folder.read_config(), other.read_config()])
    read = pq.read_table(io.BytesIO(written(table, TableFormat.PARQUET))).to_pydict()
    assert (read["id"], read["algo"]) == (["run-a", "run-b"], ["ppo", "dqn"])
    assert (read["hp_gamma"], read["hp_batch_size"]) == ([0.9, 1.0], [None, 32])
    assert read["hp_net_arch"] == ["[64]", None]
