"""Trains one run, from its configuration or a snapshot to its saved model.

``Trainer.run`` works in the training thread: it builds the model, restores the snapshot if the attempt resumes one,
learns, follows rollbacks, and journals how the attempt ends. The watcher's thread (``watched.py``) calls the other
methods.
"""

from __future__ import annotations

import math
import time
import traceback
from contextlib import suppress
from dataclasses import replace
from threading import Event

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import EnvironmentFaulty, RlvizError, RunFolderError
from rlviz.domain.events import Ending, ErrorData, FinishedData, PausedData, RefusedData, StoppedData
from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.attempt import (
    FIRST,
    Attempt,
    begin_journal,
    describe_error,
    has_ended_before,
    is_out_of_memory,
)
from rlviz.learning.training.builder import UpdateInterrupted, build_model, closing_environments, make_interruptible
from rlviz.learning.training.callback import LAST_BOUNDARY_SECONDS, EndedAtBoundary, JournalOutput, RunLogger
from rlviz.learning.training.components import TrainingComponents
from rlviz.learning.training.guard import Guard
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.live_weights import LiveWeights
from rlviz.learning.training.pausing import Pause, PauseOverdue, TrainingPaused
from rlviz.learning.training.retraining import RetrainingInterrupted, begin_fork
from rlviz.learning.training.rollback import GoBack, Target
from rlviz.learning.training.snapshot.capture import log_interval
from rlviz.learning.training.snapshot.requests import RequestedSnapshots
from rlviz.learning.training.snapshot.restore import Continuation, restore
from rlviz.learning.training.steering import ControlRequests
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot

TRACEBACK_LINES = 20

BEGINS_AGAIN = (
    "The run ended before its first snapshot, so training starts again from its configuration. What was logged before "
    "is computed again and compared."
)


