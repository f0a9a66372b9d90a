"""Rows of the catalogue for run folders and their evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import ForeignRunFolder, RunFolderError
from rlviz.domain.evaluation import BestPolicy, EvaluationRecord, EvaluationStatus, Origin
from rlviz.domain.events import EventRecord
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.custom import threshold_of
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, journal_lines
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.events import EventsProjection
from rlviz.server.catalog.projection.run import (
    RunProjection,
    find_damage,
    note_damage,
    readable_labels,
    rescued_row,
    settle_damaged,
    solved_columns,
)
from rlviz.stats.solved import Evaluated, earlier_of, shown_return, solved_by_evaluations


@dataclass
class Indexed:
    """Rows of some folders, and what could not be read."""

    runs: list[RunRow] = field(default_factory=list)
    evaluations: list[EvaluationRow] = field(default_factory=list)
    unreadable: list[RunFolderError] = field(default_factory=list)


def index_folder(folder: RunFolder, indexed: Indexed) -> None:
    """Add what ``folder`` says to ``indexed``.

    A damaged one is added as far as it can be read. A copy of another run's folder is named and left alone: that run
    would be there twice.
    """
    records = _records(folder, indexed.unreadable)
    try:
        row = row_of_folder(folder, records)
    except RunFolderError as error:
        indexed.unreadable.append(error)
        return
    settle_damaged(row, folder)
    indexed.runs.append(row)
    indexed.evaluations.extend(map(EvaluationRow.from_record, records))


def row_of_config(config: RunConfig) -> RunRow:
    """A new row for a configuration."""
    return RunRow(
        id=config.run_id,
        is_foreign=config.actor is RunActor.FOREIGN,
        name=config.name,
        algo=config.algo,
        env_id=config.env_id,
        env_options=config.env_options,
        preset=config.preset,
        seed=config.seed,
        group_id=config.group_id or config.run_id,
        experiment_id=config.experiment.id if config.experiment is not None else None,
        total_timesteps=config.total_timesteps,
        end_step=end_step_of(config, config.total_timesteps),
        created_at=config.created_at.timestamp(),
        parent=config.parent.model_dump() if config.parent is not None else None,
        reward_threshold=threshold_of(config),
    )


def end_step_of(config: RunConfig, total_timesteps: int) -> int:
    """The step at which the run ends unless it is stopped; the steps asked for if its algorithm is not installed, or
    it is no run of ours."""
    if config.actor is RunActor.FOREIGN or config.algo not in ALGORITHMS.names():
        return total_timesteps
    return ALGORITHMS.get(config.algo).training_end(total_timesteps, config.hyperparameters)


def row_of_folder(folder: RunFolder, records: Sequence[EvaluationRecord] | None = None) -> RunRow:
    """The row that ``folder`` amounts to. ``records``: its evaluations; None: they are read.

    A run that has begun but not ended is ``running`` or ``stopping`` here; recovery finds out whether
    anybody stands behind it. Of a folder that is damaged the row holds what can be read. Raises ForeignRunFolder.
    """
    row = _fresh_row(folder)
    labels = readable_labels(folder, row.name)
    row.name, row.tags, row.notes = labels.name, labels.tags, labels.notes
    control = _control(folder) or Control()
    row.attempt, row.queued_at = control.attempt, control.queued_at
    projection = _project(row, folder, records)
    note_damage(row, find_damage(folder, lines=projection.broken_lines > 0))
    row.status = projection.status(control).value
    if row.state is RunStatus.STOPPED:
        row.ended_at = control.requested_at  # unless the events say so
    update_row(row, projection, folder)
    return row


def _fresh_row(folder: RunFolder) -> RunRow:
    try:
        return row_of_config(folder.read_config())
    except ForeignRunFolder:
        raise
    except RunFolderError:
        return rescued_row(folder)


def end_row(row: RunRow, folder: RunFolder, ending: EventRecord) -> None:
    """Update ``row`` from ``folder`` and from ``ending``, which may be missing in the journal."""
    projection = _project(row, folder)
    if projection.ending is None:
        projection.take_event(ending)
    update_row(row, projection, folder)


def empty_projection(row: RunRow) -> RunProjection:
    """A projection of the run of ``row`` that has read nothing yet."""
    return RunProjection(row.reward_threshold, row.attempt, row.episodes_before, is_foreign=row.is_foreign)


def _project(row: RunRow, folder: RunFolder, records: Sequence[EvaluationRecord] | None = None) -> RunProjection:
    projection = empty_projection(row)
    if row.reward_threshold is not None:
        projection.asked = results_of(_records(folder, []) if records is None else records)
    with suppress(RunFolderError):  # nothing can be read of what is no journal any more
        for lines in JournalTail(folder.events_path).batches():
            projection.take_events(lines)
    read_metrics(projection, folder)
    return projection


def read_metrics(projection: RunProjection, folder: RunFolder, end: int | None = None) -> None:
    """Apply the metrics of ``folder`` to ``projection`` anew: all, or those before byte ``end``."""
    projection.forget_metrics()
    with suppress(RunFolderError):
        for lines in JournalTail(folder.metrics_path).batches(end=end):
            projection.take_metrics(lines)


def update_row(row: RunRow, projection: RunProjection, folder: RunFolder) -> None:
    """Write the state of ``projection`` into ``row``. No other code updates a row from journals.

    The status changes only with the beginning and the end of an attempt: otherwise it says what is wanted of the run,
    which journals do not contain.
    """
    row.sqlmodel_update(projection.columns())
    if projection.total_timesteps is not None and projection.total_timesteps != row.total_timesteps:
        _lengthen(row, projection.total_timesteps, folder)
    if projection.ending is None:
        if row.state is RunStatus.STARTING and projection.has_begun:
            row.status = RunStatus.RUNNING.value
        elif row.state.is_final and projection.has_begun:  # a worker began once more by itself
            row.status = projection.status(_control(folder) or Control()).value
        return
    row.status = projection.ending.value
    row.sqlmodel_update(projection.end_columns(_control(folder), _best_policy(folder)))


def _lengthen(row: RunRow, total_timesteps: int, folder: RunFolder) -> None:
    """The run shall be trained for longer, or less long, than its configuration says."""
    row.total_timesteps = row.end_step = total_timesteps
    with suppress(RunFolderError):
        row.end_step = end_step_of(folder.read_config(), total_timesteps)


def _control(folder: RunFolder) -> Control | None:
    try:
        return folder.read_control()
    except (OSError, RunFolderError):
        return None


def _best_policy(folder: RunFolder) -> BestPolicy | None:
    with suppress(RunFolderError):
        return folder.best_policy()
    return None


def results_of(records: Iterable[EvaluationRecord]) -> list[Evaluated]:
    """What the completed evaluations on request among ``records`` show; their times are those of the requests."""
    found = []
    for record in records:
        summary = record.summary
        if (
            record.origin is Origin.ASKED
            and record.status is EvaluationStatus.COMPLETED
            and record.checkpoint_step is not None
            and summary is not None
            and summary.episode_return is not None
        ):
            shown = shown_return(summary.episode_return.mean, len(summary.episodes))
            found.append(Evaluated(record.checkpoint_step, record.created_at.timestamp(), shown))
    return found


def counted(asked: Sequence[Evaluated], folder: RunFolder) -> list[Evaluated]:
    """Those of the evaluations on request that count, with the times at which their policies had been trained."""
    return _events(folder).asked_that_count(asked) if asked else []


def evaluations_that_count(asked: Sequence[Evaluated], folder: RunFolder) -> list[Evaluated]:
    """These, and those that chose the run's best policies."""
    events = _events(folder)
    return [*events.chosen_by, *events.asked_that_count(asked)]


