"""Attempt: which try to train a run this is, and the counters that it continues."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from rlviz.domain.errors import IllegalTransition, RunFolderError
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.event_lines import parse_event
from rlviz.domain.events import (
    CheckpointData,
    Ending,
    FinishedData,
    RefusedData,
    SnapshotData,
    StartedData,
    StoppedData,
)
from rlviz.domain.records import EPISODE_INDEX, EVAL_REWARD
from rlviz.domain.status import RunStatus
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.metric_rows import all_rows


@dataclass(frozen=True)
class Attempt:
    """``number`` is 1 for the first. What is counted over the whole run goes on from what earlier attempts left."""

    number: int = 1
    episodes: int = 0
    """Episodes finished before."""
    evaluations: int = 0
    """Periodic evaluations before, each of which may have used up the seeds of one retest."""
    answered_request: int = 0
    """The last request for a checkpoint that was answered."""
    answered_snapshot: int = 0
    """The number of the last request for a snapshot that was answered."""
    best: BestPolicy | None = None
    """The best policy that was kept."""
    resume_from: str | None = None
    """The snapshot that it begins from; None: training begins anew."""
    rollback: bool = False
    """Whether what came after that snapshot is no part of the run any more."""
    total_timesteps: int | None = None
    """Steps to train for, if not those of the configuration."""
    is_repeated: bool = False
    """Whether training begins anew to come out as it did: rows are compared, and what people changed is changed again.
    """
    final_step: int | None = None
    """The step of the final policy that an earlier attempt has left."""


FIRST = Attempt()


def begin_attempt(folder: RunFolder) -> Attempt:
    """The attempt that is wanted of the run in ``folder``.

    Raises IllegalTransition if that attempt, or a later one, has ended: its worker was believed gone.
    """
    control = Control()
    with suppress(RunFolderError):  # a damaged control file asks for nothing
        control = folder.read_control()
    number = control.attempt
    answered, answered_snapshot, final_step = _check_events(folder, number)
    episodes, evaluations = _count_metrics(folder)
    best = None
    with suppress(RunFolderError):
        best = folder.best_policy()
    begins_again = number > 1 and control.resume_from is None and (episodes > 0 or evaluations > 0 or has_rows(folder))
    if begins_again:  # without a snapshot to go on from: everything is counted from the beginning
        episodes, evaluations, best = 0, 0, None
    return Attempt(
        number,
        episodes,
        evaluations,
        answered,
        answered_snapshot,
        best,
        resume_from=control.resume_from,
        rollback=control.rollback,
        total_timesteps=control.total_timesteps,
        is_repeated=begins_again,
        final_step=final_step,
    )


def has_rows(folder: RunFolder) -> bool:
    """Whether anything was logged. Raises RunFolderError."""
    return next(all_rows(folder), None) is not None


def _check_events(folder: RunFolder, number: int) -> tuple[int, int, int | None]:
    """The last request for a checkpoint that was answered, the last for a snapshot, and the step of the last final
    policy.

    Raises IllegalTransition if attempt ``number`` has ended.
    """
    newest, answered, answered_snapshot, final = 1, 0, 0, None
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        match event.data if event is not None else None:
            case StartedData(attempt=attempt):
                newest = attempt
            case CheckpointData(request=request):
                answered = max(answered, request)
            case SnapshotData(request=request):
                answered_snapshot = max(answered_snapshot, request)
            case Ending() as ending if (ending.attempt or newest) >= number:
                raise IllegalTransition(ending.leads_to, RunStatus.RUNNING)
            case RefusedData(attempt=attempt) if attempt >= number:
                raise IllegalTransition(RunStatus.STOPPED, RunStatus.RUNNING)
            case StoppedData(path=str()) | FinishedData(path=str()):
                final = event.step if event is not None else None
    return answered, answered_snapshot, final


def _count_metrics(folder: RunFolder) -> tuple[int, int]:
    """Episodes finished, and periodic evaluations, also those of rows that are superseded: no number is used twice."""
    episodes = evaluations = 0
    for row in all_rows(folder):
        values = row["values"]
        evaluations += EVAL_REWARD in values
        index = values.get(EPISODE_INDEX)
        episodes = max(episodes, index) if isinstance(index, int) else episodes
    return episodes, evaluations


def has_ended_before(folder: RunFolder) -> bool:
    """Whether an attempt to train the run has ended already."""
    with suppress(RunFolderError):
        events = (parse_event(line.record) for line in journal_lines(folder.events_path))
        return any(event is not None and isinstance(event.data, Ending) for event in events)
    return False
