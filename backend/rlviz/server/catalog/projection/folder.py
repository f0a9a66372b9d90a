"""Builds and updates the catalogue's rows for run folders and their evaluations."""

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
from rlviz.learning.environments.custom import find_threshold
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, journal_lines
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.projection.events import EventsProjection
from rlviz.server.catalog.projection.run import (
    RunProjection,
    find_damage,
    interrupt_damaged,
    note_damage,
    readable_labels,
    rescued_row,
    solved_columns,
)
from rlviz.stats.solved import Evaluated, earlier_of, shown_return, solved_by_evaluations


@dataclass
class IndexedFolders:
    """Rows of some folders, and what could not be read."""

    runs: list[RunRow] = field(default_factory=list)
    evaluations: list[EvaluationRow] = field(default_factory=list)
    unreadable: list[RunFolderError] = field(default_factory=list)


def index_folder(folder: RunFolder, indexed: IndexedFolders) -> None:
    """Add the rows of ``folder`` to ``indexed``.

    A damaged folder is added as far as it can be read. A copy of another run's folder is reported and not added, so
    that no run is listed twice.
    """
    records = _records(folder, indexed.unreadable)
    try:
        row = row_of_folder(folder, records)
    except RunFolderError as error:
        indexed.unreadable.append(error)
        return
    interrupt_damaged(row, folder)
    indexed.runs.append(row)
    indexed.evaluations.extend(map(EvaluationRow.from_record, records))


def row_of_config(config: RunConfig) -> RunRow:
    """Return a new row for a configuration."""
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
        reward_threshold=find_threshold(config),
    )


def end_step_of(config: RunConfig, total_timesteps: int) -> int:
    """Return the step at which the run ends unless it is stopped: ``total_timesteps`` if a program of the user's own
    writes the run, or its algorithm is not installed."""
    if config.actor is RunActor.FOREIGN or config.algo not in ALGORITHMS.names():
        return total_timesteps
    return ALGORITHMS.get(config.algo).training_end(total_timesteps, config.hyperparameters)


def row_of_folder(folder: RunFolder, records: Sequence[EvaluationRecord] | None = None) -> RunRow:
    """Return the row for ``folder``, with whatever can be read if it is damaged.

    A run that started and has no end is ``running`` or ``stopping`` here; recovery checks whether its worker lives.

    Args:
        folder: The run's folder.
        records: Its evaluations; None to read them.

    Raises:
        ForeignRunFolder: The folder is a copy of another run's folder.
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
    """Update ``row`` from ``folder`` and the event ``ending``, which may be missing in the journal."""
    projection = _project(row, folder)
    if projection.ending is None:
        projection.apply_event(ending)
    update_row(row, projection, folder)


def empty_projection(row: RunRow) -> RunProjection:
    """A projection of the run of ``row`` that has read nothing yet."""
    return RunProjection(row.reward_threshold, row.attempt, row.episodes_before, is_foreign=row.is_foreign)


def _project(row: RunRow, folder: RunFolder, records: Sequence[EvaluationRecord] | None = None) -> RunProjection:
    projection = empty_projection(row)
    if row.reward_threshold is not None:
        projection.asked = results_of_records(_records(folder, []) if records is None else records)
    with suppress(RunFolderError):  # the journal is damaged
        for lines in JournalTail(folder.events_path).batches():
            projection.apply_events(lines)
    read_metrics(projection, folder)
    return projection


def read_metrics(projection: RunProjection, folder: RunFolder, end: int | None = None) -> None:
    """Reset the metrics of ``projection`` and read those of ``folder``: all, or those before byte ``end``."""
    projection.forget_metrics()
    with suppress(RunFolderError):
        for lines in JournalTail(folder.metrics_path).batches(end=end):
            projection.apply_metrics(lines)


def update_row(row: RunRow, projection: RunProjection, folder: RunFolder) -> None:
    """Write the state of ``projection`` into ``row``. No other code updates a row from journals.

    The status changes only when an attempt starts or ends. Otherwise it shows what the user requested, which the
    journals do not contain.
    """
    row.sqlmodel_update(projection.columns())
    if projection.total_timesteps is not None and projection.total_timesteps != row.total_timesteps:
        _set_total_timesteps(row, projection.total_timesteps, folder)
    if projection.ending is None:
        if row.state is RunStatus.STARTING and projection.has_begun:
            row.status = RunStatus.RUNNING.value
        elif row.state.is_final and projection.has_begun:  # a worker started another attempt by itself
            row.status = projection.status(_control(folder) or Control()).value
        return
    row.status = projection.ending.value
    row.sqlmodel_update(projection.end_columns(_control(folder), _best_policy(folder)))


def _set_total_timesteps(row: RunRow, total_timesteps: int, folder: RunFolder) -> None:
    """Set another number of steps than that of the configuration."""
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


def results_of_records(records: Iterable[EvaluationRecord]) -> list[Evaluated]:
    """Return the results of the completed evaluations on request in ``records``, each with the time of its request."""
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


def drop_discarded_evaluations(requested: Sequence[Evaluated], folder: RunFolder) -> list[Evaluated]:
    """Return the evaluations on request without those of policies that the run discarded later.

    Each gets the time at which its policy was trained.
    """
    return _events(folder).drop_discarded(requested) if requested else []


def collect_counted_evaluations(requested: Sequence[Evaluated], folder: RunFolder) -> list[Evaluated]:
    """Return the evaluations that selected the run's best policies, and those on request that were not discarded."""
    events = _events(folder)
    return [*events.chosen_by, *events.drop_discarded(requested)]


def _events(folder: RunFolder) -> EventsProjection:
    events = EventsProjection()
    with suppress(RunFolderError):
        events.add_lines(journal_lines(folder.events_path))
    return events


def count_evaluations(row: RunRow, found: Sequence[Evaluated]) -> bool:
    """Set the solved columns of ``row`` if the evaluations ``found`` solve the run earlier.

    Returns whether they changed. Call it only for a run that no monitor follows: a monitor's projection counts
    evaluations itself.
    """
    solved = earlier_of(row.solved, solved_by_evaluations(row.reward_threshold, found))
    if solved == row.solved:
        return False
    row.sqlmodel_update(solved_columns(solved, row.clock))
    return True


def evaluation_rows(folder: RunFolder, unreadable: list[RunFolderError]) -> list[EvaluationRow]:
    """Return the rows of a run's evaluations. Errors of those that cannot be read are added to ``unreadable``."""
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
    """Return the row of one evaluation. Raises RunFolderError."""
    return EvaluationRow.from_record(folder.evaluations.read(evaluation_id))
