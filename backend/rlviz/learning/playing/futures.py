"""Plays what would have happened after a step of a recorded episode with another action.

The environment is brought to the step by taking the recorded actions from the recorded seed, and must show what was
recorded on the way. The policy chooses at each of these steps too, so that one that samples continues with the same
random numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.clips import MAX_FUTURE_STEPS, FutureOutcome, FuturePlan
from rlviz.domain.errors import EpisodeUnusable, NoOtherFuture
from rlviz.learning.algorithms.policy import Policy
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.film import Interruption, differing_column
from rlviz.learning.playing.rollout import Env, Step, play
from rlviz.learning.records.reader import Column, StepFile
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder


class FutureCaption(NamedTuple):
    """The caption of a frame of the other future. ``episode_return`` counts from the step on."""

    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return "Other action", f"Step {self.step}", f"Return {self.episode_return:+.4g}"


class Video(Protocol):
    """Receives the frames of the other future."""

    def add(self, picture: object, caption: FutureCaption) -> None: ...


class Departing:
    """Takes ``actions`` first, then those of ``policy``. The policy chooses an action in every step."""

    def __init__(self, policy: Policy, actions: list[Any]) -> None:
        self._policy, self._actions = policy, actions
        self._chosen = 0
        self.action_space = policy.action_space

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        actions, state = self._policy.predict(observation, state, episode_start, deterministic=deterministic)
        place, self._chosen = self._chosen, self._chosen + 1
        return ([self._actions[place]] if place < len(self._actions) else actions), state

    def read(self, observations: Any, actions: Any) -> Reading:
        return self._policy.read(observations, actions)


@dataclass(frozen=True, eq=False)
class RecordedEpisode:
    """One episode of a file of step records, without its readings. Row k is step k."""

    file: StepFile
    columns: dict[str, Column]
    seed: int
    is_custom: bool
    """Whether the environment is the user's own, whose code may have changed."""

    @property
    def last(self) -> int:
        """The last recorded step."""
        return len(self.columns["index"].numbers) - 1

    def actions(self, count: int) -> list[Any]:
        return list(self.columns["action"].numbers[1 : count + 1])

    def check(self, step: Step) -> None:
        """Raise NoOtherFuture if ``step`` differs from the record."""
        column = self.differing_column(step)
        if column is None:
            return
        hint = " If you changed its code after the recording, that may be the cause." if self.is_custom else ""
        raise NoOtherFuture(
            f"This environment does not repeat exactly, so the other future cannot be shown: {column} of step "
            f"{step.number:,} differed when the episode was played again.{hint}"
        )

    def differing_column(self, step: Step) -> str | None:
        """Return the first column in which ``step`` differs from the record; None if none does."""
        return differing_column(self.file, self.columns, step.number, step._replace(episode=self._number))

    def future_of(self, step: int, most: int | None) -> tuple[float | None, int]:
        """Return the sum of the rewards after ``step``, over ``most`` steps at most, and the number of these steps.

        The sum is None if the records end earlier.
        """
        until = self.last if most is None else min(self.last, step + most)
        is_whole = self._has_ended or (most is not None and until == step + most)
        rewards: NDArray[Any] = self.columns["reward"].numbers[step + 1 : until + 1]
        return (float(rewards.sum()) if is_whole else None), until - step

    @property
    def _number(self) -> int:
        return int(self.columns["episode"].numbers[0])

    @property
    def _has_ended(self) -> bool:
        return bool(self.columns["terminated"].numbers[-1] or self.columns["truncated"].numbers[-1])


_COLUMNS = (
    *("episode", "index", "observation", "observation_hash", "action", "reward", "episode_return"),
    *("terminated", "truncated"),
)


def read_episode(file: StepFile, number: int, *, is_custom: bool = False) -> RecordedEpisode:
    """Return the episode with that number, from 0. Raises NoOtherFuture if it was not recorded."""
    names = [name for name in _COLUMNS if name in file.names]
    found = file.read(names, file.groups(number))
    rows = np.flatnonzero(found["episode"].numbers == number)
    if not len(rows) or number >= len(file.about.episodes):
        raise NoOtherFuture(f"Episode {number + 1} was not recorded: the records were cut.")
    columns = {name: column[rows] for name, column in found.items()}
    return RecordedEpisode(file, columns, file.about.episodes[number].seed, is_custom)


def play_future(
    folder: RunFolder, env: Env, policy: Policy, plan: FuturePlan, video: Video, interruption: Interruption
) -> FutureOutcome:
    """Play the other future and film it from the step on; ``policy`` played the recorded episode.

    Raises NoOtherFuture if the environment does not repeat, MoreUrgent, FileNotFoundError and RunFolderError.
    """
    path = (
        folder.evaluations.steps_path(plan.evaluation_id)
        if plan.evaluation_id is not None
        else Clips(folder).steps_path(str(plan.clip_id))
    )
    with StepFile(path, folder.path) as file:
        is_custom = folder.read_config().has_own_code
        recorded, about = read_episode(file, plan.episode, is_custom=is_custom), file.about
        if plan.index >= recorded.last:
            raise NoOtherFuture(f"No action was recorded after step {plan.index:,}.")
        other = _as_element(file, plan.action)
        departing = Departing(policy, [*recorded.actions(plan.index), other])
        before, newest = 0.0, None
        for step in play(
            [env], departing, [recorded.seed], deterministic=about.deterministic, max_steps=about.max_steps
        ):
            interruption.check(step.number)
            if step.number <= plan.index:
                recorded.check(step)
                before = step.episode_return
            if not math.isfinite(step.reward):
                raise EpisodeUnusable(f"The environment gave a reward of {step.reward} in step {step.number:,}.")
            if step.number >= plan.index:
                video.add(env.render(), FutureCaption(step.number, step.episode_return - before))
            newest = step
            if step.number >= plan.index + MAX_FUTURE_STEPS:
                break
        assert newest is not None
        length = newest.number - plan.index
        was, steps = recorded.future_of(plan.index, None if newest.is_last else length)
    return FutureOutcome(
        episode_return=newest.episode_return - before,
        episode_length=length,
        terminated=newest.terminated,
        truncated=newest.truncated,
        cut=not newest.is_last,
        recorded_return=was,
        recorded_length=steps,
    )


def _as_element(file: StepFile, action: list[float]) -> Any:
    """Return the action as ``as_action`` takes it."""
    return np.array(action, file.about.action.layout.dtype)
