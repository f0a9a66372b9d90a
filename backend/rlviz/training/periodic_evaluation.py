"""Evaluating while training: the curve of the greedy policy, the best policy kept, and an early end.

The protocol:

1. Every ``every_steps`` environment steps, and once more when training is done, the greedy policy plays
   ``episodes`` episodes on SCREENING seeds, the same each time, in environments of its own. Mean, deviation
   and length are journaled at that step. Training does not notice: no generator it draws from moves, and
   the time is not counted into its rate.
2. A policy whose mean beats that of the best one held (or the first one there is) may have been lucky: of many
   noisy means the largest is too large. So it plays as many episodes again, on seeds that no policy has met
   (RETEST seeds, new ones each time). Only this second mean counts. If it too beats the one held, the policy
   becomes the best: ``best_model.zip``, with the second mean within.
3. With ``stop_after``, training ends once that many evaluations in a row reach the environment's reward threshold and
   the best policy has reached it on its fresh episodes: the run is then solved (``analysis/solved.py``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.algorithms.policy import Policy
from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.events import BestData
from rlviz.domain.records import EVAL_EP_LENGTH, EVAL_REWARD, EVAL_REWARD_STD
from rlviz.recording.collected_episodes import CollectedEpisodes
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.training.checkpoint import save_best
from rlviz.training.greedy import GreedyPlayer, Score
from rlviz.training.journals import RunJournals
from rlviz.training.run_recorder import RunRecorder

SCREENING_SEED = 2_000_000
RETEST_SEED = 3_000_000
"""First of the seeds, far from those people train with and those evaluations that are asked for play."""


class PeriodicEvaluation:
    """Due from ``next_step`` on. ``as_played`` gives the policy of a model as it is then; ``threshold`` is the
    environment's; ``stopping`` says whether somebody wants training to end now. ``recorder``, if there is one, records
    the first episode of each screening. Up to step ``first_update`` no policy is kept as the best: none has learned.

    ``retests`` counts those that earlier attempts may have played, whose seeds are used up; ``best`` is the best policy
    that they have kept.
    """

    def __init__(
        self,
        folder: RunFolder,
        plan: EvaluationPlan,
        player: GreedyPlayer,
        journals: RunJournals,
        *,
        as_played: Callable[[BaseAlgorithm], Policy],
        threshold: float | None,
        stopping: Callable[[], bool],
        recorder: RunRecorder | None = None,
        first_update: int = 0,
        retests: int = 0,
        best: BestPolicy | None = None,
    ) -> None:
        self._folder, self._plan, self._player, self._journals = folder, plan, player, journals
        self._as_played, self._threshold, self._stopping = as_played, threshold, stopping
        self._recorder, self._first_update = recorder, first_update
        self.next_step = plan.every_steps or sys.maxsize
        self._retests, self._reached = retests, 0
        self._best = best
        self.ended_early: str | None = None

    @property
    def best(self) -> BestPolicy | None:
        """The best policy that is kept."""
        return self._best

    def evaluate(self, model: BaseAlgorithm) -> float:
        """Evaluate now; return the seconds it took. One that a stop interrupts leaves no trace."""
        begin = time.perf_counter_ns()
        self.next_step = model.num_timesteps + (self._plan.every_steps or sys.maxsize)
        score = self._screen(model)
        if self._best is not None and not is_file(self._folder.best_model_path):
            self._best = None  # the run has gone back to before it, or somebody has deleted it
        if score is not None:
            self._record(model.num_timesteps, score)
            has_learned = model.num_timesteps > self._first_update
            if has_learned and (self._best is None or score.mean > self._best.mean_return):
                self._challenge(model)
            self._end_if_solved(score)
        spent = time.perf_counter_ns() - begin
        model.start_time += spent  # from which the library computes time/fps
        return spent / 1e9

    def state(self) -> dict[str, Any]:
        return {
            "next_step": self.next_step,
            "retests": self._retests,
            "reached": self._reached,
            "best": self._best.model_dump() if self._best is not None else None,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """The best policy is that of the snapshot: what was found later is found again."""
        self.next_step, self._retests, self._reached = state["next_step"], state["retests"], state["reached"]
        self._best = BestPolicy(**state["best"]) if state["best"] is not None else None

    def close(self) -> None:
        self._player.close()

    def _screen(self, model: BaseAlgorithm) -> Score | None:
        step, collected, policy = model.num_timesteps, CollectedEpisodes(), self._as_played(model)
        seeds = range(SCREENING_SEED, SCREENING_SEED + self._plan.episodes)
        recorder = self._recorder
        if recorder is None:
            return self._player.play(policy, seeds, self._stopping)
        score = self._player.play(
            policy, seeds, self._stopping, lambda env: recorder.record(step, env, policy, collected)
        )
        if score is not None:
            recorder.keep(step, collected)
        return score

    def _play(self, model: BaseAlgorithm, first_seed: int) -> Score | None:
        return self._player.play(
            self._as_played(model), range(first_seed, first_seed + self._plan.episodes), self._stopping
        )

    def _record(self, step: int, score: Score) -> None:
        length = sum(score.lengths) / len(score.lengths)
        self._journals.metrics(step, {EVAL_REWARD: score.mean, EVAL_REWARD_STD: score.std, EVAL_EP_LENGTH: length})

    def _end_if_solved(self, score: Score) -> None:
        if self._threshold is None or self._plan.stop_after is None:
            return
        self._reached = self._reached + 1 if score.mean >= self._threshold else 0
        is_confirmed = self._best is not None and self._best.mean_return >= self._threshold
        if self._reached >= self._plan.stop_after and is_confirmed:
            times = "An evaluation" if self._reached == 1 else f"{self._reached} evaluations in a row"
            self.ended_early = f"{times} reached the reward threshold of {self._threshold:g}."

    def _challenge(self, model: BaseAlgorithm) -> None:
        """Test the policy again on fresh seeds; keep it if it beats the best one there too."""
        score = self._play(model, RETEST_SEED + self._retests * self._plan.episodes)
        self._retests += 1
        if score is None or (self._best is not None and score.mean <= self._best.mean_return):
            return
        step = model.num_timesteps
        found = BestPolicy(step=step, mean_return=score.mean, std_return=score.std, episodes=len(score.returns))
        path = self._folder.best_model_path
        try:
            save_best(model, path, found)
        except (OSError, RunFolderError) as error:
            self._journals.warn(step, f"The best policy so far, of step {step}, could not be saved: {error}.")
            return
        self._best = found
        self._journals.event(step, BestData(path=path.name, **found.model_dump(exclude={"step"})))
