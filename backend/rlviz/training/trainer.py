"""The life of one run, from its configuration to its saved model."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.policy import as_played
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData, StoppedData
from rlviz.domain.registry import load
from rlviz.environments.custom import environment_of
from rlviz.environments.make import make_environment
from rlviz.rundir.control import Desired
from rlviz.rundir.folder import RunFolder
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
from rlviz.training.live_weights import LiveWeights
from rlviz.training.logger import RunLogger
from rlviz.training.periodic import PeriodicEvaluation

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
        self._live = LiveWeights(folder)
        self._checkpoints: Checkpoints | None = None
        self._filmstrip: Filmstrip | None = None
        self._anatomy: AnatomyJournal | None = None
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

    def request_checkpoint(self, number: int) -> None:
        """Ask for a checkpoint; the same number twice asks once."""
        self._requested_checkpoint = number
        if self._checkpoints is not None:
            self._checkpoints.request(number)

    def tick(self) -> None:
        """What the clock asks for, several times a second: checkpoints that are due, weights for who watches, and
        metrics and policies that wait to be written."""
        self._live.tick()
        if self._checkpoints is not None:
            self._checkpoints.tick()
        if self._filmstrip is not None:
            self._filmstrip.write()
        if self._anatomy is not None:
            self._anatomy.tick()
        self._journals.flush_if_due()
        self._journals.sync_if_due()

    def run(self) -> None:
        try:
            self._train(self._folder.read_config())
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
            self._journals.close()

    def _train(self, config: RunConfig) -> None:
        with suppress(RunFolderError):  # a damaged wish is none; the service writes the next over it
            if self._folder.read_control().desired is Desired.STOP:
                self.stop()
        with _closing(build_model(config)) as model:
            model.set_logger(RunLogger(JournalOutput(self._journals)))
            make_interruptible(model, self._stop)
            started = StartedData(attempt=self._attempt.number, worker=self._worker)
            self._journals.event(model.num_timesteps, started)  # from here on time counts as training
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
                episodes=self._attempt.episodes,
            )
            stopped = self._stop.is_set()
            if not stopped:
                stopped = self._learn(model, config, callback, evaluation)
            checkpoints.save_final(model)
            filmstrip.finish(model)
            self._live.close()
            number, path = self._attempt.number, self._folder.model_path.name
            ending: Ending = FinishedData(attempt=number, path=path, ended_early=callback.ended_early)
            if stopped:
                ending = StoppedData(attempt=number, path=path)
            self._journals.event(model.num_timesteps, ending)

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

    def _keep_film(self, config: RunConfig) -> Filmstrip:
        hyperparameters = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps)
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
                model.learn(config.total_timesteps, callback=callback)
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


@contextmanager
def _closing(model: BaseAlgorithm) -> Iterator[BaseAlgorithm]:
    """Close the model's environments at the end."""
    try:
        yield model
    finally:
        environments = model.get_env()
        if environments is not None:
            environments.close()