def _events(folder: RunFolder) -> EventsProjection:
    events = EventsProjection()
    with suppress(RunFolderError):
        events.add_lines(journal_lines(folder.events_path))
    return events


def count_evaluations(row: RunRow, found: Sequence[Evaluated]) -> bool:
    """Write into ``row`` that evaluations have shown the run to be solved; return whether it has changed.

    For a run that no monitor follows: a projection counts evaluations too.
    """
    solved = earlier_of(row.solved, solved_by_evaluations(row.reward_threshold, found))
    if solved == row.solved:
        return False
    row.sqlmodel_update(solved_columns(solved, row.clock))
    return True


def evaluation_rows(folder: RunFolder, unreadable: list[RunFolderError]) -> list[EvaluationRow]:
    """The evaluations of a run; those that cannot be read are added to ``unreadable``."""
    return [EvaluationRow.from_record(record) for record in _records(folder, unreadable)]


def _records(folder: RunFolder, unreadable: list[RunFolderError]) -> list[EvaluationRecord]:
    records = []
    for evaluation_id in folder.evaluations.ids():
        try:
            records.append(folder.evaluations.read(evaluation_id))
        except RunFolderError as error:
            unreadable.append(error)
    return records


def evaluation_row(folder: RunFolder, evaluation_id: str) -> EvaluationRow:
    """Raises RunFolderError."""
    return EvaluationRow.from_record(folder.evaluations.read(evaluation_id))