class Trainer:
    """Trains the run in ``folder`` in the thread that calls ``run``; every other method is for other threads.

    In ``events.jsonl`` the attempt begins with ``started`` once there is a model to train. It always ends with
    ``finished``, ``paused``, ``stopped`` or ``error``, unless the process is killed.
    """

    def __init__(self, folder: RunFolder, attempt: Attempt = FIRST, worker: str | None = None) -> None:
        """Prepare to train.

        Args:
            folder: The run's folder.
            attempt: The attempt to train.
            worker: Identity of the worker, for the ``started`` event.
        """
        self._folder, self._attempt, self._worker = folder, attempt, worker
        self._journals = RunJournals(folder, reserve=folder.lock_path)
        self._guard = Guard(self._journals.warn_now)
        self._stop = Event()
        self._cut = Event()
        """Set when a stop or an overdue pause no longer waits for the update to finish."""
        self._cut_at = self._pause_by = math.inf
        self._interrupted = Event()
        """Set by a stop or a pause; either ends at once what precedes training."""
        self._pause = Pause(self._journals)
        self._live = LiveWeights(folder)
        self._components: TrainingComponents | None = None
        self._requests = ControlRequests(folder, self._guard)
        self._step = 0
        self._has_begun = False
        """Whether the journal has the start of the attempt. An attempt that is refused before that changes nothing."""

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def warn(self, message: str) -> None:
        self._journals.warn_now(message)

    def stop(self) -> None:
        """End training at the start of the next rollout.

        If that takes longer than LAST_BOUNDARY_SECONDS, end after the current environment step or gradient step.
        """
        self._cut_at = min(self._cut_at, time.monotonic() + LAST_BOUNDARY_SECONDS)
        self._stop.set()
        self._interrupted.set()

    @property
    def is_pausing(self) -> bool:
        return self._pause.is_wanted

    def pause(self, within: float | None = None) -> None:
        """End training at the start of the next rollout, with a snapshot of the complete state.

        Args:
            within: Seconds to wait for that start. After them training ends where it is, and is resumed from the newest
                rollout start in memory.
        """
        self._pause.request()
        self._interrupted.set()
        if within is not None:
            self._pause_by = min(self._pause_by, time.monotonic() + within)

    def handle_control(self, control: Control) -> None:
        """Apply the content of ``control.json``. Requests that were applied before are ignored."""
        self._requests.handle_control(control)  # before a pause, which takes the requested snapshots
        if control.desired is Desired.STOP:
            self.stop()
        elif control.desired is Desired.PAUSE:
            self.pause(control.pause_within)

    def run_due_work(self) -> None:
        """Do what is due by the clock; called several times a second.

        Metrics are flushed first, because viewers wait for them; then weights for viewers, policies and checkpoints.
        """
        now = time.monotonic()
        if now >= self._pause_by and self._pause.is_wanted:
            self._pause.is_overdue = True
            self._cut.set()
        if now >= self._cut_at:
            self._cut.set()
        try:
            self._journals.flush_if_due()
        finally:  # while the disk is full, a pause waits here for its snapshot
            with self._guard("Showing the newest policy"):
                self._live.write_due()
            if self._components is not None:
                self._components.run_due_work()
        self._journals.sync_if_due()

    def run(self) -> None:
        """Train the run until the attempt ends, and journal its ending. Raises what ended training, if it failed."""
        try:
            self._train(self._configuration())
        except BaseException as error:  # an environment may call sys.exit(); that is a failure too
            lines = traceback.format_exc().splitlines()
            excerpt = "\n".join(lines[-TRACEBACK_LINES:])
            self._warn_of_waiting_snapshots(self._step)
            number = self._attempt.number
            if isinstance(error, RlvizError) and not self._has_begun and has_ended_before(self._folder):
                self._journals.event(self._step, RefusedData(attempt=number, message=str(error)))
            else:
                name, message = type(error).__name__, self._describe_failure(error)
                self._journals.event(
                    self._step, ErrorData(attempt=number, type=name, message=message, traceback=excerpt)
                )
            raise
        finally:
            if self._components is not None:
                self._components.close()
            self._journals.close()

    def _describe_failure(self, error: BaseException) -> str:
        """Describe what ended training, after the environment fault that may have caused it."""
        if isinstance(error, EnvironmentFaulty):
            return f"After {self._step:,} steps: {error}" if self._step else str(error)
        cause = self._components.faults.cause if self._components is not None else None
        if cause is None:
            return describe_error(error)
        return f"{cause} Training learned from this value and then failed: {describe_error(error)}"

    def _configuration(self) -> RunConfig:
        """Return the run's configuration, with the length of training that the attempt asks for."""
        config, total = self._folder.config_to_go_on(), self._attempt.total_timesteps
        return config if total is None else config.model_copy(update={"total_timesteps": total})

    def _train(self, config: RunConfig) -> None:
        self._apply_early_control()
        try:
            self._attempt = begin_fork(self._folder, config, self._attempt, self._journals, self._interrupted)
        except RetrainingInterrupted as interrupted:
            self._warn_of_waiting_snapshots(interrupted.step)
            self._journals.event(interrupted.step, self._end_before_training(interrupted.snapshot))
            return
        begins_anew: GoBack | None = None
        while True:
            try:
                self._build_and_train(config, begins_anew)
            except GoBack as asked:
                begins_anew = self._leave_for_beginning(asked)
            else:
                return

    def _build_and_train(self, config: RunConfig, begins_anew: GoBack | None) -> None:
        """Train the attempt to its ending.

        Args:
            begins_anew: The rollback that made a fork start over, if one did.

        Raises:
            GoBack: The fork must start over from its parent's snapshot.
        """
        with closing_environments(build_model(config)) as model:
            logger = RunLogger(JournalOutput(self._journals, self._guard), self._guard)
            model.set_logger(logger)
            continuation = self._restore(model, config)
            make_interruptible(model, self._cut)
            by = begins_anew.target.by if begins_anew is not None else None
            begin_journal(
                self._folder, self._journals, self._attempt, model.num_timesteps, continuation, self._worker, by
            )
            self._has_begun = True
            if self._attempt.is_repeated:
                self._journals.warn(0, BEGINS_AGAIN)
            components = self._build_components(model, config, logger, continuation)
            if begins_anew is not None:
                components.steering.carry_changes(begins_anew.carried)
            try:
                stopped = self._stop.is_set() or self._learn_with_rollbacks(model, config, components)
            except TrainingPaused as paused:
                ending: Ending = self._end_paused(model, components, paused.snapshot)
            except PauseOverdue:
                ending = self._pause_at_newest(components)
            else:
                ending = self._end_or_pause(model, components, stopped)
            with self._guard("Showing the newest policy"):
                self._live.close()
            with self._guard("Recording"):
                components.recorder.close()
            components.faults.warn_of_counts(model.num_timesteps)
            self._warn_of_waiting_snapshots(model.num_timesteps)
            self._journals.event(model.num_timesteps, ending)

    def _restore(self, model: BaseAlgorithm, config: RunConfig) -> Continuation | None:
        """Restore the snapshot that the attempt resumes, if there is one. Raises SnapshotRefused."""
        if self._attempt.resume_from is None:
            return None
        continuation = restore(model, config, self._folder, self._attempt.resume_from)
        if continuation.not_exact_because:
            reasons = " ".join(continuation.not_exact_because)
            self._journals.warn(model.num_timesteps, f"Training does not continue exactly. {reasons}")
        return continuation

    def _build_components(
        self, model: BaseAlgorithm, config: RunConfig, logger: RunLogger, continuation: Continuation | None
    ) -> TrainingComponents:
        control = Control()
        with suppress(RunFolderError):  # a damaged control file requests nothing
            control = self._folder.read_control()
        config = config.model_copy(update={"snapshots": control.snapshots or config.snapshots})
        components = TrainingComponents(
            self._folder,
            self._journals,
            self._attempt,
            config,
            model,
            logger,
            continuation,
            stop=self._stop,
            pause=self._pause,
            live=self._live,
            guard=self._guard,
        )
        self._components = components
        self._requests.attach(components, control.rules_number)  # before training, to apply from the first rollout on
        return components

    def _warn_of_waiting_snapshots(self, step: int) -> None:
        """Warn about requested snapshots that were not taken before the attempt ends at ``step``."""
        with self._guard("A snapshot"):
            if self._components is not None:
                requested = self._components.snapshots.requested
            else:  # a fork that has not started to train, or a model that could not be built
                requested = RequestedSnapshots(self._journals, self._attempt.answered_snapshot)
                with suppress(RunFolderError):
                    requested.add_requests(self._folder.read_control().snapshot_requests)
            requested.warn_of_waiting(step)

    def _apply_early_control(self) -> None:
        """Apply a stop or a pause that was requested before training began."""
        with suppress(RunFolderError):  # a damaged control file requests nothing; the service will overwrite it
            self.handle_control(self._folder.read_control())

    def _learn_with_rollbacks(self, model: BaseAlgorithm, config: RunConfig, components: TrainingComponents) -> bool:
        """Train to the end, following rollbacks. Returns whether a stop ended training."""
        while True:
            try:
                return self._learn(model, config, components)
            except GoBack as asked:
                if not asked.target.is_of(config.run_id):
                    raise
                self._roll_back(model, components, asked.target)

    def _roll_back(self, model: BaseAlgorithm, components: TrainingComponents, target: Target) -> None:
        continuation = components.roll_back(model, target)
        self._begin_attempt_at(target)
        begin_journal(
            self._folder, self._journals, self._attempt, target.step, continuation, self._worker, by=target.by
        )
        components.continue_from(continuation, self._attempt, target.by)

    def _leave_for_beginning(self, asked: GoBack) -> GoBack:
        """Leave the attempt because a fork rolls back to its beginning, where the model must be built again.

        A fork may have changed what its parent's model was built with.
        """
        self._requests.detach()
        components, self._components = self._components, None
        assert components is not None
        components.steering.roll_back(asked.target.step, asked.target.by)
        components.close()
        self._journals.roll_back()
        self._pause.roll_back()
        self._begin_attempt_at(asked.target)
        self._attempt = replace(self._attempt, answered_snapshot=components.snapshots.requested.answered)
        asked.carried = components.steering.carried
        return asked

    def _begin_attempt_at(self, target: Target) -> None:
        number = self._attempt.number + 1
        self._attempt = replace(self._attempt, number=number, resume_from=target.name, rollback=True, final_step=None)

    def _learn(self, model: BaseAlgorithm, config: RunConfig, components: TrainingComponents) -> bool:
        """Train, then evaluate the last policy if the run has evaluations. Returns whether a stop ended training."""
        callback, evaluation = components.callback, components.evaluation
        try:
            try:
                model.learn(
                    config.total_timesteps - model.num_timesteps,
                    callback=callback,
                    reset_num_timesteps=self._attempt.resume_from is None,
                    **log_interval(model, callback.rollouts),
                )
                stopped = callback.stopped
            except UpdateInterrupted:
                if self._pause.is_overdue and not self._stop.is_set():
                    raise PauseOverdue from None
                stopped = True
            except EndedAtBoundary:
                stopped = callback.stopped
            except (GoBack, TrainingPaused, PauseOverdue):
                raise
            except Exception as error:  # the library raises errors when weights are not finite
                if not (is_disk_full(error) or is_out_of_memory(error)):
                    components.roll_back_for(error, model)
                raise
            if evaluation is not None and not stopped and callback.ended_early is None:
                with self._guard("An evaluation", may_draw=True):
                    evaluation.evaluate(model)
            return stopped
        finally:
            self._step = model.num_timesteps

    def _end_before_training(self, snapshot: str) -> Ending:
        """Return the ending of an attempt that did not start to train; it is resumed from ``snapshot`` again."""
        number = self._attempt.number
        return StoppedData(attempt=number) if self._stop.is_set() else PausedData(attempt=number, snapshot=snapshot)

    def _end_paused(self, model: BaseAlgorithm, components: TrainingComponents, snapshot: str) -> PausedData:
        """Save the current policy too, so that it can be evaluated during the pause."""
        with self._guard("A checkpoint"):
            components.checkpoints.save(model)
        path = self._folder.checkpoint_path(model.num_timesteps)
        within = path.relative_to(self._folder.path).as_posix() if path.is_file() else None
        return PausedData(attempt=self._attempt.number, snapshot=snapshot, path=within)

    def _pause_at_newest(self, components: TrainingComponents) -> PausedData:
        """Write the newest rollout start in memory as a snapshot, and pause there.

        Without one, the run resumes from the newest snapshot on disk, or else from its configuration.
        """
        components.snapshots.write_newest(Trigger.PAUSED)
        components.snapshots.flush()
        newest = newest_usable_snapshot(self._folder)
        return PausedData(attempt=self._attempt.number, snapshot=newest.name if newest is not None else None)

    def _end_or_pause(self, model: BaseAlgorithm, components: TrainingComponents, stopped: bool) -> Ending:
        """Return the ending of an attempt that was stopped or is done.

        If a full disk prevents a stop from saving the policy, the run pauses at its newest snapshot on disk instead.
        """
        try:
            return self._end(model, components, stopped)
        except OSError as error:
            newest = newest_usable_snapshot(self._folder) if stopped and is_disk_full(error) else None
            if newest is None:
                raise
            self._journals.warn(
                model.num_timesteps,
                f"{DISK_FULL} ({error}): the policy of step {model.num_timesteps:,} could not be saved. The run is "
                f"paused at its snapshot of step {newest.manifest.step:,}. Resume it to train the rest again.",
            )
            return PausedData(attempt=self._attempt.number, snapshot=newest.name)

    def _end(self, model: BaseAlgorithm, components: TrainingComponents, stopped: bool) -> Ending:
        """Save the results of an attempt that was stopped or is done, and return its ending."""
        with self._guard("A snapshot"):  # the watcher may not have read the latest requests
            components.snapshots.read_requests()
        self._pause.cancel()  # first, because the last snapshot names the last row
        with self._guard("A rule"):
            components.steering.close(model.num_timesteps)
        number, ended_early, path = self._attempt.number, components.callback.ended_early, None
        if components.steering.saves:
            with self._guard("A snapshot"):
                components.take_last_snapshot(stopped=stopped)
            components.checkpoints.save_final(model)
            if components.filmstrip is not None:
                with self._guard("The filmstrip"):
                    components.filmstrip.finish(model)
            path = self._folder.model_path.name
        if stopped:
            return StoppedData(attempt=number, path=path)
        if not components.steering.saves:
            return StoppedData(attempt=number, ended_early=ended_early)
        return FinishedData(attempt=number, path=path, ended_early=ended_early)
