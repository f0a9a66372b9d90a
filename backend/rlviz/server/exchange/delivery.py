"""Delivery: brings what a sink lacks of a run to it, and notes in the run's folder how far it came.

What is delivered of a run, read from its folder.
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
from rlviz.exchange.sinks.sink import Begun, Row, RunToDeliver, Sink
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, is_line_start
from rlviz.rundir.sinks import add_sink, delivery_state, own_folder, write_sink
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.folder import Indexed, index_folder

_CONFIGURED = ("algo", "env_id", "preset", "seed", "total_timesteps", "actor", "group_id", "git_revision", "created_at")

_SUMMARY = (
    *("status", "cause", "step", "episodes", "ep_rew_mean", "ep_len_mean", "fps"),
    *("best_moving_average", "best_moving_average_step", "solved_step", "solved_seconds"),
)


def read_run(folder: RunFolder) -> RunToDeliver:
    """The run beside its metrics. Raises RunFolderError for one that cannot be read."""
    config = folder.read_config()
    found = Indexed()
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
    """All rows from where ``tail`` stands, some at a time, superseded ones too: what was delivered is not taken back.

    What is not finite is left out. A line that cannot be read is, too: the run says so itself. Raises RunFolderError.
    """
    for records, _broken in tail.record_batches():
        yield [row for record in records if (row := _row(record)) is not None]


def _count_rows(folder: RunFolder, seq: int) -> int:
    """Those that ``read_rows`` gives with a smaller ``seq``. Raises RunFolderError."""
    return sum(row.seq < seq for rows in read_rows(JournalTail(folder.metrics_path)) for row in rows)


def _row(record: dict[str, Any]) -> Row | None:
    try:
        values = {name: float(value) for name, value in record["values"].items() if value is not None}
        return Row(int(record["seq"]), float(record["time"]), int(record["step"]), values)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _newest_evaluation(rows: list[EvaluationRow]) -> EvaluationRecord | None:
    """Of those that somebody asked for or played."""
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
"""Rows that a sink is given at once."""

LONGEST_PROBLEM = 400

MOST_RENAMED = 100
"""Metrics that a record names."""


class Delivery:
    """Of one run to one sink, by whoever holds its lock. Each step of it may be the last: another begins where it was.

    ``make``: a sink in the place of the registry's. ``within``: a block in which every call of the sink is made, which
    may take no longer than it allows, nor be without an answer for longer: ``answered`` is called when there was one.
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

    def run(self, next_look: Callable[[], bool] = lambda: False) -> None:
        """Deliver what is there, and again while ``next_look``, which waits a while, returns true; at the end tell
        what became of the run. Raises SinkProblem, which the record has, too."""
        try:
            self._begin()
            self._deliver_rows()
            while next_look():
                self._deliver_rows()
            self._deliver_rows()
            self._confirm()
            self._describe()
        except Exception as error:  # a sink's package may raise anything
            raise self.fail(_words(error)) from error
        finally:
            if self._sink is not None:
                self._close(self._sink)

    def fail(self, problem: str) -> SinkProblem:
        """Note why the delivery ended early."""
        problem = problem[:LONGEST_PROBLEM]
        self._note(problem=problem, attempts=self.record.attempts + 1)
        return SinkProblem(problem)

    def _begin(self) -> None:
        run = replace(read_run(self._folder), answered=self._answered)
        with self._within():
            make = self._make or SINKS.get(self._kind)
            self._sink = make(run, self._folder.path.parent, own_folder(self._folder, self._kind))
            begun = self._sink.begin()
        self._start_from(begun)
        self._confirmed_at = self._clock()

    def _start_from(self, begun: Begun) -> None:
        offset = self.record.offset
        if begun.from_seq is not None or not is_line_start(self._folder.metrics_path, offset):
            offset, self._from_seq = 0, begun.from_seq or 0
            self._count = 0
        else:
            self._count = self.record.rows
        self._tail = JournalTail(self._folder.metrics_path, offset)
        self._note(
            foreign_id=begun.foreign_id,
            place=typed_text(begun.place),
            offline=begun.offline,
            offset=offset,
            rows=self._count,
            step=self.record.step if offset else None,
            problem=None,
        )

    def _deliver_rows(self) -> None:
        assert self._sink is not None
        for rows in read_rows(self._tail):
            for start in range(0, len(rows), MOST_ROWS):
                some = [self._named(row) for row in rows[start : start + MOST_ROWS] if row.seq >= self._from_seq]
                if some:
                    with self._within():
                        self._sink.send(some)
            self._count += len(rows)
            self._step = rows[-1].step if rows else self._step
            self._confirm_in_time()
        self._confirm_in_time()

    def _named(self, row: Row) -> Row:
        """Return the row with the names that its metrics have in the sink."""
        assert self._sink is not None
        for name in row.values:
            if name not in self._names:
                self._names[name] = self._sink.naming.encode(name)
        return row._replace(values={self._names[name]: value for name, value in row.values.items()})

    def _renamed(self) -> dict[str, str]:
        """Return those whose names differ there, as many as a record has room for."""
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
        self._note(offset=self._tail.offset, step=self._step, rows=self._count, renamed=self._renamed(), attempts=0)

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
            raise self.fail(_words(error)) from error

    def _note(self, **changes: object) -> None:
        self.record = write_sink(self._folder, self.record.model_copy(update=changes))


def _words(error: Exception) -> str:
    """What an error says, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, RlvizError) and lines:
        return lines[0]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
