"""Delivery: sends a run's new data to a sink, and records in the run's folder how much was delivered.

``read_run`` and ``read_rows`` read the data to deliver from the run's folder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from rlviz.domain.errors import RlvizError, SinkProblem
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.plain_text import one_line, typed_text, visible
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.exchange.sinks import SINKS
from rlviz.exchange.sinks.sink import DeliveryStart, Row, RunToDeliver, Sink
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, is_line_start
from rlviz.rundir.sinks import add_sink, delivery_state, own_folder, write_sink
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import IndexedFolders, index_folder

_CONFIGURED = ("algo", "env_id", "preset", "seed", "total_timesteps", "actor", "group_id", "git_revision", "created_at")

_SUMMARY = (
    *("status", "cause", "step", "episodes", "ep_rew_mean", "ep_len_mean", "fps"),
    *("best_moving_average", "best_moving_average_step", "solved_step", "solved_seconds"),
)


def read_run(folder: RunFolder) -> RunToDeliver:
    """Return the run without its metrics. Raises RunFolderError if it cannot be read."""
    config = folder.read_config()
    found = IndexedFolders()
    index_folder(folder, found)
    if not found.runs:
        raise found.unreadable[0]
    row = found.runs[0]
    document = config.model_dump(mode="json")
    settings = {name: document[name] for name in _CONFIGURED if document[name] is not None}
    settings |= {f"hyperparameters/{name}": value for name, value in config.hyperparameters.items()}
    settings |= {f"env_options/{name}": value for name, value in config.env_options.items()}
    settings |= {f"versions/{name}": value for name, value in config.versions.items()}
    newest = _newest_evaluation(found.evaluations)
    return RunToDeliver(
        id=row.id,
        name=one_line(row.name),
        group=config.experiment.id if config.experiment is not None else row.group_id,
        status=row.status,
        has_ended=row.state.has_ended,
        started_at=row.started_at or row.created_at,
        ended_at=row.ended_at,
        tags=list(map(one_line, row.tags)),
        notes=visible(row.notes),
        settings=settings,
        config_json=json.dumps(document, indent=1),
        rows_before=partial(_count_rows, folder),
        summary=_summary(row, newest),
        video=_video(folder, newest),
    )


def read_rows(tail: JournalTail) -> Iterator[list[Row]]:
    """Yield all rows after the position of ``tail`` in batches.

    Superseded rows are included, because delivered rows cannot be removed. Values that are null and lines that cannot
    be read are skipped; the run itself reports those lines. Raises RunFolderError.
    """
    for records, _broken in tail.record_batches():
        yield [row for record in records if (row := _row(record)) is not None]


def _count_rows(folder: RunFolder, seq: int) -> int:
    """Return the number of rows of ``read_rows`` with a smaller ``seq``. Raises RunFolderError."""
    return sum(row.seq < seq for rows in read_rows(JournalTail(folder.metrics_path)) for row in rows)


def _row(record: dict[str, Any]) -> Row | None:
    try:
        values = {name: float(value) for name, value in record["values"].items() if value is not None}
        return Row(int(record["seq"]), float(record["time"]), int(record["step"]), values)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _newest_evaluation(rows: list[EvaluationRow]) -> EvaluationRecord | None:
    """Return the newest evaluation with a summary that a user requested or played."""
    scored = [record for row in rows if not row.is_by_run and (record := row.parsed()).summary is not None]
    return max(scored, key=lambda record: record.created_at, default=None)


def _summary(row: RunRow, newest: EvaluationRecord | None) -> dict[str, Any]:
    summary = {name: value for name in _SUMMARY if (value := getattr(row, name)) is not None}
    if row.best_policy:
        summary["best_policy_return"] = row.best_policy.get("mean_return")
    spread = None if newest is None or newest.summary is None else newest.summary.episode_return
    if spread is not None:
        summary |= {"evaluation_return_mean": spread.mean, "evaluation_return_std": spread.std}
    return summary


def _video(folder: RunFolder, newest: EvaluationRecord | None) -> Any:
    if newest is None or newest.summary is None or newest.summary.video is None:
        return None
    path = folder.evaluations.video_path(newest.id)
    return path if is_file(path, folder.path) else None


MOST_ROWS = 1_000
"""Rows that a sink gets in one call."""

LONGEST_PROBLEM = 400

MOST_RENAMED = 100
"""Number of renamed metrics that a record lists."""


class Delivery:
    """The delivery of one run to one sink. The caller holds the lock of that sink.

    It may stop after any step: the next delivery continues from the recorded position.
    """

    def __init__(
        self,
        folder: RunFolder,
        kind: SinkKind,
        *,
        make: type[Sink] | None = None,
        within: Callable[[], AbstractContextManager[object]] = nullcontext,
        answered: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the sink's record, or create it.

        Args:
            folder: The run's folder.
            kind: The sink.
            make: A sink class instead of the registry's.
            within: A context in which every call of the sink runs. It may limit the time of a call.
            answered: Called when the sink answers during a call, to restart that time.
            clock: Monotonic seconds.
        """
        self._folder, self._kind, self._make, self._clock = folder, kind, make, clock
        self._within, self._answered = within, answered
        self.record: SinkRecord = add_sink(folder, kind)
        self._sink: Sink | None = None
        self._tail = JournalTail(folder.metrics_path)
        self._from_seq = 0
        self._confirmed_at = 0.0
        self._step = self.record.step
        self._count = 0
        self._names: dict[str, str] = {}

    def run(self, wait_for_more: Callable[[], bool] = lambda: False) -> None:
        """Deliver the current rows, repeat while ``wait_for_more`` returns true after waiting, and then describe the
        run. Raises SinkProblem, which is also in the record."""
        try:
            self._begin()
            self._deliver_rows()
            while wait_for_more():
                self._deliver_rows()
            self._deliver_rows()
            self._confirm()
            self._describe()
        except Exception as error:  # a sink's package may raise anything
            raise self.fail(_describe_error(error)) from error
        finally:
            if self._sink is not None:
                self._close(self._sink)

    def fail(self, problem: str) -> SinkProblem:
        """Record why the delivery failed, and return the error to raise."""
        problem = problem[:LONGEST_PROBLEM]
        self._note(problem=problem, attempts=self.record.attempts + 1)
        return SinkProblem(problem)

    def _begin(self) -> None:
        run = replace(read_run(self._folder), answered=self._answered)
        with self._within():
            make = self._make or SINKS.get(self._kind)
            self._sink = make(run, self._folder.path.parent, own_folder(self._folder, self._kind))
            start = self._sink.begin()
        self._start_from(start)
        self._confirmed_at = self._clock()

    def _start_from(self, start: DeliveryStart) -> None:
        offset = self.record.offset
        if start.from_seq is not None or not is_line_start(self._folder.metrics_path, offset):
            offset, self._from_seq = 0, start.from_seq or 0
            self._count = 0
        else:
            self._count = self.record.rows
        self._tail = JournalTail(self._folder.metrics_path, offset)
        self._note(
            foreign_id=start.foreign_id,
            place=typed_text(start.place),
            offline=start.offline,
            offset=offset,
            rows=self._count,
            step=self.record.step if offset else None,
            problem=None,
        )

    def _deliver_rows(self) -> None:
        assert self._sink is not None
        for rows in read_rows(self._tail):
            for start in range(0, len(rows), MOST_ROWS):
                some = [
                    self._rename_metrics(row) for row in rows[start : start + MOST_ROWS] if row.seq >= self._from_seq
                ]
                if some:
                    with self._within():
                        self._sink.send(some)
            self._count += len(rows)
            self._step = rows[-1].step if rows else self._step
            self._confirm_in_time()
        self._confirm_in_time()

    def _rename_metrics(self, row: Row) -> Row:
        """Return the row with the metrics' names in the sink."""
        assert self._sink is not None
        for name in row.values:
            if name not in self._names:
                self._names[name] = self._sink.naming.encode(name)
        return row._replace(values={self._names[name]: value for name, value in row.values.items()})

    def _list_renamed(self) -> dict[str, str]:
        """Return the metrics with another name in the sink, at most MOST_RENAMED new ones."""
        differing = ((name, there) for name, there in self._names.items() if name != there)
        return {**self.record.renamed, **dict(islice(differing, MOST_RENAMED))}

    def _confirm_in_time(self) -> None:
        assert self._sink is not None
        if self._clock() - self._confirmed_at >= self._sink.confirm_seconds:
            self._confirm()

    def _confirm(self) -> None:
        assert self._sink is not None
        self._confirmed_at = self._clock()
        if self._tail.offset == self.record.offset:
            return
        with self._within():
            self._sink.confirm()
        self._note(
            offset=self._tail.offset, step=self._step, rows=self._count, renamed=self._list_renamed(), attempts=0
        )

    def _describe(self) -> None:
        assert self._sink is not None
        state = delivery_state(self._folder)
        run = read_run(self._folder)
        with self._within():
            self._sink.describe(run)
        self._note(described=state, attempts=0)

    def _close(self, sink: Sink) -> None:
        try:
            with self._within():
                sink.close()
        except Exception as error:
            raise self.fail(_describe_error(error)) from error

    def _note(self, **changes: object) -> None:
        self.record = write_sink(self._folder, self.record.model_copy(update=changes))


def _describe_error(error: Exception) -> str:
    """Return the first line of an error, with its type unless it is one of ours."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, RlvizError) and lines:
        return lines[0]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
