"""Making the catalogue again from the run folders, which hold everything that matters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlmodel import delete

from rlviz.catalog.database import Database, mark_indexed
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.errors import RunFolderError
from rlviz.domain.records import ENDINGS, EventRecord
from rlviz.domain.status import RunStatus
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder, run_folders
from rlviz.rundir.journal import Line, read_backwards, read_journal
from rlviz.services.folding import (
    curve_of_journal,
    fold_curve,
    fold_event,
    fold_metrics,
    parse_events,
    warn_of_broken_events,
)
from rlviz.services.runs import row_of_config

_LOOK_BACK = 2_000
"""Metric lines searched, from the end, for the newest step, episode and means."""


@dataclass(frozen=True)
class Rebuilt:
    """How many run folders and evaluations were indexed, and which folders could not be read."""

    runs: int
    evaluations: int
    unreadable: list[str]


def rebuild(database: Database, runs_dir: Path) -> Rebuilt:
    """Replace all rows by what the folders say. A folder that cannot be read is reported and left alone."""
    runs: list[RunRow] = []
    evaluations: list[EvaluationRow] = []
    unreadable: list[str] = []
    for folder in run_folders(runs_dir):
        try:
            row, _ = row_of_folder(folder)
        except RunFolderError as error:
            unreadable.append(str(error))
            continue
        runs.append(row)
        evaluations.extend(_evaluation_rows(folder, unreadable))
    with database.write() as session:
        session.exec(delete(EvaluationRow))
        session.exec(delete(RunRow))
        session.add_all(runs)
        session.flush()
        session.add_all(evaluations)
        mark_indexed(session)
    return Rebuilt(len(runs), len(evaluations), unreadable)


def row_of_folder(folder: RunFolder) -> tuple[RunRow, int]:
    """The row that ``folder`` amounts to, and how far (bytes) its events were read.

    A run that has begun but not ended is ``running`` or ``stopping`` here; recovery finds out whether
    anybody stands behind it. Raises RunFolderError.
    """
    config = folder.read_config()
    if config.run_id != folder.run_id:
        raise RunFolderError(f"{folder.config_path} is of run {config.run_id!r}. Give the folder that name again.")
    row = row_of_config(config)
    labels = folder.read_labels()
    row.name, row.tags, row.notes = labels.name, labels.tags, labels.notes
    fold_metrics(row, folder.metrics_path.name, _newest_metrics(folder))
    fold_curve(row, curve_of_journal(folder.metrics_path))
    lines = read_journal(folder.events_path)
    events, broken = parse_events(lines)
    warn_of_broken_events(row, folder.events_path.name, broken)
    for event in events:
        fold_event(row, event)
    row.status = _status(row, folder, events).value
    return row, lines[-1].end if lines else 0


def _status(row: RunRow, folder: RunFolder, events: list[EventRecord]) -> RunStatus:
    control = folder.read_control()
    row.queued_at = control.queued_at
    for event in events:
        if event.event in ENDINGS:
            return ENDINGS[event.event]
    stopping = control.desired is Desired.STOP
    if events:
        return RunStatus.STOPPING if stopping else RunStatus.RUNNING
    if stopping:
        row.ended_at = control.requested_at
        return RunStatus.STOPPED
    return RunStatus.CREATED if control.desired is Desired.IDLE else RunStatus.QUEUED


def _newest_metrics(folder: RunFolder) -> list[Line]:
    """The last lines of the metrics, in order: enough for the current step, episode and means."""
    return list(islice(read_backwards(folder.metrics_path), _LOOK_BACK))[::-1]


def _evaluation_rows(folder: RunFolder, unreadable: list[str]) -> list[EvaluationRow]:
    rows = []
    for evaluation_id in folder.evaluation_ids():
        try:
            rows.append(_evaluation_row(folder, evaluation_id))
        except RunFolderError as error:
            unreadable.append(str(error))
    return rows


def _evaluation_row(folder: RunFolder, evaluation_id: str) -> EvaluationRow:
    record = folder.read_evaluation(evaluation_id)
    if (record.run_id, record.id) != (folder.run_id, evaluation_id):
        path = folder.evaluation_path(evaluation_id)
        raise RunFolderError(f"{path} is evaluation {record.id!r} of run {record.run_id!r}.")
    return EvaluationRow.of(record)
