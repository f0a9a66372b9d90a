"""The life of one run, from its configuration to its saved model."""

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
from rlviz.learning.training.attempt import FIRST, Attempt, begin_journal, has_ended_before, in_words, is_out_of_memory
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
from rlviz.learning.training.snapshot.requests import Asked
from rlviz.learning.training.snapshot.restore import Continuation, restore
from rlviz.learning.training.steering import ControlRequests
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot

TRACEBACK_LINES = 20

BEGINS_AGAIN = (
    "The run ended before its first snapshot, so training begins again from its configuration. What was logged before "
    "is computed again and compared."
)


class Trainer:
    """Trains the run in ``folder`` in the thread that calls ``run``; every other method is for other threads.

    In ``events.jsonl`` the attempt begins with ``started`` once there is a model to train. Whatever happens, it ends
    with ``finished``, ``paused``, ``stopped`` or ``error``, unless the process itself is killed.
    """

    def __init__(self, folder: RunFolder, attempt: Attempt = FIRST, worker: str | None = None) -> None:
        """``worker`` is the identity that the ``started`` event names."""
        self._folder, self._attempt, self._worker = folder, attempt, worker
        self._journals = RunJournals(folder, reserve=folder.lock_path)
        self._guard = Guard(self._journals.warn_now)
        self._stop = Event()
        self._cut = Event()
        """Set where an update is not to be waited for any more by a stop."""
        self._cut_at = self._pause_by = math.inf
        self._interrupted = Event()
        """Set by a stop and by a pause: what comes before training ends at once for either."""
        self._pause = Pause(self._journals)
        self._live = LiveWeights(folder)
        self._components: TrainingComponents | None = None
        self._requests = ControlRequests(folder, self._guard)
        self._step = 0
        self._has_begun = False
        """Whether the journal has the beginning of the attempt. Before that, what refuses it changes nothing."""

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def warn(self, message: str) -> None:
        self._journals.warn_now(message)

    def stop(self) -> None:
        """End training: at the start of the next rollout if that comes within LAST_BOUNDARY_SECONDS, else after the
        step of the environment, or the gradient step, that is under way."""
        self._cut_at = min(self._cut_at, time.monotonic() + LAST_BOUNDARY_SECONDS)
        self._stop.set()
        self._interrupted.set()

    @property
    def is_pausing(self) -> bool:
        return self._pause.is_wanted

    def pause(self, within: float | None = None) -> None:
        """End training at the start of the next rollout, with a snapshot that holds all that it is.

        ``within``: seconds after which that start is not waited for any more. Training then ends where it is, and goes
        on from the newest start of a rollout that is in memory.
        """
        self._pause.request()
        self._interrupted.set()
        if within is not None:
            self._pause_by = min(self._pause_by, time.monotonic() + within)

    def hear(self, control: Control) -> None:
        """``control.json`` says this now. What it asks for twice is done once."""
        self._requests.hear(control)  # before a pause, which takes the snapshots that are asked for
        if control.desired is Desired.STOP:
            self.stop()
        elif control.desired is Desired.PAUSE:
            self.pause(control.pause_within)

    def tick(self) -> None:
        """What the clock asks for, several times a second. Metrics come first, whose reader waits for them; then
        weights for who watches, and policies and checkpoints that are due."""
        now = time.monotonic()
        if now >= self._pause_by and self._pause.is_wanted:
            self._pause.is_overdue = True
            self._cut.set()
        if now >= self._cut_at:
            self._cut.set()
        try:
            self._journals.flush_if_due()
        finally:  # where the disk is full, a pause waits for its snapshot here
            with self._guard("Showing the newest policy"):
                self._live.tick()
            if self._components is not None:
                self._components.tick()
        self._journals.sync_if_due()

    def run(self) -> None:
        try:
            self._train(self._configuration())
        except BaseException as error:  # an environment may call sys.exit(): the run has failed then too
            lines = traceback.format_exc().splitlines()
            excerpt = "\n".join(lines[-TRACEBACK_LINES:])
            self._tell_waiting_snapshots(self._step)
            number = self._attempt.number
            if isinstance(error, RlvizError) and not self._has_begun and has_ended_before(self._folder):
                self._journals.event(self._step, RefusedData(attempt=number, message=str(error)))
            else:
                name, message = type(error).__name__, self._in_words(error)
                self._journals.event(
                    self._step, ErrorData(attempt=number, type=name, message=message, traceback=excerpt)
                )
            raise
        finally:
            if self._components is not None:
                self._components.close()
            self._journals.close()

    def _in_words(self, error: BaseException) -> str:
        """What ended training, after what the environment returned if it may follow from that."""
        if isinstance(error, EnvironmentFaulty):
            return f"After {self._step:,} steps: {error}" if self._step else str(error)
        cause = self._components.faults.cause if self._components is not None else None
        if cause is None:
            return in_words(error)
        return f"{cause} Training, which learned from that, could not go on: {in_words(error)}"

    def _configuration(self) -> RunConfig:
        """That of the run; how long it is trained may have been changed since it was made."""
        config, total = self._folder.config_to_go_on(), self._attempt.total_timesteps
        return config if total is None else config.model_copy(update={"total_timesteps": total})

    def _train(self, config: RunConfig) -> None:
        self._heed_control()
        try:
            self._attempt = begin_fork(self._folder, config, self._attempt, self._journals, self._interrupted)
        except RetrainingInterrupted as interrupted:
            self._tell_waiting_snapshots(interrupted.step)
            self._journals.event(interrupted.step, self._leave_unbegun(interrupted.snapshot))
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
        """Train the attempt to its ending. Raises GoBack where the run is to begin anew as the fork that it is;
        ``begins_anew``: that is why it does."""
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
            components = self._equip(model, config, logger, continuation)
            if begins_anew is not None:
                components.steering.carry(begins_anew.carried)
            try:
                stopped = self._stop.is_set() or self._learn_on(model, config, components)
            except TrainingPaused as paused:
                ending: Ending = self._leave_paused(model, components, paused.snapshot)
            except PauseOverdue:
                ending = self._pause_at_newest(components)
            else:
                ending = self._end_or_pause(model, components, stopped)
            with self._guard("Showing the newest policy"):
                self._live.close()
            with self._guard("Recording"):
                components.recorder.close()
            components.faults.tell_counts(model.num_timesteps)
            self._tell_waiting_snapshots(model.num_timesteps)
            self._journals.event(model.num_timesteps, ending)

    def _restore(self, model: BaseAlgorithm, config: RunConfig) -> Continuation | None:
        """Bring ``model`` to the snapshot that the attempt continues, if there is one. Raises SnapshotRefused."""
        if self._attempt.resume_from is None:
            return None
        continuation = restore(model, config, self._folder, self._attempt.resume_from)
        if continuation.not_exact_because:
            reasons = " ".join(continuation.not_exact_because)
            self._journals.warn(model.num_timesteps, f"Training does not go on exactly as it was. {reasons}")
        return continuation

    def _equip(
        self, model: BaseAlgorithm, config: RunConfig, logger: RunLogger, continuation: Continuation | None
    ) -> TrainingComponents:
        control = Control()
        with suppress(RunFolderError):  # a damaged control file asks for nothing
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
        self._requests.attach(components, control.rules_number)  # so that they count from the first rollout on
        return components

    def _tell_waiting_snapshots(self, step: int) -> None:
        """The attempt ends at ``step``: say which of those that people ask for it does not take."""
        with self._guard("A snapshot"):
            if self._components is not None:
                asked = self._components.snapshots.asked
            else:  # a fork that has not begun to train, or training that could not be built
                asked = Asked(self._journals, self._attempt.answered_snapshot)
                with suppress(RunFolderError):
                    asked.hear(self._folder.read_control().snapshot_requests)
            asked.tell_waiting(step)

    def _heed_control(self) -> None:
        """A stop or a pause may have been asked for before training began."""
        with suppress(RunFolderError):  # a damaged control file asks for nothing; the service writes the next over it
            self.hear(self._folder.read_control())

    def _learn_on(self, model: BaseAlgorithm, config: RunConfig, components: TrainingComponents) -> bool:
        """Train to the end, going back as often as is asked for. Returns whether a stop ended it."""
        while True:
            try:
                return self._learn(model, config, components)
            except GoBack as asked:
                if not asked.target.is_of(config.run_id):
                    raise
                self._go_back(model, components, asked.target)

    def _go_back(self, model: BaseAlgorithm, components: TrainingComponents, target: Target) -> None:
        continuation = components.go_back(model, target)
        self._begin_attempt_at(target)
        begin_journal(
            self._folder, self._journals, self._attempt, target.step, continuation, self._worker, by=target.by
        )
        components.begin_again(continuation, self._attempt, target.by)

    def _leave_for_beginning(self, asked: GoBack) -> GoBack:
        """The run goes back to where it was forked. What it has changed about its parent is built anew there, as by the
        worker that began it."""
        self._requests.detach()
        components, self._components = self._components, None
        assert components is not None
        components.steering.go_back(asked.target.step, asked.target.by)
        components.close()
        self._journals.go_back()
        self._pause.go_back()
        self._begin_attempt_at(asked.target)
        self._attempt = replace(self._attempt, answered_snapshot=components.snapshots.asked.answered)
        asked.carried = components.steering.carried
        return asked

    def _begin_attempt_at(self, target: Target) -> None:
        number = self._attempt.number + 1
        self._attempt = replace(self._attempt, number=number, resume_from=target.name, rollback=True, final_step=None)

    def _learn(self, model: BaseAlgorithm, config: RunConfig, components: TrainingComponents) -> bool:
        """Train; evaluate the last policy too, if any was evaluated. Returns whether a stop ended it."""
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
            except Exception as error:  # the library raises some for weights that are no numbers
                if not (is_disk_full(error) or is_out_of_memory(error)):
                    components.go_back_for(error, model)
                raise
            if evaluation is not None and not stopped and callback.ended_early is None:
                with self._guard("An evaluation", may_draw=True):
                    evaluation.evaluate(model)
            return stopped
        finally:
            self._step = model.num_timesteps

    def _leave_unbegun(self, snapshot: str) -> Ending:
        """The attempt ends before it has begun to train: resumed, it begins from ``snapshot`` again."""
        number = self._attempt.number
        return StoppedData(attempt=number) if self._stop.is_set() else PausedData(attempt=number, snapshot=snapshot)

    def _leave_paused(self, model: BaseAlgorithm, components: TrainingComponents, snapshot: str) -> PausedData:
        """The policy of this moment is saved too, for whoever evaluates it meanwhile."""
        with self._guard("A checkpoint"):
            components.checkpoints.save(model)
        path = self._folder.checkpoint_path(model.num_timesteps)
        within = path.relative_to(self._folder.path).as_posix() if path.is_file() else None
        return PausedData(attempt=self._attempt.number, snapshot=snapshot, path=within)

    def _pause_at_newest(self, components: TrainingComponents) -> PausedData:
        """The run goes on from the newest start of a rollout that is in memory; without one from the newest snapshot
        on the disk, and without that from its configuration."""
        components.snapshots.write_newest(Trigger.PAUSED)
        components.snapshots.flush()
        newest = newest_usable_snapshot(self._folder)
        return PausedData(attempt=self._attempt.number, snapshot=newest.name if newest is not None else None)

    def _end_or_pause(self, model: BaseAlgorithm, components: TrainingComponents, stopped: bool) -> Ending:
        """The ending of an attempt that has stopped or is done. Where a full disk does not let a run that is asked to
        stop save its policy, it pauses instead, at the newest snapshot that is on the disk, if there is one."""
        try:
            return self._end(model, components, stopped)
        except OSError as error:
            newest = newest_usable_snapshot(self._folder) if stopped and is_disk_full(error) else None
            if newest is None:
                raise
            self._journals.warn(
                model.num_timesteps,
                f"{DISK_FULL} ({error}): the policy of step {model.num_timesteps:,} could not be saved. The run is "
                f"paused at its snapshot of step {newest.manifest.step:,}; resumed, it trains what came after again.",
            )
            return PausedData(attempt=self._attempt.number, snapshot=newest.name)

    def _end(self, model: BaseAlgorithm, components: TrainingComponents, stopped: bool) -> Ending:
        """Save what is to be saved of an attempt that has stopped or is done."""
        with self._guard("A snapshot"):  # the watcher may not have read what came just now
            components.snapshots.hear_control()
        self._pause.give_up()  # before: the last snapshot names the last row
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
