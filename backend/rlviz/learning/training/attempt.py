"""Attempt: which try to train a run this is, and the counters that it continues.

What the journal says when an attempt starts: from the beginning, from a snapshot, or after a rollback.

What went wrong in training, for people: a full disk, want of memory, a step that never returns.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Protocol

from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import IllegalTransition, RunFolderError, error_message
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import (
    CheckpointData,
    Ending,
    FinishedData,
    RefusedData,
    RollbackData,
    SnapshotData,
    StartedData,
    StoppedData,
    Stretch,
    parse_event,
)
from rlviz.domain.metrics import EPISODE_INDEX, EVAL_REWARD
from rlviz.domain.snapshots import SnapshotManifest
from rlviz.domain.status import RunStatus
from rlviz.learning.training.journals import Recomputed, RunJournals
from rlviz.learning.training.rules import Firing
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.metric_rows import all_rows, counted_rows
from rlviz.rundir.retention import EarlierPolicies, move_policies_aside


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


class Resumed(Protocol):
    """What the journal says about the snapshot that an attempt continues."""

    @property
    def manifest(self) -> SnapshotManifest: ...

    @property
    def not_exact_because(self) -> list[str]:
        """Why training may differ from the original, one sentence each; empty if it continues bit for bit."""

    @property
    def taken_at(self) -> tuple[int, int]:
        """Step and attempt at which the snapshot was taken; attempt 0 for a snapshot of a fork's parent."""

    @property
    def last_row(self) -> int:
        """``seq`` of the last row before the snapshot in this run's journal; 0 for a fork."""


def begin_journal(
    folder: RunFolder,
    journals: RunJournals,
    attempt: Attempt,
    step: int,
    continuation: Resumed | None,
    worker: str | None,
    by: Firing | None = None,
) -> None:
    """Journal that ``attempt`` begins at ``step``, and what becomes of the rows that are there already. From here on
    time counts as training. ``by``: the rule that has it go back, if one does."""
    if continuation is not None:
        move_policies_aside(folder, attempt.number, step if attempt.rollback else None, attempt.final_step)
    last = journals.last_row()
    started = StartedData(
        attempt=attempt.number,
        worker=worker,
        snapshot=attempt.resume_from,
        total_timesteps=attempt.total_timesteps,
        not_exact_because=(" ".join(continuation.not_exact_because) or None) if continuation is not None else None,
    )
    journals.event(step, started)
    if continuation is None and not attempt.is_repeated:
        return
    name, seq = (continuation.manifest.name, continuation.last_row) if continuation is not None else ("0", 0)
    if attempt.rollback and continuation is not None:
        superseded = Stretch(first=seq + 1, last=last, attempt=attempt.number, beyond=step)
        cause = {"rule": by.number, "says": by.rule.words, "count": by.count} if by is not None else {}
        journals.event(
            step, RollbackData(snapshot=name, superseded=superseded, taken_in=continuation.taken_at[1], **cause)
        )
    else:
        beyond = counted_rows(folder, after=seq)
        earlier = EarlierPolicies(folder, attempt.number, step)
        journals.expect(Recomputed(name, step, beyond, last=last, attempt=attempt.number, leave_behind=earlier.leave))


def in_words(error: BaseException) -> str:
    """The error's own message, after what it means where that is known."""
    said = error_message(error)
    if is_out_of_memory(error):
        return (
            f"The worker ran out of memory{f' ({said})' if said else ''}. Choose a smaller buffer, batch or network, "
            "fewer environments, or fewer runs at a time."
        )
    if is_disk_full(error):
        return f"{DISK_FULL} ({said}). Make room, then start a new run; what was saved before is kept."
    return said


def is_out_of_memory(error: BaseException) -> bool:
    """PyTorch raises a RuntimeError of its own where Python raises MemoryError."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and "allocate memory" in error_message(error)
    )


def where(thread_id: int | None) -> list[str]:
    """The lines of code that a thread is in, outermost first; empty if it has ended."""
    frame: FrameType | None = sys._current_frames().get(thread_id or 0)
    return traceback.format_stack(frame) if frame is not None else []
