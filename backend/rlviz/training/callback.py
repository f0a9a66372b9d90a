"""What happens at each training step besides learning."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

from stable_baselines3.common.callbacks import BaseCallback

from rlviz.domain.records import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD, RECENT_FPS
from rlviz.training.anatomy import AnatomyJournal
from rlviz.training.checkpoint import Checkpoints
from rlviz.training.filmstrip import Filmstrip
from rlviz.training.journals import RunJournals
from rlviz.training.live_weights import LiveWeights
from rlviz.training.logger import RunLogger
from rlviz.training.periodic import PeriodicEvaluation

RATE_WINDOW_SECONDS = 1.0


class RunCallback(BaseCallback):
    """Journals finished episodes, saves checkpoints, shows the policy to who watches and evaluates when due, and ends
    training once ``stop`` is set, or once the evaluation has seen enough: ``ended_early`` then says why.

    The model's logger must be a RunLogger.
    """

    _log: RunLogger

    def __init__(
        self,
        journals: RunJournals,
        checkpoints: Checkpoints,
        stop: Event,
        evaluation: PeriodicEvaluation | None = None,
        *,
        filmstrip: Filmstrip | None = None,
        anatomy: AnatomyJournal | None = None,
        live: LiveWeights | None = None,
        episodes: int = 0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``episodes``: those that earlier attempts have finished."""
        super().__init__()
        self._journals, self._checkpoints, self._stop, self._monotonic = journals, checkpoints, stop, monotonic
        self._evaluation, self._filmstrip, self._anatomy, self._live = evaluation, filmstrip, anatomy, live
        self._episodes = episodes
        self._rate_since = (0, 0.0)
        self._rollout_ended_at = 0.0
        self.stopped = False
        self.ended_early: str | None = None

    def _init_callback(self) -> None:
        assert isinstance(self.logger, RunLogger)
        self._log = self.logger

    def _on_training_start(self) -> None:
        self._rate_since = (self.num_timesteps, self._monotonic())
        self._checkpoints.renew_picture(self.model)
        if self._filmstrip is not None:
            self._filmstrip.begin(self.model)

    def _on_step(self) -> bool:
        """Kept short: after a step of the environment all this is out of the processor's cache and takes several times
        as long as it looks.
        """
        for info in self.locals["infos"]:  # cheaper than to ask NumPy whether any is done
            if "episode" in info:
                self._record_episode(info["episode"])
        step = self.num_timesteps
        if step >= self._checkpoints.next_step:
            self._checkpoints.catch_up(self.model)
        if self._filmstrip is not None and step >= self._filmstrip.next_step:
            self._filmstrip.take(self.model)
        if self._live is not None and step >= self._live.next_step:
            self._live.take(self.model)
        if self._evaluation is not None and step >= self._evaluation.next_step:
            self._evaluate(self._evaluation)
        self.stopped = self._stop.is_set()
        return not self.stopped and self.ended_early is None

    def _evaluate(self, evaluation: PeriodicEvaluation) -> None:
        spent = evaluation.evaluate(self.model)
        step, since = self._rate_since
        self._rate_since = step, since + spent
        self.ended_early = evaluation.ended_early

    def _on_rollout_start(self) -> None:
        """The update that followed the last rollout is done. Its diagnostics describe the experience up to here."""
        if self._log.update_is_due:
            self._write_update()
        if self._anatomy is not None and self._anatomy.is_due:
            self._anatomy.after_update(self.model)

    def _on_rollout_end(self) -> None:
        """Log the current rate: ``time/fps`` is an average since the start."""
        self._rollout_ended_at = self._monotonic()
        step, since = self._rate_since
        elapsed = self._rollout_ended_at - since
        if elapsed >= RATE_WINDOW_SECONDS:
            self._log.record(RECENT_FPS, round((self.num_timesteps - step) / elapsed, 1))
            self._rate_since = (self.num_timesteps, self._rollout_ended_at)
        if self._anatomy is not None and self._anatomy.is_due:
            self._anatomy.before_update(self.model)

    def _on_training_end(self) -> None:
        """Write what would wait for a rollout that never comes; unless training ended within one, also what the last
        update found."""
        if not self.stopped and self.ended_early is None:
            self._write_update()
            if self._anatomy is not None:
                self._anatomy.after_update(self.model)
        if self._log.name_to_value:
            self._log.dump(self.num_timesteps)

    def _write_update(self) -> None:
        self._log.dump_update(self.num_timesteps, seconds=self._monotonic() - self._rollout_ended_at)

    def _record_episode(self, episode: dict[str, float]) -> None:
        self._episodes += 1
        self._journals.metrics_soon(
            self.num_timesteps,
            {
                EPISODE_REWARD: float(episode["r"]),
                EPISODE_LENGTH: int(episode["l"]),
                EPISODE_INDEX: self._episodes,
            },
        )
