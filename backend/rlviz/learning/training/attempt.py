"""An attempt is one try to train a run: the first, or one that resumes, repeats or rolls back.

``begin_attempt`` reads which attempt is requested and the counters that it continues. ``begin_journal`` records its
start. ``describe_error`` and ``where`` describe what went wrong in training: a full disk, no memory, a hanging step.
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
    """One try to train a run, with the totals that earlier attempts reached. ``number`` starts at 1."""

    number: int = 1
    episodes: int = 0
    """Episodes finished by earlier attempts."""
    evaluations: int = 0
    """Periodic evaluations of earlier attempts. Each may have used the seeds of one retest."""
    answered_request: int = 0
    """Number of the last checkpoint request that was answered."""
    answered_snapshot: int = 0
    """Number of the last snapshot request that was answered."""
    best: BestPolicy | None = None
    """The best policy that earlier attempts kept."""
    resume_from: str | None = None
    """Name of the snapshot to continue from; None to start from the configuration."""
    rollback: bool = False
    """Whether this is a rollback: what came after the snapshot is no longer part of the run."""
    total_timesteps: int | None = None
    """Length of training in steps, if it differs from the configuration."""
    is_repeated: bool = False
    """Whether training starts over to reproduce what was logged: rows are compared and users' changes are repeated."""
    final_step: int | None = None
    """Step of the final policy that an earlier attempt saved."""


FIRST = Attempt()


def begin_attempt(folder: RunFolder) -> Attempt:
    """Return the attempt requested by the run's ``control.json``.

    Raises:
        IllegalTransition: That attempt, or a later one, has already ended, because its worker was believed dead.
    """
    control = Control()
    with suppress(RunFolderError):  # a damaged control file requests nothing
        control = folder.read_control()
    number = control.attempt
    answered, answered_snapshot, final_step = _check_events(folder, number)
    episodes, evaluations = _count_metrics(folder)
    best = None
    with suppress(RunFolderError):
        best = folder.best_policy()
    begins_again = number > 1 and control.resume_from is None and (episodes > 0 or evaluations > 0 or has_rows(folder))
    if begins_again:  # there is no snapshot to continue from, so everything is counted again
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
    """Return whether any metrics were logged. Raises RunFolderError."""
    return next(all_rows(folder), None) is not None


def _check_events(folder: RunFolder, number: int) -> tuple[int, int, int | None]:
    """Return the numbers of the last answered checkpoint and snapshot requests, and the step of the last final policy.

    Raises:
        IllegalTransition: Attempt ``number`` has ended.
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
    """Count finished episodes and periodic evaluations, including superseded rows, so that no number is used twice."""
    episodes = evaluations = 0
    for row in all_rows(folder):
        values = row["values"]
        evaluations += EVAL_REWARD in values
        index = values.get(EPISODE_INDEX)
        episodes = max(episodes, index) if isinstance(index, int) else episodes
    return episodes, evaluations


def has_ended_before(folder: RunFolder) -> bool:
    """Return whether any attempt to train the run has ended."""
    with suppress(RunFolderError):
        events = (parse_event(line.record) for line in journal_lines(folder.events_path))
        return any(event is not None and isinstance(event.data, Ending) for event in events)
    return False


class Resumed(Protocol):
    """The snapshot that an attempt continues, as far as the journal mentions it."""

    @property
    def manifest(self) -> SnapshotManifest: ...

    @property
    def not_exact_because(self) -> list[str]:
        """Why training may not continue exactly, one sentence each; empty if it does."""

    @property
    def taken_at(self) -> tuple[int, int]:
        """Step and attempt of the snapshot; attempt 0 if it belongs to a fork's parent."""

    @property
    def last_row(self) -> int:
        """``seq`` of this run's last journal row before the snapshot; 0 for a fork."""


def begin_journal(
    folder: RunFolder,
    journals: RunJournals,
    attempt: Attempt,
    step: int,
    continuation: Resumed | None,
    worker: str | None,
    by: Firing | None = None,
) -> None:
    """Journal the start of ``attempt`` at ``step``, and what happens to later rows of earlier attempts.

    They are superseded after a rollback, and compared otherwise. Time counts as training from here on.

    Args:
        folder: The run's folder.
        journals: The attempt's journals.
        attempt: The attempt that starts.
        step: Environment steps done so far.
        continuation: The snapshot that the attempt continues, if any.
        worker: Identity of the worker.
        by: The rule that rolls back, if one does.
    """
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


def describe_error(error: BaseException) -> str:
    """Return the error's message, after an explanation if the cause is known."""
    said = error_message(error)
    if is_out_of_memory(error):
        return (
            f"The worker ran out of memory{f' ({said})' if said else ''}. Choose a smaller buffer, batch or network, "
            "fewer environments, or fewer runs at a time."
        )
    if is_disk_full(error):
        return f"{DISK_FULL} ({said}). Free some space, then start a new run. What was saved before is kept."
    return said


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether memory ran out. PyTorch raises RuntimeError where Python raises MemoryError."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and "allocate memory" in error_message(error)
    )


def where(thread_id: int | None) -> list[str]:
    """Return the stack of a thread, outermost call first; empty if it has ended."""
    frame: FrameType | None = sys._current_frames().get(thread_id or 0)
    return traceback.format_stack(frame) if frame is not None else []
