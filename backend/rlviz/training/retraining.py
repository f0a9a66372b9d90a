"""Training the parent of a fork again, in the worker of the fork: from the snapshot before the step of the fork to that
step, exactly as the parent trained; from its beginning, where there is none before.

The parent is resumed in a folder of its own within that of the fork, with its own configuration, and with what people
and rules changed while it trained. What is reached is written as one more of the snapshots that the fork has inherited,
so that a worker which is killed later begins from there.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from threading import Event

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import Parent, RunConfig
from rlviz.domain.errors import SnapshotRefused
from rlviz.domain.events import DivergedData, parse_event
from rlviz.domain.snapshot import SnapshotManifest, Trigger
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.inherit import beginning_of, begins_with_parent, inherit_segments
from rlviz.rundir.journal import read_journal
from rlviz.training.attempt import Attempt, begin_attempt
from rlviz.training.builder import build_model, closing_environments
from rlviz.training.callback import BoundaryReached
from rlviz.training.equipment import Equipment
from rlviz.training.going_on import begin_journal
from rlviz.training.interruption import UpdateInterrupted, make_interruptible
from rlviz.training.journal_output import JournalOutput
from rlviz.training.journals import RunJournals
from rlviz.training.live_weights import LiveWeights
from rlviz.training.logger import RunLogger
from rlviz.training.pausing import Pause
from rlviz.training.rollback import GoBack
from rlviz.training.snapshot.archive import write_archive
from rlviz.training.snapshot.capture import Captured, Point
from rlviz.training.snapshot.iterations import log_interval
from rlviz.training.snapshot.restore import restore


class RetrainingInterrupted(Exception):
    """A stop or a pause came first. ``snapshot`` is that from which the parent is to be trained again, at ``step``."""

    def __init__(self, snapshot: str, step: int) -> None:
        super().__init__(snapshot)
        self.snapshot, self.step = snapshot, step


def begin_fork(
    folder: RunFolder, config: RunConfig, attempt: Attempt, journals: RunJournals, interrupted: Event
) -> Attempt:
    """``attempt``, beginning at the very step of the fork, which the parent is brought to first if need be. Any other
    attempt stays as it is.

    Raises RetrainingInterrupted once ``interrupted`` is set, and SnapshotRefused if the parent cannot be brought there.
    """
    parent = config.parent
    if parent is None or attempt.resume_from not in (None, parent.snapshot):
        return attempt
    begin = None if begins_with_parent(folder) else beginning_of(folder, parent)
    if begin is not None and begin.manifest.run_id != parent.run_id:  # one of its own that happens to have the name
        return attempt
    if begin is None or begin.manifest.step < parent.step:
        _retrain(folder, parent, journals, interrupted)
    with suppress(OSError):  # it is of no use any more, and does no harm
        shutil.rmtree(folder.parent, ignore_errors=True)
    return replace(attempt, resume_from=beginning_of(folder, parent).name)


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


def _resume_parent(
    theirs: RunFolder, folder: RunFolder, parent: Parent, journals: RunJournals, interrupted: Event
) -> tuple[Captured, int, SnapshotManifest]:
    """What training is at the step of the fork, the step that it was brought there from, and what a snapshot of it says
    of itself."""
    attempt, config = _attempt_of(theirs), _without_keepsakes(theirs.read_config())
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
        equipment = Equipment(
            theirs, journals, attempt, config, model, logger, continuation, stop=interrupted, pause=pause, live=live
        )
        try:
            point = _learn(model, config, equipment, parent, interrupted)
            captured = equipment.snapshots.capture(point)
            if continuation is None:
                return captured, begin, equipment.snapshots.describe(captured, attempt.number - 1)
            return captured, begin, _manifest_of(captured, continuation.manifest, attempt.number - 1)
        finally:
            equipment.close()
            live.close()


def _attempt_of(theirs: RunFolder) -> Attempt:
    """From a snapshot, or from the beginning, where everything is counted anew."""
    attempt = begin_attempt(theirs)
    if attempt.resume_from is not None:
        return attempt
    return replace(attempt, episodes=0, evaluations=0, best=None, is_repeated=True)


def _learn(model: BaseAlgorithm, config: RunConfig, equipment: Equipment, parent: Parent, interrupted: Event) -> Point:
    """Train as far as to the step of the fork; where it is the last, training is behind its last update there."""
    callback = equipment.callback
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
    """Without what is made beside training, and would be thrown away."""
    kept = config.checkpoints.model_copy(update={"film": 0})
    return config.model_copy(
        update={"anatomy": False, "checkpoints": kept, "snapshots": SnapshotPlan(every_seconds=None)}
    )


def _manifest_of(captured: Captured, before: SnapshotManifest, attempt: int) -> SnapshotManifest:
    """Of what is as exact as the snapshot ``before``. ``attempt``: the parent's newest when it was forked, which its
    rows up to here are those of."""
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
    """The step from which on the parent came out otherwise; None: it did not."""
    attempt = theirs.read_control().attempt
    for line in read_journal(theirs.events_path):
        event = parse_event(line.record)
        if event is not None and isinstance(event.data, DivergedData) and event.data.superseded.attempt == attempt:
            return event.step
    return None
