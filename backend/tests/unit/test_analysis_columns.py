"""Journal rows as columns of arrays."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from rlviz.server.metrics.columns import Columns
from tests.support.cases import cases


def row(seq: int, **values: float | None) -> dict[str, Any]:
    return {"seq": seq, "time": 1000.0 + seq, "step": 10 * seq, "values": values}


def test_a_metric_that_was_never_logged_has_no_rows() -> None:
    series = Columns().series("train/loss")
    assert len(series) == 0
    assert series.step.shape == series.time.shape == series.value.shape == (0,)


def test_each_metric_has_the_steps_times_and_values_of_its_own_rows() -> None:
    columns = Columns()
    assert columns.append([row(1, a=1.0), row(2, a=2.0, b=20.0), row(3, b=30.0), row(4, a=4.0)]) == 0
    assert columns.names() == ["a", "b"]
    a, b = columns.series("a"), columns.series("b")
    assert a.step.tolist() == [10, 20, 40]
    assert a.time.tolist() == [1001, 1002, 1004]
    assert a.value.tolist() == [1, 2, 4]
    assert b.step.tolist() == [20, 30]
    assert b.value.tolist() == [20, 30]


def test_metrics_are_in_the_order_of_their_first_rows() -> None:
    columns = Columns()
    columns.append([row(1, a=1.0, c=1.0), row(2, b=2.0), row(3, a=3.0, c=3.0, d=3.0)])
    assert columns.names() == ["a", "c", "b", "d"]
    uneven = Columns()
    uneven.append([row(1, a=1.0, b=1.0, c=1.0), row(2, a=2.0, c=2.0)])
    assert uneven.names() == ["a", "b", "c"]


def test_a_series_does_not_change_when_metrics_are_later_logged_separately() -> None:
    columns = Columns()
    columns.append([row(1, a=1.0, b=10.0)])
    before = columns.series("b")
    columns.append([row(2, a=2.0), row(3, a=3.0, b=30.0)])
    assert before.value.tolist() == [10]
    assert columns.series("a").value.tolist() == [1, 2, 3]
    assert columns.series("b").value.tolist() == [10, 30]


def test_null_is_not_a_number_and_never_zero() -> None:
    columns = Columns()
    columns.append([row(1, a=None), row(2, a=0.0), row(3, a=None)])
    assert np.isnan(columns.series("a").value).tolist() == [True, False, True]


def test_the_result_does_not_depend_on_the_batches() -> None:
    rng = np.random.default_rng(1)
    names = ["episode/reward", "episode/length", "train/loss", "time/fps"]
    for _ in range(30):
        rows = [
            row(seq, **{name: float(rng.normal()) for name in names if rng.random() < 0.6})
            for seq in range(1, int(rng.integers(2, 1500)))
        ]
        whole, pieces = Columns(), Columns()
        whole.append(rows)
        start = 0
        while start < len(rows):
            size = int(rng.integers(1, 400))
            pieces.append(rows[start : start + size])
            start += size
        assert sorted(whole.names()) == sorted(pieces.names())
        for name in whole.names():
            expected = [(r["step"], r["time"], r["values"][name]) for r in rows if name in r["values"]]
            for columns in (whole, pieces):
                series = columns.series(name)
                assert list(zip(series.step, series.time, series.value, strict=True)) == expected


@cases(
    "broken",
    [
        {"seq": 2},
        {"seq": 2, "time": 1.0, "step": 1},
        {"seq": 2, "time": None, "step": 1, "values": {"a": 1.0}},
        {"seq": 2, "time": 1.0, "step": "1", "values": {"a": 1.0}},
        {"seq": 2, "time": 1.0, "step": 1, "values": {"a": "high"}},
        {"seq": 2, "time": 1.0, "step": 1, "values": {"a": "1.5"}},
        {"seq": 2, "time": 1.0, "step": 1, "values": {"a": [1.0]}},
        {"seq": 2, "time": 1.0, "step": 1, "values": [1.0]},
        {"seq": 2, "time": 1.0, "step": 1, "values": None},
        {"seq": 2, "time": 1.0, "step": 1, "values": {"a": 10**400}},
    ],
)
def test_only_invalid_metric_records_are_left_out_and_counted(broken: dict[str, Any]) -> None:
    columns = Columns()
    assert columns.append([row(1, a=1.0, b=1.0), broken, row(3, a=3.0, b=3.0), broken]) == 2
    assert columns.series("a").value.tolist() == [1, 3]
    assert columns.series("b").value.tolist() == [1, 3]


def test_a_row_without_values_adds_nothing() -> None:
    columns = Columns()
    assert columns.append([row(1)]) == 0
    assert columns.append([]) == 0
    assert columns.names() == []


def test_a_series_does_not_change_when_rows_are_appended() -> None:
    columns = Columns()
    columns.append(row(seq, a=float(seq)) for seq in range(1, 101))
    before = columns.series("a")
    columns.append(row(seq, a=-1.0) for seq in range(101, 5000))
    assert before.value.tolist() == list(range(1, 101))
    assert len(columns.series("a")) == 4999


def test_a_series_is_read_only() -> None:
    columns = Columns()
    columns.append([row(1, a=1.0)])
    with pytest.raises(ValueError, match="read-only"):
        columns.series("a").value[0] = 2.0


def test_readers_see_only_complete_rows_while_one_thread_appends() -> None:
    columns = Columns()
    done = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        longest = 0
        while not done.is_set():
            series = columns.series("a")
            expected = np.arange(1, len(series) + 1)
            whole = (series.value == expected).all() and (series.step == 10 * expected).all()
            if not whole or len(series) < longest:
                wrong.append(f"{len(series)} rows")
            longest = len(series)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for start in range(1, 30_000, 37):
        columns.append(row(seq, a=float(seq)) for seq in range(start, start + 37))
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []
