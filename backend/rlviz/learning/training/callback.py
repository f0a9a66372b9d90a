"""Connects Stable-Baselines3's training loop to a run: what happens at each step besides learning.

``RunCallback`` journals finished episodes, saves checkpoints and takes snapshots when due, and ends training.
``RunLogger`` and ``JournalOutput`` write the library's logged values to the journal, each at the step it describes.
``PeriodicEvaluation`` plays the policy beside training, keeps the best policy, and ends training once it is
solved. Nothing here changes what training computes.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from statistics import fmean, pstdev
from threading import Event
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import BestData
from rlviz.domain.games import TAP_CHANGES
from rlviz.domain.limits import to_number
from rlviz.domain.metrics import (
    ARCHIVE_LENGTH,
    EPISODE_INDEX,
    EPISODE_LENGTH,
    EPISODE_REWARD,
    EVAL_EP_LENGTH,
    EVAL_REWARD,
    EVAL_REWARD_STD,
    FPS,
    RECENT_FPS,
    TAPS,
    UPDATE_SECONDS,
)
from rlviz.domain.snapshots import Trigger
from rlviz.learning.algorithms.experience import keep_generators
from rlviz.learning.algorithms.policy import Policy, keep_sampling_state
from rlviz.learning.environments.reward_components import COMPONENTS, EpisodeSums
from rlviz.learning.exploration.bonuses import ARCHIVE_TOTAL, EXPLORED
from rlviz.learning.exploration.imitation import Imitation
from rlviz.learning.exploration.map_file import PathKeeper
from rlviz.learning.playing.recording import CollectedEpisodes
from rlviz.learning.playing.rollout import Env, play
from rlviz.learning.training.anatomy import AnatomyJournal
from rlviz.learning.training.checkpoint import Checkpoints, Filmstrip, save_best
from rlviz.learning.training.guard import Guard, LeavesTraining, read_finished_episode
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.live_weights import LiveWeights
from rlviz.learning.training.pausing import Pause, PauseOverdue
from rlviz.learning.training.rollback import Rollbacks
from rlviz.learning.training.run_recorder import RunRecorder, Steps
from rlviz.learning.training.snapshot.restore import Continuation
from rlviz.learning.training.snapshot.schedule import Snapshots
from rlviz.learning.training.steering import Steering
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.stats.solved import shown_by_training

UPDATE = "train/"
"""Prefix of the names of an update's diagnostics."""

ITERATIONS = "time/iterations"
ELAPSED = "time/time_elapsed"

SHORTEST_SECONDS = 1e-6


class RunLogger(Logger):
    """Writes an update's diagnostics when the update is done.

    The library calls ``dump`` when experience has been collected, then records diagnostics while it learns from that
    experience, and writes them at the next ``dump``: a rollout or several episodes late, and never for the last update.
    Here ``dump`` leaves the diagnostics out, and ``dump_update`` writes them at the step of the update.
    """

    def __init__(
        self, output: KVWriter, guard: Guard | None = None, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Log to ``output``. A failure within ``guard`` does not end training."""
        super().__init__(folder=None, output_formats=[output])
        self._guard = guard or Guard(lambda _warning: None)
        self._monotonic = monotonic
        self._began: tuple[int, float] | None = None
        self.update_is_due = False
        """Whether ``dump`` has been called since the last diagnostics were written.

        Some algorithms update at every environment step; this limits them to one row of diagnostics for each ``dump``.
        """
        self.iterations_before = 0
        """Iterations done by an earlier call of ``learn``, which the library does not count."""

    def begin(self, step: int) -> None:
        """Start measuring the rate at ``step``. The library's own clock may be set back while training runs."""
        self._began = step, self._monotonic()

    def dump(self, step: int = 0) -> None:
        """Write all recorded values except an update's diagnostics."""
        with self._guard("Recording what was logged"):
            update = self._take_update()
            if self._began is not None and ELAPSED in self.name_to_value:
                began, at = self._began
                elapsed = max(self._monotonic() - at, SHORTEST_SECONDS)
                self.name_to_value |= {ELAPSED: int(elapsed), FPS: int((step - began) / elapsed)}
            if ITERATIONS in self.name_to_value:
                self.name_to_value[ITERATIONS] += self.iterations_before
            super().dump(step)
            self.name_to_value.update(update)
            self.update_is_due = True

    def dump_update(self, step: int, seconds: float) -> None:
        """Write the diagnostics of the last update, if there are any. Other recorded values keep waiting.

        Args:
            step: Step of the update.
            seconds: Duration of the update.
        """
        update = self._take_update()
        if update:
            update[UPDATE_SECONDS] = round(seconds, 6)
            for output in self.output_formats:
                output.write(update, self.name_to_excluded, step)
            self.update_is_due = False

    def dump_rest(self, step: int) -> None:
        """Write what is waiting at the end of training.

        It does not make an update's row due: whether something is waiting may depend on the clock.
        """
        if self.name_to_value:
            was_due = self.update_is_due
            self.dump(step)
            self.update_is_due = was_due

    def state(self) -> dict[str, Any]:
        """Return the recorded values that were not written yet, for a snapshot."""
        return {
            "values": dict(self.name_to_value),
            "counts": dict(self.name_to_count),
            "excluded": dict(self.name_to_excluded),
            "update_is_due": self.update_is_due,
        }

    def restore(self, state: dict[str, Any]) -> None:
        for waiting in (self.name_to_value, self.name_to_count, self.name_to_excluded):
            waiting.clear()
        self.name_to_value.update(state["values"])
        self.name_to_count.update(state["counts"])
        self.name_to_excluded.update(state["excluded"])
        self.update_is_due = state["update_is_due"]

    def _take_update(self) -> dict[str, Any]:
        return {name: self.name_to_value.pop(name) for name in [*self.name_to_value] if name.startswith(UPDATE)}


class JournalOutput(KVWriter):
    """Logger output of Stable-Baselines3 that writes numbers to the journal under their own names.

    It cannot store text, images, figures, videos or histograms; the first of each name becomes a warning event. It
    never raises.
    """

    def __init__(self, journals: RunJournals, guard: Guard | None = None) -> None:
        self._journals = journals
        self._guard = guard or Guard(journals.warn_now)
        self._refused: set[str] = set()

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        with self._guard("Recording what was logged"):
            self._write(key_values, key_excluded, step)

    def _write(self, values: Mapping[str, Any], excluded: Mapping[str, tuple[str, ...] | None], step: int) -> None:
        numbers: dict[str, float] = {}
        for name, value in values.items():
            if "journal" in (excluded.get(name) or ()):
                continue
            if (number := to_number(value)) is not None:
                numbers[str(name)] = number
            elif name not in self._refused:
                self._refused.add(name)
                self._journals.warn(step, f"{name} is a {type(value).__name__}; only numbers are recorded.")
        if numbers:
            self._journals.metrics(step, numbers)

    def close(self) -> None:
        """Do nothing: the trainer closes the journals."""


SIDE_BY_SIDE = 16
"""Largest number of environments that are played together."""


@dataclass(frozen=True)
class Score:
    """Returns and lengths (in steps) of some episodes, in the order of their seeds."""

    returns: tuple[float, ...]
    lengths: tuple[int, ...]

    @property
    def mean(self) -> float:
        return fmean(self.returns)

    @property
    def std(self) -> float:
        """Population standard deviation."""
        return pstdev(self.returns)


class EpisodePlayer:
    """Plays episodes in its own environments, which are made when first needed. Call ``close`` after use."""

    def __init__(self, make: Callable[[], Env]) -> None:
        self._make = make
        self._envs: list[Env] = []

    def play(
        self,
        policy: Policy,
        seeds: Sequence[int],
        interrupted: Callable[[], bool],
        record: Callable[[Env], Steps | None] = lambda _: None,
        *,
        deterministic: bool = True,
    ) -> Score | None:
        """Play one episode for each seed, without changing the random generators that training uses.

        Args:
            policy: The policy to play.
            seeds: Seeds of the episodes.
            interrupted: Checked at every step; if it returns True, playing ends.
            record: Returns a recorder for the first episode, given its environment, or None.
            deterministic: Take the most likely actions instead of sampling. Episodes with sampled actions are played
                one after the other, so that each depends on its own seed alone.

        Returns:
            The score, or None if playing was interrupted.
        """
        returns, lengths = [0.0] * len(seeds), [0] * len(seeds)
        with keep_generators(), nullcontext() if deterministic else keep_sampling_state(policy):
            envs = self._environments(len(seeds) if deterministic else 1)
            recorder = record(envs[0])
            with recorder or nullcontext():
                for step in play(envs, policy, seeds, deterministic=deterministic):
                    if interrupted():
                        return None
                    if recorder is not None and step.episode == 0:
                        recorder.add(step, envs[0], seeds[0])
                    returns[step.episode], lengths[step.episode] = step.episode_return, step.number
        return Score(tuple(returns), tuple(lengths))

    def close(self) -> None:
        for env in self._envs:
            env.close()
        self._envs.clear()

    def _environments(self, episodes: int) -> list[Env]:
        while len(self._envs) < min(episodes, SIDE_BY_SIDE):
            self._envs.append(self._make())
        return self._envs[:episodes]


SCREENING_SEED = 2_000_000
RETEST_SEED = 3_000_000
"""First seeds of evaluations, far from the seeds used for training and for evaluations on request."""


class PeriodicEvaluation:
    """Evaluates the policy every few steps, from ``next_step`` on, and keeps the best one.

    A policy that scores better than the best is tested again on fresh seeds before it replaces it.

    Args:
        make_playable: Returns the model's policy as it is now.
        threshold: The environment's reward threshold, if it has one.
        stopping: Whether training is asked to stop.
        recorder: Records the first episode of each evaluation.
        path: Keeps the path of that episode for the map.
        first_update: Up to this step no policy is kept as the best, because nothing has been learned.
        retests: Retests that earlier attempts may have played; their seeds are not used again.
        best: The best policy that earlier attempts kept.
    """

    def __init__(
        self,
        folder: RunFolder,
        plan: EvaluationPlan,
        player: EpisodePlayer,
        journals: RunJournals,
        *,
        make_playable: Callable[[BaseAlgorithm], Policy],
        threshold: float | None,
        stopping: Callable[[], bool],
        recorder: RunRecorder | None = None,
        path: PathKeeper | None = None,
        first_update: int = 0,
        retests: int = 0,
        best: BestPolicy | None = None,
    ) -> None:
        self._folder, self._plan, self._player, self._journals = folder, plan, player, journals
        self._as_played, self._threshold, self._stopping = make_playable, threshold, stopping
        self._recorder, self._path, self._first_update = recorder, path, first_update
        self.next_step = plan.every_steps or sys.maxsize
        self._retests, self._reached = retests, 0
        self._best = best
        self.ended_early: str | None = None

    @property
    def best(self) -> BestPolicy | None:
        """The best policy so far, if one was kept."""
        return self._best

    def evaluate(self, model: BaseAlgorithm) -> float:
        """Evaluate now and return the seconds it took. An interrupted evaluation is not recorded."""
        begin = time.perf_counter_ns()
        self.next_step = model.num_timesteps + (self._plan.every_steps or sys.maxsize)
        if self._path is not None:
            self._path.begin()
        score = self._screen(model)
        if self._best is not None and not is_file(self._folder.best_model_path):
            self._best = None  # a rollback or a user removed the file
        if score is not None:
            self._record(model.num_timesteps, score)
            if self._path is not None:
                self._path.finish(model.num_timesteps)
            has_learned = model.num_timesteps > self._first_update
            if has_learned and (self._best is None or score.mean > self._best.mean_return):
                self._challenge(model)
            self._end_if_solved(score)
        spent = time.perf_counter_ns() - begin
        model.start_time += spent  # the library computes time/fps from it
        return spent / 1e9

    def state(self) -> dict[str, Any]:
        return {
            "next_step": self.next_step,
            "retests": self._retests,
            "reached": self._reached,
            "best": self._best.model_dump() if self._best is not None else None,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the snapshot's best policy; later ones are found again."""
        self.next_step, self._retests, self._reached = state["next_step"], state["retests"], state["reached"]
        self._best = BestPolicy(**state["best"]) if state["best"] is not None else None

    def close(self) -> None:
        self._player.close()

    def _screen(self, model: BaseAlgorithm) -> Score | None:
        step, collected, policy = model.num_timesteps, CollectedEpisodes(), self._as_played(model)
        seeds = range(SCREENING_SEED, SCREENING_SEED + self._plan.episodes)
        recorder = self._recorder
        if recorder is None:
            return self._player.play(policy, seeds, self._stopping, deterministic=self._plan.is_greedy)
        score = self._player.play(
            policy,
            seeds,
            self._stopping,
            lambda env: recorder.record(step, env, policy, collected),
            deterministic=self._plan.is_greedy,
        )
        if score is not None:
            recorder.keep(step, collected)
        return score

    def _play(self, model: BaseAlgorithm, first_seed: int) -> Score | None:
        return self._player.play(
            self._as_played(model),
            range(first_seed, first_seed + self._plan.episodes),
            self._stopping,
            deterministic=self._plan.is_greedy,
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
        """Test the policy again on fresh seeds, and keep it if it beats the best one there too."""
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


RATE_WINDOW_SECONDS = 1.0


LAST_BOUNDARY_SECONDS = 1.0
"""How long a stop may wait for the start of the next rollout, where a snapshot of that moment can be taken."""


class BoundaryReached(LeavesTraining):
    """Training has reached the rollout start at which ``learn`` must be left (``leave_at``)."""


class EndedAtBoundary(LeavesTraining):
    """Training was asked to end and is at the start of a rollout; a snapshot of this moment is being written."""


class RunCallback(BaseCallback):
    """Journals episodes, saves checkpoints, shares weights with viewers and evaluates when due, and ends training.

    Training ends when ``stop`` is set, or when an evaluation or rule ends it early; ``ended_early`` then says why. The
    model's logger must be a RunLogger. A failure in any part becomes a warning and does not end training: each hook of
    the library, and each part it calls, runs within ``guard``.
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
        imitation: Imitation | None = None,
        pause: Pause | None = None,
        continuation: Continuation | None = None,
        rollout_steps: int = 1,
        training_end: float = math.inf,
        episodes: int = 0,
        threshold: float | None = None,
        guard: Guard | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create the callback.

        Args:
            rollout_steps: Environment steps of a rollout.
            training_end: The step at which the last rollout ends in any case.
            continuation: The snapshot that training continues from, if any.
            episodes: Episodes finished by earlier attempts.
            threshold: The return at which the environment counts as solved, if it has one.
        """
        super().__init__()
        self._journals, self._checkpoints, self._stop, self._monotonic = journals, checkpoints, stop, monotonic
        self._guard = guard or Guard(journals.warn_now)
        self._evaluation, self._filmstrip, self._anatomy, self._live = evaluation, filmstrip, anatomy, live
        self._imitation = imitation
        self._pause = pause or Pause(journals)
        self._rollout_began_at, self._rollout_steps = 0, rollout_steps
        self._training_end = training_end
        self._continuation = continuation
        self.snapshots: Snapshots | None = None
        """Set after construction, because snapshots capture this callback."""
        self.steering: Steering | None = None
        self.rollbacks: Rollbacks | None = None
        self.leave_at = math.inf
        """From this step on, BoundaryReached is raised at the start of a rollout."""
        self._episodes = episodes
        self.reward_sums = EpisodeSums()
        self._rollouts = 0
        self._threshold, self._is_solved, self._has_news = threshold, False, False
        self._rate_since = (0, 0.0)
        self._rollout_ended_at = self._rollout_started_at = 0.0
        self._update_seconds = 0.0
        self._ends_by = math.inf
        """Latest time at which training that was asked to end does end; infinity until it is asked to."""
        self.stopped = False
        self.ended_early: str | None = None

    def _init_callback(self) -> None:
        assert isinstance(self.logger, RunLogger)
        self._log = self.logger

    @property
    def rollouts(self) -> int:
        """Rollouts collected, including those before the snapshot that training continues from."""
        return self._rollouts

    def state(self) -> dict[str, Any]:
        state = {"episodes": self._episodes, "rollouts": self._rollouts, "is_solved": self._is_solved}
        sums = self.reward_sums.state()
        return {**state, "reward_sums": sums} if sums["steps"] else state

    def restore(self, state: dict[str, Any]) -> None:
        self._episodes, self._rollouts = state["episodes"], state["rollouts"]
        self._is_solved = state.get("is_solved", False)  # missing in older snapshots
        self.reward_sums.restore(state.get("reward_sums"))  # missing in older ones too

    def roll_back(self, continuation: Continuation) -> None:
        """Continue from an earlier snapshot."""
        self._continuation, self.ended_early = continuation, None
        self._pause.roll_back()

    def _on_training_start(self) -> None:
        if self._continuation is not None:  # not guarded: without it, training would not continue exactly
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
        """Handle one environment step.

        Keep this short: after a step of the environment this code is no longer in the processor's cache, so it takes
        several times as long as it seems to.
        """
        try:
            self._watch_step()
        except LeavesTraining:
            raise
        except Exception as error:  # cheaper than entering a guard block at every step
            self._guard.report("A check at each step", error)
        if not self._is_to_end and self._pause.is_overdue:
            raise PauseOverdue
        if not self._is_to_end or self._comes_to_boundary(self.num_timesteps):
            return True
        self.stopped = self._stop.is_set()
        return False

    def _watch_step(self) -> None:
        step = self.num_timesteps
        for place, info in enumerate(self.locals["infos"]):  # cheaper than asking NumPy whether any episode is done
            if COMPONENTS in info:
                self.reward_sums.add(place, info[COMPONENTS])
            if "episode" in info:
                self._record_episode(place, info)
            elif EXPLORED in info:
                self._record_archived(place, info)
        if self.rollbacks is not None and self.rollbacks.is_wanted:
            self._roll_back(self.rollbacks)
        if step >= self._checkpoints.next_step:
            with self._guard("A checkpoint", may_draw=True):
                self._checkpoints.save_due(self.model)
        if self._filmstrip is not None and step >= self._filmstrip.next_step:
            with self._guard("The filmstrip", may_draw=True, on_failure=self._drop_filmstrip):
                self._filmstrip.copy_policy(self.model)
        if self._live is not None and step >= self._live.next_step:
            self._show_policy(self._live)
        if self._evaluation is not None and step >= self._evaluation.next_step:
            self._evaluate(self._evaluation)
        if self._pause.is_wanted and not self._pause.is_announced:
            self._pause.announce(step, self._next_boundary)
        if self.steering is not None:
            if self.steering.is_due:
                with self._guard("A rule"):
                    self.steering.check_rules(step)
            self.ended_early = self.ended_early or self.steering.end

    def _drop_filmstrip(self) -> None:
        self._filmstrip = None

    def _show_policy(self, live: LiveWeights) -> None:
        with self._guard("Showing the newest policy", may_draw=True, on_failure=self._drop_live):
            live.copy_weights(self.model)
        self._renew_picture()  # with the same weights

    def _drop_live(self) -> None:
        self._live = None

    def _renew_picture(self) -> None:
        with self._guard("The picture of the policy's output", may_draw=True):
            self._checkpoints.write_export(self.model)

    @property
    def _next_boundary(self) -> int:
        """The step at which the current rollout ends."""
        ends = self._rollout_began_at + self._rollout_steps
        return int(min(ends, self._training_end))

    @property
    def _is_to_end(self) -> bool:
        return self._stop.is_set() or self.ended_early is not None

    def _comes_to_boundary(self, step: int) -> bool:
        """Return whether to continue to the next rollout start before ending.

        Only there a snapshot of the last moment can be taken. It must be near enough.
        """
        saves = self.steering is None or self.steering.saves
        if self.snapshots is None or not self.snapshots.is_on or not saves:
            return False
        now = self._monotonic()
        self._ends_by = min(self._ends_by, now + LAST_BOUNDARY_SECONDS)
        done, left = step - self._rollout_began_at, self._next_boundary - step
        seconds_a_step = (now - self._rollout_started_at) / max(1, done)
        return now + left * seconds_a_step + self._update_seconds <= self._ends_by

    def _roll_back(self, rollbacks: Rollbacks) -> None:
        """Roll back, unless training is ending. A pending pause happens after the rollback."""
        if self.ended_early is None and not self._stop.is_set():
            rollbacks.leave_if_wanted(self.num_timesteps)

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
        """Write the diagnostics of the update that has just finished, then do what is due at a rollout's start."""
        if self._continuation is not None:  # not guarded, as at the start of training
            self._continuation.settle(self.model, "rollout")
            self._continuation = None
        with self._guard("The start of a rollout"):
            self._begin_rollout()

    def _begin_rollout(self) -> None:
        if self._log.update_is_due:
            self._write_update()
        if self._anatomy is not None and self._anatomy.is_due:
            self._look_into_update(self._anatomy.after_update)
        if self._imitation is not None:
            with self._guard("Self-imitation", on_failure=self._drop_imitation):
                self._imitate(self._imitation)
        self._rollout_began_at = self.num_timesteps
        self._rollout_started_at = self._monotonic()
        if self._rollout_ended_at:
            self._update_seconds = self._rollout_started_at - self._rollout_ended_at
        if self.steering is not None:
            with self._guard("A rule"):
                self.steering.begin_rollout(self.num_timesteps)
            self.ended_early = self.ended_early or self.steering.end
        if self.ended_early is not None:
            self._pause.cancel()
        if self.rollbacks is not None and self.rollbacks.is_wanted:
            self._roll_back(self.rollbacks)
        if self.num_timesteps >= self.leave_at:
            raise BoundaryReached
        if self._is_to_end and self.snapshots is not None and self.snapshots.is_on:
            self._end_here(self.snapshots)
        if self.snapshots is not None:
            with self._guard("The reward threshold"):
                self._note_solved(self.snapshots)
            if self._pause.is_wanted:
                self._pause.take_snapshot(self.num_timesteps, self.snapshots, self._yields)
            elif self.snapshots.is_due(self.num_timesteps, is_evaluated=self._evaluates_by(self._rollout_steps)):
                with self._guard("A snapshot", may_draw=True):
                    self.snapshots.take_due(self.num_timesteps)

    def _imitate(self, imitation: Imitation) -> None:
        """Learn from the best episodes. Snapshots of this rollout start are taken after it."""
        if metrics := imitation.learn():
            self._journals.metrics(self.num_timesteps, metrics)

    def _drop_imitation(self) -> None:
        self._imitation = None

    def _look_into_update(self, look: Callable[[BaseAlgorithm], None]) -> None:
        with self._guard("The anatomy of updates", may_draw=True, on_failure=self._drop_anatomy):
            look(self.model)

    def _drop_anatomy(self) -> None:
        self._anatomy = None

    def _end_here(self, snapshots: Snapshots) -> None:
        """End training here. Raises EndedAtBoundary, unless nothing must be saved."""
        self.stopped = self._stop.is_set()
        if self.steering is None or self.steering.saves:
            snapshots.read_requests()
            snapshots.request(Trigger.STOPPED)
            snapshots.take_due(self.num_timesteps)
            raise EndedAtBoundary

    def _evaluates_by(self, steps: int) -> bool:
        """Return whether the policy is evaluated within the next ``steps`` steps."""
        return self._evaluation is not None and self._evaluation.next_step <= self.num_timesteps + steps

    def _note_solved(self, snapshots: Snapshots) -> None:
        """Request a snapshot at the first rollout start after the reward threshold was reached."""
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
        """Return whether a stop, a rollback or a rule takes precedence over a waiting pause."""
        if self.steering is not None and self.steering.is_due:
            with self._guard("A rule"):
                self.steering.check_rules(self.num_timesteps)
            self.ended_early = self.ended_early or self.steering.end
            if self.ended_early is not None:
                self._pause.cancel()
        rolls_back = self.rollbacks is not None and self.rollbacks.is_wanted
        return self._stop.is_set() or rolls_back or self.ended_early is not None

    def _on_rollout_end(self) -> None:
        with self._guard("The end of a rollout"):
            self._end_rollout()

    def _end_rollout(self) -> None:
        """Log the current rate, because ``time/fps`` is an average since the start."""
        self._rollouts += 1
        if self._imitation is not None:
            with self._guard("Self-imitation", on_failure=self._drop_imitation):
                self._imitation.read_rollout()
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
        """Write what would wait for the next rollout, and, if training did not end early, the last update's values.

        When ``leave_at`` was set and training was stopped, it continues elsewhere, so nothing is written here.
        """
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

    def _record_episode(self, place: int, info: Mapping[str, Any]) -> None:
        if (episode := read_finished_episode(info)) is None:
            return
        components = self.reward_sums.finish(place, episode.reward, episode.length)
        if self._imitation is not None:
            self._imitation.note_end(place, episode.reward)
        self._episodes += 1
        self._has_news = True
        self._journals.metrics_soon(
            self.num_timesteps,
            {
                EPISODE_REWARD: episode.reward,
                EPISODE_LENGTH: episode.length,
                EPISODE_INDEX: self._episodes,
                **info.get(EXPLORED, {}),
                **{TAPS + name: steps for name, steps in info.get(TAP_CHANGES, {}).items()},
                **components,
            },
        )

    def _record_archived(self, place: int, info: Mapping[str, Any]) -> None:
        """Record an episode that began in the archive. It is no episode of the environment."""
        if ARCHIVE_TOTAL not in info:  # an environment's own key
            return
        metrics = info[EXPLORED]
        self.reward_sums.take(place, int(metrics[ARCHIVE_LENGTH]))
        if self._imitation is not None:
            self._imitation.note_end(place, info[ARCHIVE_TOTAL])
        changes = {TAPS + name: steps for name, steps in info.get(TAP_CHANGES, {}).items() if steps}
        self._journals.metrics_soon(self.num_timesteps, {**metrics, **changes})
