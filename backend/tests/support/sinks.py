"""A sink that stores what it receives in memory, or fails as a test says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rlviz.domain.naming import MLFLOW
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.sinks.sink import DeliveryStart, Destination, Row, RunToDeliver, Sink
from rlviz.rundir.folder import RunFolder
from rlviz.server.exchange.delivery import Delivery


class Shelf:
    """The contents of a sink, which outlive the processes that deliver. ``fails`` maps the name of a failing call to
    the number of successful calls before the failure.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.runs: list[RunToDeliver] = []
        self.fails: dict[str, int] = {}
        self.has_from: int | None = None
        self.calls: list[str] = []

    def meet(self, call: str) -> None:
        self.calls.append(call)
        if call in self.fails:
            self.fails[call] -= 1
            if self.fails[call] < 0:
                raise ConnectionError(f"500 to {call}\nwith a page of HTML")

    def values(self) -> list[float]:
        return [row.values["episode/reward"] for row in self.rows]


def sink_on(shelf: Shelf) -> type[Sink]:
    class ShelfSink:
        confirm_seconds = 0.0
        naming = MLFLOW

        @staticmethod
        def destination(runs_dir: Path) -> Destination:
            return Destination("a shelf")

        def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
            self.id = run.id

        def begin(self) -> DeliveryStart:
            shelf.meet("begin")
            return DeliveryStart(self.id, "a shelf", from_seq=shelf.has_from)

        def send(self, rows: Sequence[Row]) -> None:
            shelf.meet("send")
            there = {row.seq for row in shelf.rows}
            shelf.rows += [row for row in rows if row.seq not in there]

        def confirm(self) -> None:
            shelf.meet("confirm")

        def describe(self, run: RunToDeliver) -> None:
            shelf.meet("describe")
            shelf.runs.append(run)

        def close(self) -> None:
            shelf.meet("close")

    return ShelfSink


def delivery(folder: RunFolder, shelf: Shelf, **options: Any) -> Delivery:
    return Delivery(folder, SinkKind.MLFLOW, make=sink_on(shelf), **options)


def deliver(folder: RunFolder, shelf: Shelf, **options: Any) -> SinkRecord:
    one = delivery(folder, shelf, **options)
    one.run()
    return one.record
