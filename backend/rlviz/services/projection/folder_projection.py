"""What a run folder amounts to: its rows of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from rlviz.algorithms import ALGORITHMS
from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import Ending, EventRecord
from rlviz.domain.status import RunStatus
from rlviz.environments.custom import threshold_of
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import Line, read_backwards, read_journal
from rlviz.services.projection.run_projection import (
    cause_of_stop,
    curve_of_journal,
    fold_best,
    fold_curve,
    fold_event,
    fold_metrics,
    parse_events,
    warn_of_broken_events,
)

_LOOK_BACK = 2_000
"""Metric lines searched, from the end, for the newest step, episode and means."""


@dataclass
class Indexed:
    """Rows of some folders, and what could not be read."""

    runs: list[RunRow] = field(default_factory=list)
    evaluations: list[EvaluationRow] = field(default_factory=list)
    unreadable: list[RunFolderError] = field(default_factory=list)


def index_folder(folder: RunFolder, indexed: Indexed) -> None:
    """Add what ``folder`` says to ``indexed``; one that cannot be read is named and left alone."""
    try:
        row, _ = row_of_folder(folder)
    except RunFolderError as error:
        indexed.unreadable.append(error)
        return
    indexed.runs.append(row)
    indexed.evaluations.extend(_evaluation_rows(folder, indexed.unreadable))


def row_of_config(config: RunConfig) -> RunRow:
    """A fresh row for a configuration."""
    return RunRow(
        id=config.run_id,
        name=config.name,
        algo=config.algo,
        env_id=config.env_id,
        env_options=config.env_options,
        preset=config.preset,
        seed=config.seed,
        total_timesteps=config.total_timesteps,
        end_step=_end_step(config),
        created_at=config.created_at.timestamp(),
        reward_threshold=threshold_of(config),
    )


def _end_step(config: RunConfig) -> int:
    """The step at which the run ends if nothing ends it before; what was asked for if its algorithm is gone."""
    if config.algo not in ALGORITHMS.names():
        return config.total_timesteps
    return ALGORITHMS.get(config.algo).training_end(config.total_timesteps, config.hyperparameters)


def row_of_folder(folder: RunFolder) -> tuple[RunRow, int]:
    """The row that ``folder`` amounts to, and how far (bytes) its events were read.

    A run that has begun but not ended is ``running`` or ``stopping`` here; recovery finds out whether
    anybody stands behind it. Raises RunFolderError.
    """
    config = folder.read_config()
    row = row_of_config(config)
    labels = folder.read_labels()
    row.name, row.tags, row.notes = labels.name, labels.tags, labels.notes
    fold_metrics(row, folder.metrics_path.name, _newest_metrics(folder))
    fold_curve(row, curve_of_journal(folder.metrics_path, row.reward_threshold))
    lines = read_journal(folder.events_path)
    events, broken = parse_events(lines)
    warn_of_broken_events(row, folder.events_path.name, broken)
    for event in events:
        fold_event(row, event)
    fold_best(row, folder)
    row.status = _status(row, folder, events).value
    if row.state is RunStatus.STOPPED and events:
        row.cause = cause_of_stop(row.state, folder)
    return row, lines[-1].end if lines else 0


def _status(row: RunRow, folder: RunFolder, events: list[EventRecord]) -> RunStatus:
    control = folder.read_control()
    row.queued_at = control.queued_at
    for event in events:
        if isinstance(event.data, Ending):
            return event.data.leads_to
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


def _evaluation_rows(folder: RunFolder, unreadable: list[RunFolderError]) -> list[EvaluationRow]:
    rows = []
    for evaluation_id in folder.evaluation_ids():
        try:
            rows.append(_evaluation_row(folder, evaluation_id))
        except RunFolderError as error:
            unreadable.append(error)
    return rows


def _evaluation_row(folder: RunFolder, evaluation_id: str) -> EvaluationRow:
    return EvaluationRow.of(folder.read_evaluation(evaluation_id))
