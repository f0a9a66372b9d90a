"""The life of one run, from its configuration to its saved model."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.base import Hyperparameters
from rlviz.algorithms.policy import as_played
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import (
    Ending,
    ErrorData,
    FinishedData,
    PausedData,
    RollbackData,
    StartedData,
    StoppedData,
    Stretch,
)
from rlviz.domain.knobs import KnobWish
from rlviz.domain.registry import load
from rlviz.domain.snapshot import Trigger
from rlviz.environments.custom import environment_of
from rlviz.environments.make import make_environment
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.left_behind import leave_behind
from rlviz.rundir.superseded import superseded_rows
from rlviz.training.anatomy import AnatomyJournal
from rlviz.training.attempt import FIRST, Attempt
from rlviz.training.builder import build_model
from rlviz.training.callback import RunCallback
from rlviz.training.checkpoint import Checkpoints
from rlviz.training.error_messages import in_words
from rlviz.training.filmstrip import Filmstrip
from rlviz.training.greedy import GreedyPlayer
from rlviz.training.interruption import UpdateInterrupted, make_interruptible
from rlviz.training.journals import JournalOutput, RunJournals
from rlviz.training.knobs import Knobs
from rlviz.training.live_weights import LiveWeights
from rlviz.training.logger import RunLogger
from rlviz.training.past_changes import past_changes
from rlviz.training.pausing import Pause, TrainingPaused
from rlviz.training.periodic import PeriodicEvaluation
from rlviz.training.recomputed import Recomputed, rows_after
from rlviz.training.snapshot.capture import Captured, Counter, Point, capture
from rlviz.training.snapshot.compatibility import origin_of, what_is_built
from rlviz.training.snapshot.iterations import log_interval
from rlviz.training.snapshot.replay import ReplayTape
from rlviz.training.snapshot.restore import Continuation, restore
from rlviz.training.snapshot.snapshots import Snapshots, Subject
from rlviz.training.steering import Steering, rules_in_force

TRACEBACK_LINES = 20


class Trainer:
    """Trains the run in ``folder`` in the thread that calls ``run``; every other method is for other threads.

    In ``events.jsonl`` the attempt begins with ``started`` once there is a model to train. Whatever happens, it ends
    with ``finished``, ``stopped`` or ``error``, unless the process itself is killed.
    """

    def __init__(self, folder: RunFolder, attempt: Attempt = FIRST, worker: str | None = None) -> None:
        """``worker`` is the identity that the ``started`` event names."""
        self._folder, self._attempt, self._worker = folder, attempt, worker
        self._journals = RunJournals(folder)
        self._stop = Event()
        self._pause = Pause(self._journals)
        self._live = LiveWeights(folder)
        self._checkpoints: Checkpoints | None = None
        self._filmstrip: Filmstrip | None = None
        self._anatomy: AnatomyJournal | None = None
        self._snapshots: Snapshots | None = None
        self._steering: Steering | None = None
        self._rules_number = 0
        self._requested_checkpoint = 0
        self._step = 0

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def warn(self, message: str) -> None:
        self._journals.warn_now(message)

    def stop(self) -> None:
        """End training after the step of the environment, or the gradient step, that is under way."""
        self._stop.set()

    def pause(self) -> None:
        """End training at the start of the next rollout, with a snapshot that holds all that it is."""
        self._pause.request()

    def request_checkpoint(self, number: int) -> None:
        """Ask for a checkpoint; the same number twice asks once."""
        self._requested_checkpoint = number
        if self._checkpoints is not None:
            self._checkpoints.request(number)

    def request_snapshot(self, name: str | None = None, message: str = "") -> bool:
        """Ask for a snapshot at the start of the next rollout. False as long as training has not begun."""
        if self._snapshots is None:
            return False
        self._snapshots.request(name=name, message=message)
        return True

    def steer(self, wishes: Sequence[KnobWish], rules_number: int) -> bool:
        """Change knobs, and take up rules of another number. False as long as training has not begun."""
        if (steering := self._steering) is None:
            return not wishes and rules_number == 0
        steering.wish(wishes)
        if rules_number > self._rules_number:
            self._rules_number = rules_number
            with suppress(RunFolderError):  # the rules of before go on
                if (changed := self._folder.read_rules()) is not None:
                    steering.renew_rules(changed.rules)
        return True

    def tick(self) -> None:
        """What the clock asks for, several times a second: checkpoints that are due, weights for who watches, and
        metrics and policies that wait to be written."""
        self._live.tick()
        if self._checkpoints is not None:
            self._checkpoints.tick()
        if self._snapshots is not None:
            self._snapshots.tick()
        if self._filmstrip is not None:
            self._filmstrip.write()
        if self._anatomy is not None:
            self._anatomy.tick()
        if self._steering is not None:
            self._steering.tick()
        self._journals.flush_if_due()
        self._journals.sync_if_due()

    def run(self) -> None:
        try:
            self._train(self._configuration())
        except Exception as error:
            lines = traceback.format_exc().splitlines()
            excerpt = "\n".join(lines[-TRACEBACK_LINES:])
            self._journals.event(
                self._step,
                ErrorData(
                    attempt=self._attempt.number,
                    type=type(error).__name__,
                    message=in_words(error),
                    traceback=excerpt,
                ),
            )
            raise
        finally:
            if self._anatomy is not None:
                self._anatomy.close()
            if self._snapshots is not None:
                self._snapshots.close()
            self._journals.close()

    def _configuration(self) -> RunConfig:
        """That of the run; how long it is trained may have been changed since it was made."""
        config, total = self._folder.read_config(), self._attempt.total_timesteps
        return config if total is None else config.model_copy(update={"total_timesteps": total})

    def _train(self, config: RunConfig) -> None:
        self._heed_control()
        with _closing(build_model(config)) as model:
            logger = RunLogger(JournalOutput(self._journals))
            model.set_logger(logger)
            continuation = self._continue(model, config)
            make_interruptible(model, self._stop)
            self._begin(model, continuation)
            checkpoints = self._take_checkpoints(config)
            evaluation = self._periodic_evaluation(config)
            filmstrip = self._keep_film(config)
            self._anatomy = self._open_anatomy(config)
            callback = RunCallback(
                self._journals,
                checkpoints,
                self._stop,
                evaluation,
                filmstrip=filmstrip,
                anatomy=self._anatomy,
                live=self._live,
                pause=self._pause,
                continuation=continuation,
                rollout_steps=self._hyperparameters(config).rollout_steps,
                episodes=self._attempt.episodes,
            )
            steering = self._steer(model, config, callback, evaluation)
            counters: dict[str, Counter] = {"callback": callback, "logger": logger, "checkpoints": checkpoints}
            counters["steering"] = steering
            if evaluation is not None:
                counters["evaluation"] = evaluation
            if continuation is not None:
                continuation.restore_counters(counters)
                logger.iterations_before = callback.rollouts
            snapshots = self._take_snapshots(model, config, counters, continuation)
            callback.snapshots, callback.steering, self._steering = snapshots, steering, steering
            try:
                stopped = self._stop.is_set() or self._learn(model, config, callback, evaluation)
            except TrainingPaused as paused:
                ending: Ending = self._leave_paused(model, checkpoints, paused.snapshot)
            else:
                steering.close(model.num_timesteps)
                path = None
                if steering.saves:
                    self._take_last_snapshot(snapshots, callback, stopped)
                    checkpoints.save_final(model)
                    filmstrip.finish(model)
                    path = self._folder.model_path.name
                number = self._attempt.number
                ending = FinishedData(attempt=number, path=path, ended_early=callback.ended_early)
                if stopped:
                    ending = StoppedData(attempt=number, path=path)
            self._live.close()
            self._journals.event(model.num_timesteps, ending)

    def _heed_control(self) -> None:
        """A stop or a pause may have been asked for before training began."""
        with suppress(RunFolderError):  # a damaged wish is none; the service writes the next over it
            desired = self._folder.read_control().desired
            if desired is Desired.STOP:
                self.stop()
            elif desired is Desired.PAUSE:
                self.pause()

    def _steer(
        self, model: BaseAlgorithm, config: RunConfig, callback: RunCallback, evaluation: PeriodicEvaluation | None
    ) -> Steering:
        goes_on = self._attempt.resume_from is not None and not self._attempt.rollback
        with suppress(RunFolderError):
            self._rules_number = self._folder.read_control().rules_number
        steering = Steering(
            self._folder,
            self._journals,
            Knobs(model, config),
            rules_in_force(self._folder, config.rules, self._journals),
            _Parts(callback, self._pause, evaluation),
            past=past_changes(self._folder, model.num_timesteps if goes_on else None),
        )
        self._journals.watch(steering.row)
        return steering

    def _begin(self, model: BaseAlgorithm, continuation: Continuation | None) -> None:
        """Journal that the attempt begins, and what becomes of the rows that are there already."""
        attempt, step = self._attempt, model.num_timesteps
        if continuation is not None:
            leave_behind(self._folder, attempt.number, step if attempt.rollback else None, attempt.final_step)
        started = StartedData(
            attempt=attempt.number,
            worker=self._worker,
            snapshot=attempt.resume_from,
            total_timesteps=attempt.total_timesteps,
        )
        self._journals.event(step, started)  # from here on time counts as training
        if continuation is None:
            return
        name, seq, last = continuation.manifest.name, continuation.last_row, self._journals.last_row()
        if attempt.rollback:
            superseded = Stretch(first=seq + 1, last=last, attempt=attempt.number)
            self._journals.event(step, RollbackData(snapshot=name, superseded=superseded))
        else:
            beyond = rows_after(self._folder, seq, superseded_rows(self._folder))
            self._journals.expect(Recomputed(name, step, beyond, last=last, attempt=attempt.number))

    def _leave_paused(self, model: BaseAlgorithm, checkpoints: Checkpoints, snapshot: str) -> PausedData:
        """The policy of this moment is saved too, for whoever evaluates it meanwhile."""
        checkpoints.save(model)
        path = self._folder.checkpoint_path(model.num_timesteps)
        within = path.relative_to(self._folder.path).as_posix() if path.is_file() else None
        return PausedData(attempt=self._attempt.number, snapshot=snapshot, path=within)

    @staticmethod
    def _hyperparameters(config: RunConfig) -> Hyperparameters:
        return ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps)

    def _take_checkpoints(self, config: RunConfig) -> Checkpoints:
        export = ALGORITHMS.get(config.algo).export
        checkpoints = Checkpoints(
            self._folder,
            config.checkpoints,
            self._journals,
            answered=self._attempt.answered_request,
            export=partial(load(export), self._folder, config) if export is not None else None,
        )
        self._checkpoints = checkpoints  # before: the watcher may ask meanwhile
        checkpoints.request(self._requested_checkpoint)
        return checkpoints

    def _continue(self, model: BaseAlgorithm, config: RunConfig) -> Continuation | None:
        """Bring ``model`` to the snapshot that this attempt begins from, if any. Raises SnapshotRefused."""
        if self._attempt.resume_from is None:
            return None
        continuation = restore(model, config, self._folder, self._attempt.resume_from)
        if continuation.not_exact_because:
            reasons = " ".join(continuation.not_exact_because)
            self._journals.warn(model.num_timesteps, f"Training does not go on exactly as it was. {reasons}")
        return continuation

    def _take_snapshots(
        self,
        model: BaseAlgorithm,
        config: RunConfig,
        counters: Mapping[str, Counter],
        continuation: Continuation | None,
    ) -> Snapshots:
        tape = continuation.tape() if continuation is not None else ReplayTape()

        def take(point: Point) -> Captured:
            return capture(model, counters, tape, point=point, last_row=self._journals.last_row())

        custom = config.custom_environment
        subject = Subject(
            self._folder.run_id,
            self._attempt.number,
            what_is_built(config, model),
            origin_of(config),
            custom.state_problem if custom is not None else None,
        )
        self._snapshots = Snapshots(
            self._folder, config.snapshots, self._journals, take, subject, step=model.num_timesteps
        )
        return self._snapshots

    def _take_last_snapshot(self, snapshots: Snapshots, callback: RunCallback, stopped: bool) -> None:
        """At the end, training is between two rollouts; where a stop ended it, it may be anywhere, and the last start
        of a rollout counts."""
        if stopped or callback.ended_early is not None:
            snapshots.write_newest(Trigger.STOPPED)
        else:
            snapshots.take_last(Trigger.FINISHED)
        snapshots.flush()

    def _keep_film(self, config: RunConfig) -> Filmstrip:
        hyperparameters = self._hyperparameters(config)
        self._filmstrip = Filmstrip(
            self._folder,
            self._journals,
            end=hyperparameters.training_end(config.total_timesteps),
            count=config.checkpoints.film,
            first_update=getattr(hyperparameters, "learning_starts", 0),
            every=hyperparameters.rollout_steps,
        )
        return self._filmstrip

    def _open_anatomy(self, config: RunConfig) -> AnatomyJournal | None:
        """A place where it cannot be written is worth a warning, not a run."""
        if not config.anatomy:
            return None
        td_errors = ALGORITHMS.get(config.algo).td_errors
        try:
            return AnatomyJournal(self._folder, load(td_errors) if td_errors is not None else None)
        except (OSError, RunFolderError) as error:
            self._journals.warn(0, f"The anatomy of updates cannot be written: {error}")
            return None

    def _periodic_evaluation(self, config: RunConfig) -> PeriodicEvaluation | None:
        if config.evaluation.every_steps is None:
            return None
        return PeriodicEvaluation(
            self._folder,
            config.evaluation,
            GreedyPlayer(lambda: make_environment(config, whole_episodes=True)),
            self._journals,
            as_played=partial(as_played, ALGORITHMS.get(config.algo)),
            threshold=environment_of(config).reward_threshold,
            stopping=self._stop.is_set,
            retests=self._attempt.evaluations,
            best=self._attempt.best,
        )

    def _learn(
        self, model: BaseAlgorithm, config: RunConfig, callback: RunCallback, evaluation: PeriodicEvaluation | None
    ) -> bool:
        """Train; evaluate the last policy too, if any was evaluated. Returns whether a stop ended it."""
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
                stopped = True
            if evaluation is not None and not stopped and callback.ended_early is None:
                evaluation.evaluate(model)
            return stopped
        finally:
            self._step = model.num_timesteps
            if evaluation is not None:
                evaluation.close()


class _Parts:
    """What rules act on."""

    def __init__(self, callback: RunCallback, pause: Pause, evaluation: PeriodicEvaluation | None) -> None:
        self._callback, self._pause, self._evaluation = callback, pause, evaluation

    def pause(self) -> None:
        self._pause.request()

    def evaluate(self) -> bool:
        if self._evaluation is not None:
            self._evaluation.next_step = 0
        return self._evaluation is not None

    def snapshot(self, trigger: Trigger, message: str) -> None:
        if self._callback.snapshots is not None:
            self._callback.snapshots.request(trigger, message=message)


@contextmanager
def _closing(model: BaseAlgorithm) -> Iterator[BaseAlgorithm]:
    """Close the model's environments at the end."""
    try:
        yield model
    finally:
        environments = model.get_env()
        if environments is not None:
            environments.close()
