"""Delivery of a run to a sink: no loss and no duplicates after failures."""

from __future__ import annotations

import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import SinkProblem
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.sinks import SINKS
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.rundir.sinks import (
    add_sink,
    delivery_lock,
    is_delivered,
    read_sink,
    read_sinks,
    record_path,
    write_sink,
)
from rlviz.server.exchange.delivery import Delivery
from tests.support.run_folders import append_rows, journal, make_run
from tests.support.sinks import Shelf, deliver, delivery

RUN_ID = "ppo-cartpole-20261121-044130-3630"


GUIDE = Path(__file__).parents[3] / "docs" / "how-to-add" / "sink.md"


ROWS = 2_300  # more than a sink is given at once


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path, RUN_ID, rows=ROWS, status="completed")


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def every(count: int = ROWS) -> list[float]:
    return [float(index) for index in range(1, count + 1)]


def more_rows(folder: RunFolder, *values: float) -> None:
    writer = JournalWriter(folder.metrics_path)
    for value in values:
        writer.append({"step": 99_999, "values": {"episode/reward": value, "train/loss": None}})
    writer.close()


def test_a_run_is_delivered_with_every_row_and_its_outcome(folder: RunFolder, shelf: Shelf) -> None:
    record = deliver(folder, shelf)
    assert shelf.values() == every()
    assert shelf.rows[6].step == 70
    told = shelf.runs[-1]
    assert (told.status, told.has_ended, told.summary["step"]) == ("completed", True, 10 * ROWS)
    assert told.settings["hyperparameters/gamma"] == 0.99
    assert (record.rows, record.step, record.problem) == (ROWS, 10 * ROWS, None)
    assert is_delivered(folder, record)


def test_a_repeated_delivery_sends_only_new_values(folder: RunFolder, shelf: Shelf) -> None:
    first = deliver(folder, shelf)
    shelf.calls.clear()
    assert deliver(folder, shelf).offset == first.offset
    assert "send" not in shelf.calls
    more_rows(folder, 7.0)
    assert not is_delivered(folder, first)
    assert deliver(folder, shelf).rows == ROWS + 1
    assert shelf.values() == [*every(), 7.0]


def test_only_confirmed_rows_count_as_delivered(folder: RunFolder, shelf: Shelf) -> None:
    shelf.fails = {"confirm": 0}
    with pytest.raises(SinkProblem):
        deliver(folder, shelf)
    record = read_sink(folder, SinkKind.MLFLOW)
    assert record is not None
    assert (record.offset, record.step, record.attempts) == (0, None, 1)


def test_a_server_that_accepted_rows_and_lost_them_is_sent_them_again(folder: RunFolder, shelf: Shelf) -> None:
    deliver(folder, shelf)
    shelf.rows, shelf.has_from = shelf.rows[:1_500], shelf.rows[1_500].seq
    assert is_delivered(folder, deliver(folder, shelf))
    assert shelf.values() == every()


def test_rows_added_during_a_delivery_are_delivered_before_it_ends(folder: RunFolder, shelf: Shelf) -> None:
    looks = iter([True, True, False])

    def look() -> bool:
        more_rows(folder, float(len(shelf.rows)))
        return next(looks)

    delivery(folder, shelf).run(look)
    assert shelf.values() == [*every(), 2300.0, 2301.0, 2302.0]


def test_a_later_label_or_evaluation_is_delivered_too(folder: RunFolder, shelf: Shelf) -> None:
    record = deliver(folder, shelf)
    folder.write_labels(Labels(name="renamed", tags=["good"]))
    assert not is_delivered(folder, record)
    deliver(folder, shelf)
    assert (shelf.runs[-1].name, shelf.runs[-1].tags) == ("renamed", ["good"])


def test_a_repaired_journal_is_delivered_from_its_beginning(folder: RunFolder, shelf: Shelf) -> None:
    deliver(folder, shelf)
    folder.metrics_path.unlink()
    with journal(folder.metrics_path) as metrics:
        append_rows(metrics, 40)
    assert deliver(folder, shelf).rows == 40


def test_an_unreadable_line_does_not_hold_back_the_others(folder: RunFolder, shelf: Shelf) -> None:
    with folder.metrics_path.open("ab") as file:
        file.write(b'nonsense\n{"seq": "x"}\n')
    more_rows(folder, 5.0)
    record = deliver(folder, shelf)
    assert shelf.values()[-1] == 5.0
    assert is_delivered(folder, record)


def test_an_unreadable_delivery_record_restarts_the_delivery(folder: RunFolder, shelf: Shelf) -> None:
    deliver(folder, shelf)
    record_path(folder, SinkKind.MLFLOW).write_bytes(b"{torn")
    assert read_sinks(folder) == [SinkRecord(kind=SinkKind.MLFLOW)]
    write_sink(folder, SinkRecord(kind=SinkKind.MLFLOW))
    assert is_delivered(folder, deliver(folder, shelf))
    assert shelf.values() == every()


@pytest.mark.parametrize("kind", [kind for kind in SinkKind if kind.package])
def test_a_missing_package_is_named_with_its_install_command(
    folder: RunFolder, kind: SinkKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*(name for name in sys.modules if name.startswith(kind.value)), kind.value):
        monkeypatch.setitem(sys.modules, name, None)
    for extra in ("mlflow.entities", "trackio.sqlite_storage"):
        monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(SinkProblem, match=rf"pip install 'rlviz\[{kind.value}\]'"):
        Delivery(folder, kind, make=SINKS.get(kind)).run()


def test_only_one_of_two_workers_delivers(folder: RunFolder) -> None:
    add_sink(folder, SinkKind.TRACKIO)
    with delivery_lock(folder, SinkKind.TRACKIO) as first, delivery_lock(folder, SinkKind.TRACKIO) as second:
        assert (first, second) == (True, False)


def test_the_sink_of_the_guide_has_the_run_once_however_often_it_is_restarted(folder: RunFolder) -> None:
    """The example in ``docs/how-to-add/sink.md`` meets the obligations that it lists."""
    source = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    namespace: dict[str, Any] = {"__name__": "guide"}
    exec(compile(source, str(GUIDE), "exec"), namespace)
    make, values = namespace["SqliteSink"], "SELECT value FROM metrics WHERE name = 'episode/reward' ORDER BY seq"

    def stored(question: str) -> list[Any]:
        with closing(sqlite3.connect(folder.path.parent / "sqlite3" / "runs.db")) as database:
            return [value for (value,) in database.execute(question)]

    class Killed(make):  # type: ignore[misc, valid-type]
        def confirm(self) -> None:
            raise ConnectionError

    with pytest.raises(SinkProblem):
        Delivery(folder, SinkKind.MLFLOW, make=Killed).run()
    assert not stored(values)
    for more in ([], [7.0], []):
        more_rows(folder, *more)
        delivery = Delivery(folder, SinkKind.MLFLOW, make=make)
        delivery.run()
    assert stored(values) == [*every(), 7.0]
    assert stored("SELECT status FROM runs") == ["completed"]
    assert is_delivered(folder, delivery.record)
