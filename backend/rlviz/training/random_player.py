"""RandomPlayer: a run in which chance acts."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from statistics import fmean

from rlviz.domain.config import RunConfig
from rlviz.domain.events import Ending, FinishedData, StartedData, StoppedData
from rlviz.domain.limits import LIMITS
from rlviz.domain.recording import Detail
from rlviz.domain.records import (
    EP_LEN_MEAN,
    EP_REW_MEAN,
    EPISODE_INDEX,
    EPISODE_LENGTH,
    EPISODE_REWARD,
    FPS,
    RECENT_FPS,
)
from rlviz.environments.make import make_environment
from rlviz.recording.collected_episodes import MAX_ROWS, CollectedEpisodes
from rlviz.rollout.episode import Env, Episode, Step
from rlviz.rollout.play import seed_all
from rlviz.training.environment_faults import EnvironmentFaults
from rlviz.training.run_recorder import RunRecorder, Steps
from rlviz.training.trainer import Trainer

RATE_SECONDS = 1.0
"""How often means and rates are logged."""

EPISODES_OF_A_MEAN = 100
"""As in Stable-Baselines3, whose names the means have."""

ACTION_SEED = 1_000_000
"""Added to the seed of the run for the first action. Not the seed of an episode: the same numbers would decide the
action and what the environment makes of it."""


EPISODES_EVERY = {Detail.MINIMAL: 100, Detail.STANDARD: 10, Detail.FULL: 1}
"""One episode in so many is recorded, and the first."""

CHAPTER_SECONDS = 60.0
"""How long an episode that was recorded waits for others to be kept with."""


class RandomPlayer(Trainer):
    """Plays whole episodes of random actions instead of training, as evaluations play them, until the run has its
    steps: the last episode is cut off there, and has no row. It journals what a trainer journals of episodes, and saves
    nothing, for there is no policy. Some of its episodes are recorded, as many as the detail says."""

    _recorder: RunRecorder | None = None

    def tick(self) -> None:
        if self._recorder is not None:
            self._recorder.tick()
        super().tick()

    def _train(self, config: RunConfig) -> None:
        self._heed_control()
        faults = EnvironmentFaults(self._journals)
        with closing(make_environment(config, whole_episodes=True)) as env:
            faults.watch([env], lambda: self._step + 1)
            self._journals.event(0, StartedData(attempt=self._attempt.number, worker=self._worker))
            recorder = self._recorder = RunRecorder(self._folder, self._journals, config, self._guard)
            with closing(RecordedEpisodes(recorder, env)) as recorded:
                self._play(env, config, recorded)
        faults.tell_counts(self._step)
        ending: Ending = FinishedData(attempt=self._attempt.number)
        if self.is_stopping:
            ending = StoppedData(attempt=self._attempt.number)
        self._journals.event(self._step, ending)

    def _play(self, env: Env, config: RunConfig, recorded: RecordedEpisodes) -> None:
        places, episode = 0, Episode(env, 0, config.seed)
        lengths, returns = deque[int](maxlen=EPISODES_OF_A_MEAN), deque[float](maxlen=EPISODES_OF_A_MEAN)
        began = logged_at = time.monotonic()
        logged_step = 0
        seed_all(episode, None, deterministic=True)
        env.action_space.seed(config.seed + ACTION_SEED)
        step = episode.begin()
        recorded.begin(self._step, episode)
        while self._step < config.total_timesteps and not self.is_stopping:
            step = episode.take(env.action_space.sample())
            self._step += 1
            recorded.add(step, episode)
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
    """Records one episode in so many, from its reset to its end, and has them kept some together."""

    def __init__(self, recorder: RunRecorder, env: Env, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._recorder, self._env, self._monotonic = recorder, env, monotonic
        self._collected = CollectedEpisodes()
        self._steps: Steps | None = None
        self._step, self._kept_at = 0, monotonic()

    def begin(self, step: int, episode: Episode) -> None:
        """``episode`` was reset. ``step``: of the run."""
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
