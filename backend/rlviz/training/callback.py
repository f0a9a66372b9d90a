"""What happens at each training step besides learning."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from rlviz.analysis.solved import shown_by_training
from rlviz.domain.records import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD, RECENT_FPS
from rlviz.domain.snapshot import Trigger
from rlviz.training.anatomy import AnatomyJournal
from rlviz.training.checkpoint import Checkpoints
from rlviz.training.episodes import finished_episode
from rlviz.training.filmstrip import Filmstrip
from rlviz.training.guard import Guard, LeavesTraining
from rlviz.training.journals import RunJournals
from rlviz.training.live_weights import LiveWeights
from rlviz.training.logger import RunLogger
from rlviz.training.pausing import Pause, PauseOverdue
from rlviz.training.periodic_evaluation import PeriodicEvaluation
from rlviz.training.rollback import Rollbacks
from rlviz.training.snapshot.restore import Continuation
from rlviz.training.snapshot.schedule import Snapshots
from rlviz.training.steering import Steering

RATE_WINDOW_SECONDS = 1.0


LAST_BOUNDARY_SECONDS = 1.0
"""How long training that is to end may go on, to end at the start of a rollout with a snapshot of that moment."""


class BoundaryReached(LeavesTraining):
    """Training is at the start of the rollout where it was to be left."""


class EndedAtBoundary(LeavesTraining):
    """Training that is to end is at the start of a rollout, and a snapshot of this moment is on its way."""


class RunCallback(BaseCallback):
    """Journals finished episodes, saves checkpoints, shows the policy to who watches and evaluates when due, and ends
    training once ``stop`` is set, or once the evaluation has seen enough: ``ended_early`` then says why.

    The model's logger must be a RunLogger. Whatever fails here becomes a warning of the run and does not end training:
    every hook of the library runs within ``guard``, and so does each part that it calls.
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
        pause: Pause | None = None,
        continuation: Continuation | None = None,
        rollout_steps: int = 1,
        training_end: float = math.inf,
        episodes: int = 0,
        threshold: float | None = None,
        guard: Guard | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``rollout_steps``: environment steps of a rollout; ``training_end``: the step at which the last one ends
        in any case. ``episodes``: those that earlier attempts have finished. ``continuation``: the snapshot that the
        model was brought to, if training goes on from one. ``threshold``: the return at which the environment counts
        as solved, if there is one.
        """
        super().__init__()
        self._journals, self._checkpoints, self._stop, self._monotonic = journals, checkpoints, stop, monotonic
        self._guard = guard or Guard(journals.warn_now)
        self._evaluation, self._filmstrip, self._anatomy, self._live = evaluation, filmstrip, anatomy, live
        self._pause = pause or Pause(journals)
        self._rollout_began_at, self._rollout_steps = 0, rollout_steps
        self._training_end = training_end
        self._continuation = continuation
        self.snapshots: Snapshots | None = None
        """Which count this callback among what they capture."""
        self.steering: Steering | None = None
        self.rollbacks: Rollbacks | None = None
        self.leave_at = math.inf
        """From this step on, BoundaryReached leaves the library's ``learn`` at the start of a rollout."""
        self._episodes = episodes
        self._rollouts = 0
        self._threshold, self._is_solved, self._has_news = threshold, False, False
        self._rate_since = (0, 0.0)
        self._rollout_ended_at = self._rollout_started_at = 0.0
        self._update_seconds = 0.0
        self._ends_by = math.inf
        """When training that is to end ends in any case; infinity while it is not to."""
        self.stopped = False
        self.ended_early: str | None = None

    def _init_callback(self) -> None:
        assert isinstance(self.logger, RunLogger)
        self._log = self.logger

    @property
    def rollouts(self) -> int:
        """Those that were collected, by earlier attempts too where training goes on from a snapshot."""
        return self._rollouts

    def state(self) -> dict[str, Any]:
        return {"episodes": self._episodes, "rollouts": self._rollouts, "is_solved": self._is_solved}

    def restore(self, state: dict[str, Any]) -> None:
        self._episodes, self._rollouts = state["episodes"], state["rollouts"]
        self._is_solved = state.get("is_solved", False)  # older snapshots do not say

    def go_back(self, continuation: Continuation) -> None:
        """Training goes on from an earlier snapshot."""
        self._continuation, self.ended_early = continuation, None
        self._pause.go_back()

    def _on_training_start(self) -> None:
        if self._continuation is not None:  # not guarded: without it, training does not go on as it was
            self._continuation.settle(self.model, "end")
        with self._guard("The start of training"):
            self._begin_training()

    def _begin_training(self) -> None:
        self._rate_since = (self.num_timesteps, self._monotonic())
        self._log.begin(self.num_timesteps)
        self._renew_picture()
        if self._filmstrip is not None:
            with self._guard("The filmstrip", may_draw=True, on_failure=self._drop_filmstrip):
                self._filmstrip.begin(self.model, goes_on=self._continuation is not None)

    def _on_step(self) -> bool:
        """Kept short: after a step of the environment all this is out of the processor's cache and takes several times
        as long as it looks.
        """
        try:
            self._watch_step()
        except LeavesTraining:
            raise
        except Exception as error:  # cheaper than a block of the guard at every step
            self._guard.report("What is done at each step", error)
        if not self._is_to_end and self._pause.is_overdue:
            raise PauseOverdue
        if not self._is_to_end or self._comes_to_boundary(self.num_timesteps):
            return True
        self.stopped = self._stop.is_set()
        return False

    def _watch_step(self) -> None:
        step = self.num_timesteps
        for info in self.locals["infos"]:  # cheaper than to ask NumPy whether any is done
            if "episode" in info:
                self._record_episode(info)
        if self.rollbacks is not None and self.rollbacks.is_wanted:
            self._go_back(self.rollbacks)
        if step >= self._checkpoints.next_step:
            with self._guard("A checkpoint", may_draw=True):
                self._checkpoints.catch_up(self.model)
        if self._filmstrip is not None and step >= self._filmstrip.next_step:
            with self._guard("The filmstrip", may_draw=True, on_failure=self._drop_filmstrip):
                self._filmstrip.take(self.model)
        if self._live is not None and step >= self._live.next_step:
            self._show_policy(self._live)
        if self._evaluation is not None and step >= self._evaluation.next_step:
            self._evaluate(self._evaluation)
        if self._pause.is_wanted and not self._pause.is_told:
            self._pause.announce(step, self._next_boundary)
        if self.steering is not None:
            if self.steering.is_due:
                with self._guard("A rule"):
                    self.steering.look(step)
            self.ended_early = self.ended_early or self.steering.end

    def _drop_filmstrip(self) -> None:
        self._filmstrip = None

    def _show_policy(self, live: LiveWeights) -> None:
        with self._guard("Showing the newest policy", may_draw=True, on_failure=self._drop_live):
            live.take(self.model)
        self._renew_picture()  # of the same weights

    def _drop_live(self) -> None:
        self._live = None

    def _renew_picture(self) -> None:
        with self._guard("The picture of the policy", may_draw=True):
            self._checkpoints.renew_picture(self.model)

    @property
    def _next_boundary(self) -> int:
        """The step at which the rollout that is under way ends."""
        ends = self._rollout_began_at + self._rollout_steps
        return int(min(ends, self._training_end))

    @property
    def _is_to_end(self) -> bool:
        return self._stop.is_set() or self.ended_early is not None

    def _comes_to_boundary(self, step: int) -> bool:
        """Whether training that is to end goes on to the next start of a rollout, which is near: only there a snapshot
        of this moment can be taken."""
        saves = self.steering is None or self.steering.saves
        if self.snapshots is None or not self.snapshots.is_on or not saves:
            return False
        now = self._monotonic()
        self._ends_by = min(self._ends_by, now + LAST_BOUNDARY_SECONDS)
        done, left = step - self._rollout_began_at, self._next_boundary - step
        seconds_a_step = (now - self._rollout_started_at) / max(1, done)
        return now + left * seconds_a_step + self._update_seconds <= self._ends_by

    def _go_back(self, rollbacks: Rollbacks) -> None:
        """Unless training ends where it is. Where it is to pause, it does so there."""
        if self.ended_early is None and not self._stop.is_set():
            rollbacks.go(self.num_timesteps)

    def _evaluate(self, evaluation: PeriodicEvaluation) -> None:
        with self._guard("An evaluation", may_draw=True):
            best = evaluation.best
            spent = evaluation.evaluate(self.model)
            if self.snapshots is not None and evaluation.best is not best:
                self.snapshots.note_best(self._rollout_began_at)
            step, since = self._rate_since
            self._rate_since = step, since + spent
            self.ended_early = evaluation.ended_early

    def _on_rollout_start(self) -> None:
        """The update that followed the last rollout is done. Its diagnostics describe the experience up to here."""
        if self._continuation is not None:  # as at the start of training
            self._continuation.settle(self.model, "rollout")
            self._continuation = None
        with self._guard("The start of a rollout"):
            self._begin_rollout()

    def _begin_rollout(self) -> None:
        if self._log.update_is_due:
            self._write_update()
        if self._anatomy is not None and self._anatomy.is_due:
            self._look_into_update(self._anatomy.after_update)
        self._rollout_began_at = self.num_timesteps
        self._rollout_started_at = self._monotonic()
        if self._rollout_ended_at:
            self._update_seconds = self._rollout_started_at - self._rollout_ended_at
        if self.steering is not None:
            with self._guard("A rule"):
                self.steering.begin_rollout(self.num_timesteps)
            self.ended_early = self.ended_early or self.steering.end
        if self.ended_early is not None:
            self._pause.give_up()
        if self.rollbacks is not None and self.rollbacks.is_wanted:
            self._go_back(self.rollbacks)
        if self.num_timesteps >= self.leave_at:
            raise BoundaryReached
        if self._is_to_end and self.snapshots is not None and self.snapshots.is_on:
            self._end_here(self.snapshots)
        if self.snapshots is not None:
            with self._guard("The reward threshold"):
                self._note_solved(self.snapshots)
            if self._pause.is_wanted:
                self._pause.hold(self.num_timesteps, self.snapshots, self._yields)
            elif self.snapshots.is_due(self.num_timesteps, is_evaluated=self._evaluates_by(self._rollout_steps)):
                with self._guard("A snapshot", may_draw=True):
                    self.snapshots.catch_up(self.num_timesteps)

    def _look_into_update(self, look: Callable[[BaseAlgorithm], None]) -> None:
        with self._guard("The anatomy of updates", may_draw=True, on_failure=self._drop_anatomy):
            look(self.model)

    def _drop_anatomy(self) -> None:
        self._anatomy = None

    def _end_here(self, snapshots: Snapshots) -> None:
        """Raises EndedAtBoundary, unless nothing is to be saved."""
        self.stopped = self._stop.is_set()
        if self.steering is None or self.steering.saves:
            snapshots.hear_control()
            snapshots.request(Trigger.STOPPED)
            snapshots.catch_up(self.num_timesteps)
            raise EndedAtBoundary

    def _evaluates_by(self, steps: int) -> bool:
        """Whether the policy is evaluated within so many steps."""
        return self._evaluation is not None and self._evaluation.next_step <= self.num_timesteps + steps

    def _note_solved(self, snapshots: Snapshots) -> None:
        """The first start of a rollout at which the reward threshold has been reached is worth a snapshot."""
        if self._is_solved or self._threshold is None:
            return
        best = self._evaluation.best if self._evaluation is not None else None
        returns = [episode["r"] for episode in self.model.ep_info_buffer or ()] if self._has_news else []
        self._has_news = False
        by_best = best is not None and best.mean_return >= self._threshold
        if by_best or shown_by_training(self._threshold, returns):
            self._is_solved = True
            snapshots.note_solved()

    def _yields(self) -> bool:
        """Whether a stop, a rollback or a rule comes before the pause, for which training waits."""
        if self.steering is not None and self.steering.is_due:
            with self._guard("A rule"):
                self.steering.look(self.num_timesteps)
            self.ended_early = self.ended_early or self.steering.end
            if self.ended_early is not None:
                self._pause.give_up()
        rolls_back = self.rollbacks is not None and self.rollbacks.is_wanted
        return self._stop.is_set() or rolls_back or self.ended_early is not None

    def _on_rollout_end(self) -> None:
        with self._guard("The end of a rollout"):
            self._end_rollout()

    def _end_rollout(self) -> None:
        """Log the current rate: ``time/fps`` is an average since the start."""
        self._rollouts += 1
        self._rollout_ended_at = self._monotonic()
        step, since = self._rate_since
        elapsed = self._rollout_ended_at - since
        if elapsed >= RATE_WINDOW_SECONDS:
            self._log.record(RECENT_FPS, round((self.num_timesteps - step) / elapsed, 1))
            self._rate_since = (self.num_timesteps, self._rollout_ended_at)
        is_last = self.num_timesteps >= self.model._total_timesteps
        if self._anatomy is not None and (self._anatomy.is_due or is_last):
            self._look_into_update(self._anatomy.before_update)

    def _on_training_end(self) -> None:
        with self._guard("The end of training"):
            self._end_training()

    def _end_training(self) -> None:
        """Write what would wait for a rollout that never comes; unless training ended within one, also what the last
        update found. Of training that was to be left later, and goes on from before, nothing is written here."""
        if self.stopped and self.leave_at < math.inf:
            return
        if not self.stopped and self.ended_early is None:
            self._write_update()
            if self._anatomy is not None:
                self._look_into_update(self._anatomy.after_update)
        self._log.dump_rest(self.num_timesteps)

    def _write_update(self) -> None:
        with self._guard("The diagnostics of an update"):
            self._log.dump_update(self.num_timesteps, seconds=self._monotonic() - self._rollout_ended_at)

    def _record_episode(self, info: Mapping[str, Any]) -> None:
        if (episode := finished_episode(info)) is None:
            return
        self._episodes += 1
        self._has_news = True
        self._journals.metrics_soon(
            self.num_timesteps,
            {EPISODE_REWARD: episode.reward, EPISODE_LENGTH: episode.length, EPISODE_INDEX: self._episodes},
        )
