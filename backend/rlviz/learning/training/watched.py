"""Trains a run in a thread, and watches ``control.json`` and the clock beside it.

``train_run`` is the entry point of workers. ``RandomPlayer`` replaces the trainer in runs of random actions.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from statistics import fmean
from threading import Event, Thread

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.disk_full import is_disk_full
from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import Ending, FinishedData, StartedData, StoppedData
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import (
    EP_LEN_MEAN,
    EP_REW_MEAN,
    EPISODE_INDEX,
    EPISODE_LENGTH,
    EPISODE_REWARD,
    FPS,
    RECENT_FPS,
)
from rlviz.domain.recording import Detail
from rlviz.learning.environments.make import make_environment
from rlviz.learning.environments.reward_components import EpisodeSums
from rlviz.learning.playing.recording import MAX_ROWS, CollectedEpisodes
from rlviz.learning.playing.rollout import Env, Episode, Step, seed_all
from rlviz.learning.training.attempt import Attempt, begin_attempt, where
from rlviz.learning.training.environment_faults import EnvironmentFaults
from rlviz.learning.training.guard import Guard
from rlviz.learning.training.run_recorder import RunRecorder, Steps
from rlviz.learning.training.trainer import Trainer
from rlviz.rundir.control import read_control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock

RATE_SECONDS = 1.0
"""How often means and rates are logged."""

EPISODES_OF_A_MEAN = 100
"""Episodes averaged by the means, as in Stable-Baselines3, whose metric names they have."""

ACTION_SEED = 1_000_000
"""Added to the run's seed for sampling actions. With an episode's own seed, actions and the environment's randomness
would come from the same numbers."""


EPISODES_EVERY = {Detail.MINIMAL: 100, Detail.STANDARD: 10, Detail.FULL: 1}
"""Interval between recorded episodes; the first one is always recorded."""

CHAPTER_SECONDS = 60.0
"""How long a recorded episode waits to be stored together with others."""


class RandomPlayer(Trainer):
    """Plays episodes of random actions instead of training, until the run has its steps.

    The last episode is cut off there and has no row. It journals the same metrics of episodes as a trainer, and records
    some of them, depending on the recording detail. It saves nothing, because there is no policy.
    """

    _recorder: RunRecorder | None = None

    def run_due_work(self) -> None:
        if self._recorder is not None:
            self._recorder.read_choice()
        super().run_due_work()

    def _train(self, config: RunConfig) -> None:
        self._apply_early_control()
        faults = EnvironmentFaults(self._journals)
        with closing(make_environment(config, whole_episodes=True)) as env:
            faults.watch([env], lambda: self._step + 1)
            self._journals.event(0, StartedData(attempt=self._attempt.number, worker=self._worker))
            recorder = self._recorder = RunRecorder(self._folder, self._journals, config, self._guard)
            with closing(RecordedEpisodes(recorder, env)) as recorded:
                self._play(env, config, recorded)
        faults.warn_of_counts(self._step)
        ending: Ending = FinishedData(attempt=self._attempt.number)
        if self.is_stopping:
            ending = StoppedData(attempt=self._attempt.number)
        self._journals.event(self._step, ending)

    def _play(self, env: Env, config: RunConfig, recorded: RecordedEpisodes) -> None:
        places, episode, sums = 0, Episode(env, 0, config.seed), EpisodeSums()
        lengths, returns = deque[int](maxlen=EPISODES_OF_A_MEAN), deque[float](maxlen=EPISODES_OF_A_MEAN)
        began = logged_at = time.monotonic()
        logged_step = 0
        seed_all(episode, None, deterministic=True)
        env.action_space.seed(config.seed + ACTION_SEED)
        step = episode.begin()
        recorded.begin(self._step, episode)
        while self._step < config.total_timesteps and not self.is_stopping:
            step = episode.take_action(env.action_space.sample())
            self._step += 1
            recorded.add(step, episode)
            if step.components is not None:
                sums.add(0, step.components)
            if not step.is_last:
                continue
            places += 1
            lengths.append(step.number)
            returns.append(step.episode_return)
            self._journals.metrics_soon(
                self._step,
                {
                    EPISODE_REWARD: step.episode_return,
                    EPISODE_LENGTH: step.number,
                    EPISODE_INDEX: self._attempt.episodes + places,
                    **sums.finish(0, step.episode_return, step.number),
                },
            )
            now = time.monotonic()
            if now - logged_at >= RATE_SECONDS:
                self._journals.metrics(
                    self._step,
                    {
                        EP_REW_MEAN: fmean(returns),
                        EP_LEN_MEAN: fmean(lengths),
                        FPS: round(self._step / (now - began)),
                        RECENT_FPS: round((self._step - logged_step) / (now - logged_at), 1),
                    },
                )
                logged_at, logged_step = now, self._step
            episode = Episode(env, places, config.seed + places)
            step = episode.begin()
            recorded.begin(self._step, episode)


class RecordedEpisodes:
    """Records some episodes from reset to end, and stores several of them together."""

    def __init__(self, recorder: RunRecorder, env: Env, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._recorder, self._env, self._monotonic = recorder, env, monotonic
        self._collected = CollectedEpisodes()
        self._steps: Steps | None = None
        self._step, self._kept_at = 0, monotonic()

    def begin(self, step: int, episode: Episode) -> None:
        """Start an episode that was just reset, at ``step`` of the run."""
        self._step, self._steps = step, None
        with self._recorder.guarded():
            every = EPISODES_EVERY.get(self._recorder.level.detail)
            if every is None or episode.place % every == 0:
                self._steps = self._recorder.record(step, self._env, None, self._collected)
            if self._steps is not None:
                self._steps.add(episode.newest, self._env, episode.seed)

    def add(self, step: Step, episode: Episode) -> None:
        if self._steps is None:
            return
        self._steps.add(step, self._env, episode.seed)
        if step.is_last:
            with self._recorder.guarded():
                self._end_episode(self._steps)

    def _end_episode(self, steps: Steps) -> None:
        steps.flush()
        is_due = self._monotonic() - self._kept_at >= CHAPTER_SECONDS
        if is_due or self._collected.count >= MAX_ROWS or len(self._collected) >= LIMITS.scored_episodes.maximum:
            self._keep()

    def close(self) -> None:
        self._keep()
        self._recorder.close()

    def _keep(self) -> None:
        self._kept_at = self._monotonic()
        self._recorder.keep(self._step, self._collected)


WATCH_SECONDS = 0.05


class ControlWatcher:
    """Passes changes of ``control.json``, and the time, on to the trainer."""

    def __init__(self, path: Path, trainer: Trainer) -> None:
        self._path, self._trainer = path, trainer
        self._guard = Guard(trainer.warn)
        self._seen: tuple[int, int] | None = None

    def poll(self) -> None:
        """Check once. If a write fails (the disk is full, or a network share is gone), the next call tries again."""
        with self._guard("Watching the clock"), suppress(OSError):
            self._trainer.run_due_work()
        with self._guard("Reading control.json"), suppress(OSError, RunFolderError):
            self._read_control()

    def _read_control(self) -> None:
        status = os.stat(self._path)  # noqa: PTH116  (twenty times a second: building no Path saves time)
        version = (status.st_mtime_ns, status.st_ino)
        if version == self._seen:
            return
        self._trainer.handle_control(read_control(self._path))
        self._seen = version


def train_run(folder: RunFolder, stop: Event | None = None, *, worker: str | None = None) -> bool:
    """Train the run in ``folder`` in a separate thread, and watch over it until it ends.

    Training ends early when ``control.json`` requests it or ``stop`` is set, also if that was before the start.

    Args:
        folder: The run's folder.
        stop: Set it to end training.
        worker: Identity of the worker, for the journal.

    Returns:
        Whether training ended without an error; the error itself is in the journal.

    Raises:
        OSError: A full disk ended training.
        RunIsActive: Another process trains the run.
        IllegalTransition: The requested attempt has already ended, because its worker was believed dead.
    """
    with training_lock(folder) as lock:
        return _train(folder, begin_attempt(folder), stop, worker, lock)


def _train(folder: RunFolder, attempt: Attempt, stop: Event | None, worker: str | None, lock: int) -> bool:
    trainer = _choose_trainer(folder)(folder, attempt, worker)
    watcher = ControlWatcher(folder.control_path, trainer)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            trainer.run()
        except BaseException as error:  # it is in the journal; if the journal failed, it is in worker.log
            failures.append(error)
            traceback.print_exc(file=sys.stderr)

    thread = Thread(target=run, name=f"train-{folder.run_id}", daemon=True)
    watcher.poll()
    thread.start()
    was_logged = False
    while thread.is_alive():
        if stop is not None and stop.is_set() and not was_logged:
            was_logged = True
            _handle_termination(trainer, thread)
        if not was_logged and _is_deleted(folder, lock):
            was_logged = True
            print("The run folder was deleted during training. Training ends.", file=sys.stderr, flush=True)
            trainer.stop()
        watcher.poll()
        thread.join(WATCH_SECONDS)
    if failures and is_disk_full(failures[0]):
        raise failures[0]
    return not failures


def _is_deleted(folder: RunFolder, lock: int) -> bool:
    """Return whether ``folder`` was deleted, together with the file that is open as ``lock``.

    A network share that is temporarily unavailable does not count, nor does deleting only files.
    """
    with suppress(OSError):
        return os.fstat(lock).st_nlink == 0 and not folder.path.exists()
    return False


def _choose_trainer(folder: RunFolder) -> type[Trainer]:
    with suppress(RunFolderError):  # the trainer reports the problem in the journal
        if folder.read_config().actor is RunActor.RANDOM:
            return RandomPlayer
    return Trainer


def _handle_termination(trainer: Trainer, thread: Thread) -> None:
    """Stop training; on a second request, log where it hangs. Training that is pausing pauses at once instead."""
    if trainer.is_pausing and not trainer.is_stopping:
        trainer.pause(within=0.0)
        return
    if trainer.is_stopping and (stack := where(thread.ident)):
        print("Terminated while training was here:\n" + "".join(stack), file=sys.stderr, flush=True)
        with suppress(OSError):
            trainer.warn(f"Training did not react to a stop; it hangs here: {' '.join(stack[-1].split())}")
    trainer.stop()
