"""Trains the parent of a fork again, in the worker of the fork, up to the step of the fork, exactly as the parent
trained. It begins at the newest snapshot before that step, or at the beginning if there is none: of a parent that is a
fork itself, that is the snapshot that it has inherited.

The parent is resumed in a folder of its own within that of the fork, with its own configuration, and with everything
that people and rules changed while it trained. The state that is reached is written as one more of the snapshots that
the fork has inherited, so that a worker which is killed later begins from there.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from threading import Event

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import Parent, RunConfig, SnapshotPlan
from rlviz.domain.errors import SnapshotRefused
from rlviz.domain.events import DivergedData, parse_event
from rlviz.domain.snapshots import SnapshotManifest, Trigger
from rlviz.learning.training.attempt import Attempt, begin_attempt, begin_journal
from rlviz.learning.training.builder import UpdateInterrupted, build_model, closing_environments, make_interruptible
from rlviz.learning.training.callback import BoundaryReached, JournalOutput, RunLogger
from rlviz.learning.training.components import TrainingComponents
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.live_weights import LiveWeights
from rlviz.learning.training.pausing import Pause
from rlviz.learning.training.rollback import GoBack
from rlviz.learning.training.snapshot.capture import Captured, Point, log_interval, write_archive
from rlviz.learning.training.snapshot.restore import restore
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.snapshots import (
    delete_files,
    find_fork_start,
    find_snapshot,
    inherit_segments,
    must_retrain_parent,
    snapshots_of,
)


class RetrainingInterrupted(Exception):
    """A stop or a pause came before the step of the fork was reached. The parent is to be trained again from
    ``snapshot`` to ``step``."""

    def __init__(self, snapshot: str, step: int) -> None:
        super().__init__(snapshot)
        self.snapshot, self.step = snapshot, step


def begin_fork(
    folder: RunFolder, config: RunConfig, attempt: Attempt, journals: RunJournals, interrupted: Event
) -> Attempt:
    """The attempt with which the fork begins, at the very step of the fork: the parent is trained up to it first where
    no snapshot has it. An attempt that does not begin with the parent is returned as it is.

    Raises RetrainingInterrupted once ``interrupted`` is set, and SnapshotRefused if the parent cannot be brought there.
    """
    parent = config.parent
    if parent is None:
        return attempt
    if attempt.resume_from not in (None, parent.snapshot):
        _leave_parent(folder)
        return attempt
    begin = None if must_retrain_parent(folder, parent) else find_fork_start(folder, parent)
    if begin is not None and begin.manifest.run_id != parent.run_id:  # one of its own that happens to have the name
        return attempt
    if begin is None or begin.manifest.step < parent.step:
        _retrain(folder, parent, journals, interrupted)
    _leave_parent(folder)
    return replace(attempt, resume_from=find_fork_start(folder, parent).name)


def _retrain(folder: RunFolder, parent: Parent, journals: RunJournals, interrupted: Event) -> None:
    theirs = RunFolder(folder.parent, parent.run_id)
    own = RunJournals(theirs)
    try:
        captured, begin, manifest = _resume_parent(theirs, folder, parent, own, interrupted)
    finally:
        own.close()
    if (difference := _difference(theirs)) is not None:
        journals.warn(
            parent.step,
            f"The parent was trained again from step {begin:,} to the step of the fork, and came out otherwise "
            f"from step {difference:,} on. This run begins with what came out.",
        )
    inherit_segments(theirs, folder)
    write_archive(folder, captured, manifest)


def _leave_parent(folder: RunFolder) -> None:
    """Delete what the parent was trained again from, its snapshots and then its files: nothing of the fork begins
    there. A worker that is killed as it does so leaves the rest to the next one."""
    if not folder.parent.exists():
        return
    for snapshot in snapshots_of(folder):
        if snapshot.is_inherited and not snapshot.is_beginning:
            delete_files(snapshot)
    with suppress(OSError):  # they are of no use any more, and do no harm
        shutil.rmtree(folder.parent, ignore_errors=True)


def _resume_parent(
    theirs: RunFolder, folder: RunFolder, parent: Parent, journals: RunJournals, interrupted: Event
) -> tuple[Captured, int, SnapshotManifest]:
    """The state of training at the step of the fork, the step at which retraining began, and the manifest of a snapshot
    of that state."""
    attempt, config = _attempt_of(theirs, folder), _without_keepsakes(theirs.read_config())
    with closing_environments(build_model(config)) as model:
        logger = RunLogger(JournalOutput(journals))
        model.set_logger(logger)
        continuation = None
        if attempt.resume_from is not None:
            continuation = restore(model, config, folder, attempt.resume_from, of=theirs)
        begin = model.num_timesteps
        make_interruptible(model, interrupted)
        begin_journal(theirs, journals, attempt, model.num_timesteps, continuation, worker=None)
        pause, live = Pause(journals), LiveWeights(theirs)
        components = TrainingComponents(
            theirs, journals, attempt, config, model, logger, continuation, stop=interrupted, pause=pause, live=live
        )
        try:
            point = _learn(model, config, components, parent, interrupted)
            captured = components.snapshots.capture(point)
            if continuation is None or continuation.is_fork:
                return captured, begin, components.snapshots.describe(captured, attempt.number - 1)
            return captured, begin, _manifest_of(captured, continuation.manifest, attempt.number - 1)
        finally:
            components.close()
            live.close()


def _attempt_of(theirs: RunFolder, folder: RunFolder) -> Attempt:
    """The attempt by which the parent is trained again. From the beginning, everything is counted anew."""
    attempt = begin_attempt(theirs)
    if attempt.resume_from is None:
        return replace(attempt, episodes=0, evaluations=0, best=None, is_repeated=True)
    if find_snapshot(folder, attempt.resume_from).manifest.run_id != theirs.run_id:  # it is a fork, and begins there
        return replace(attempt, evaluations=0, best=None)
    return attempt


def _learn(
    model: BaseAlgorithm, config: RunConfig, components: TrainingComponents, parent: Parent, interrupted: Event
) -> Point:
    """Train up to the step of the fork, and return at which point of an iteration that is: at the start of a rollout,
    or, if it is the last step of training, after the last update."""
    callback = components.callback
    point: Point | None = None
    callback.leave_at, callback.snapshots = parent.step, None
    try:
        model.learn(
            config.total_timesteps - model.num_timesteps,
            callback=callback,
            reset_num_timesteps=False,
            **log_interval(model, callback.rollouts),
        )
        point = "end"
    except BoundaryReached:
        point = "rollout"
    except (UpdateInterrupted, GoBack):
        pass
    if interrupted.is_set():
        raise RetrainingInterrupted(parent.snapshot, parent.step)
    if model.num_timesteps != parent.step or point is None or callback.ended_early is not None:
        raise SnapshotRefused(
            f"The parent could not be trained again to step {parent.step:,}: it came as far as to step "
            f"{model.num_timesteps:,}. Fork at a snapshot."
        )
    return point


def _without_keepsakes(config: RunConfig) -> RunConfig:
    """``config`` without films, anatomy and snapshots, which would be thrown away."""
    kept = config.checkpoints.model_copy(update={"film": 0})
    return config.model_copy(
        update={"anatomy": False, "checkpoints": kept, "snapshots": SnapshotPlan(every_seconds=None)}
    )


def _manifest_of(captured: Captured, before: SnapshotManifest, attempt: int) -> SnapshotManifest:
    """A manifest for ``captured``, which is as exact as the snapshot ``before``. ``attempt`` is the parent's newest
    when it was forked; the parent's rows up to here belong to it."""
    return before.model_copy(
        update={
            "name": str(captured.step),
            "is_named": False,
            "message": "",
            "trigger": Trigger.REQUESTED,
            "step": captured.step,
            "attempt": attempt,
            "point": captured.point,
            "last_row": captured.last_row,
            "exact": captured.problem is None,
            "not_exact_because": captured.problem,
        }
    )


def _difference(theirs: RunFolder) -> int | None:
    """The step at which retraining first gave other numbers than the parent's journal has; None if it never did."""
    attempt = theirs.read_control().attempt
    for line in journal_lines(theirs.events_path):
        event = parse_event(line.record)
        if event is not None and isinstance(event.data, DivergedData) and event.data.superseded.attempt == attempt:
            return event.step
    return None
