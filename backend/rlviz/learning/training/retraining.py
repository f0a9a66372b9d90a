"""Trains the parent of a fork again, exactly as before, up to the step of the fork.

This is needed when no snapshot has that step. The worker of the fork does it, in a folder within the fork's, with the
parent's configuration and everything that users and rules changed. It starts at the newest inherited snapshot before
that step, or from the configuration. The result is stored as one more inherited snapshot, so that a worker that is
killed later can resume from it.
"""

from __future__ import annotations

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
    find_fork_start,
    find_snapshot,
    inherit_segments,
    leave_parent,
    must_retrain_parent,
)


class RetrainingInterrupted(Exception):
    """A stop or a pause came before the fork's step. Retrain the parent from ``snapshot`` to ``step`` next time."""

    def __init__(self, snapshot: str, step: int) -> None:
        super().__init__(snapshot)
        self.snapshot, self.step = snapshot, step


def begin_fork(
    folder: RunFolder, config: RunConfig, attempt: Attempt, journals: RunJournals, interrupted: Event
) -> Attempt:
    """Return the attempt that starts the fork, after retraining its parent if no snapshot has the step of the fork.

    An attempt that does not start at the fork is returned unchanged.

    Raises:
        RetrainingInterrupted: ``interrupted`` was set.
        SnapshotRefused: The parent cannot be trained to that step.
    """
    parent = config.parent
    if parent is None:
        return attempt
    if attempt.resume_from not in (None, parent.snapshot):
        leave_parent(folder)
        return attempt
    begin = None if must_retrain_parent(folder, parent) else find_fork_start(folder, parent)
    if begin is not None and begin.manifest.run_id != parent.run_id:  # the fork's own snapshot of the same name
        return attempt
    if begin is None or begin.manifest.step < parent.step:
        _retrain(folder, parent, journals, interrupted)
    leave_parent(folder)
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
            f"The parent was trained again from step {begin:,} to the step of the fork, and differed from step "
            f"{difference:,} on. This run starts with the new result.",
        )
    inherit_segments(theirs, folder)
    write_archive(folder, captured, manifest)


def _resume_parent(
    theirs: RunFolder, folder: RunFolder, parent: Parent, journals: RunJournals, interrupted: Event
) -> tuple[Captured, int, SnapshotManifest]:
    """Retrain the parent.

    Returns:
        The state at the step of the fork, the step at which retraining started, and a manifest for the state.
    """
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
    """Return the attempt that retrains the parent. From the configuration, everything is counted again."""
    attempt = begin_attempt(theirs)
    if attempt.resume_from is None:
        return replace(attempt, episodes=0, evaluations=0, best=None, is_repeated=True)
    if find_snapshot(folder, attempt.resume_from).manifest.run_id != theirs.run_id:  # a fork that starts there
        return replace(attempt, evaluations=0, best=None)
    return attempt


def _learn(
    model: BaseAlgorithm, config: RunConfig, components: TrainingComponents, parent: Parent, interrupted: Event
) -> Point:
    """Train up to the step of the fork.

    Returns:
        The point in the iteration: the start of a rollout or, at the last step of training, after the last update.
    """
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
            f"The parent could not be trained again to step {parent.step:,}: it ended at step "
            f"{model.num_timesteps:,}. Fork at a snapshot."
        )
    return point


def _without_keepsakes(config: RunConfig) -> RunConfig:
    """Return ``config`` without filmstrip, anatomy and snapshots, which would be thrown away."""
    kept = config.checkpoints.model_copy(update={"film": 0})
    return config.model_copy(
        update={"anatomy": False, "checkpoints": kept, "snapshots": SnapshotPlan(every_seconds=None)}
    )


def _manifest_of(captured: Captured, before: SnapshotManifest, attempt: int) -> SnapshotManifest:
    """Return a manifest for ``captured``, which is as exact as the snapshot ``before``.

    Args:
        attempt: The parent's newest attempt when it was forked. Its rows up to here belong to it.
    """
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
    """Return the first step at which retraining differed from the parent's journal, or None."""
    attempt = theirs.read_control().attempt
    for line in journal_lines(theirs.events_path):
        event = parse_event(line.record)
        if event is not None and isinstance(event.data, DivergedData) and event.data.superseded.attempt == attempt:
            return event.step
    return None
