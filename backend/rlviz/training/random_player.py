"""RandomPlayer: a run in which chance acts."""

from __future__ import annotations

import time
from collections import deque
from contextlib import closing
from statistics import fmean

from rlviz.domain.config import RunConfig
from rlviz.domain.events import Ending, FinishedData, StartedData, StoppedData
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
from rlviz.rollout.episode import Env, Episode
from rlviz.rollout.play import seed_all
from rlviz.training.trainer import Trainer

RATE_SECONDS = 1.0
"""How often means and rates are logged."""

EPISODES_OF_A_MEAN = 100
"""As in Stable-Baselines3, whose names the means have."""

ACTION_SEED = 1_000_000
"""Added to the seed of the run for the first action. Not the seed of an episode: the same numbers would decide the
action and what the environment makes of it."""


class RandomPlayer(Trainer):
    """Plays whole episodes of random actions instead of training, as evaluations play them, until the run has its
    steps: the last episode is cut off there, and has no row. It journals what a trainer journals of episodes, and saves
    nothing, for there is no policy."""

    def _train(self, config: RunConfig) -> None:
        self._heed_control()
        with closing(make_environment(config, whole_episodes=True)) as env:
            self._journals.event(0, StartedData(attempt=self._attempt.number, worker=self._worker))
            self._play(env, config)
        ending: Ending = FinishedData(attempt=self._attempt.number)
        if self.is_stopping:
            ending = StoppedData(attempt=self._attempt.number)
        self._journals.event(self._step, ending)

    def _play(self, env: Env, config: RunConfig) -> None:
        places, episode = 0, Episode(env, 0, config.seed)
        lengths, returns = deque[int](maxlen=EPISODES_OF_A_MEAN), deque[float](maxlen=EPISODES_OF_A_MEAN)
        began = logged_at = time.monotonic()
        logged_step = 0
        seed_all(episode, None, deterministic=True)
        env.action_space.seed(config.seed + ACTION_SEED)
        step = episode.begin()
        while self._step < config.total_timesteps and not self.is_stopping:
            step = episode.take(env.action_space.sample())
            self._step += 1
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
            episode.begin()
