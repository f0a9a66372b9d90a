"""Playing the greedy policy beside training, without a trace in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from statistics import fmean, pstdev

from rlviz.algorithms.experience import generators_kept
from rlviz.algorithms.policy import Policy
from rlviz.rollout.episode import Env
from rlviz.rollout.play import play
from rlviz.training.run_recorder import Steps

SIDE_BY_SIDE = 16
"""Environments played together at most."""


@dataclass(frozen=True)
class Score:
    """Returns and lengths of some episodes, in the order of their seeds."""

    returns: tuple[float, ...]
    lengths: tuple[int, ...]

    @property
    def mean(self) -> float:
        return fmean(self.returns)

    @property
    def std(self) -> float:
        """Population standard deviation."""
        return pstdev(self.returns)


class GreedyPlayer:
    """Plays episodes in environments of its own, which are made when first needed. ``close`` after use."""

    def __init__(self, make: Callable[[], Env]) -> None:
        self._make = make
        self._envs: list[Env] = []

    def play(
        self,
        policy: Policy,
        seeds: Sequence[int],
        interrupted: Callable[[], bool],
        record: Callable[[Env], Steps | None] = lambda _: None,
    ) -> Score | None:
        """An episode for each seed; None if ``interrupted`` came true, which is asked at every step. ``record`` gives
        what records the first of them, for the environment that it is played in.

        The generators that training draws from are afterwards as they were before.
        """
        returns, lengths = [0.0] * len(seeds), [0] * len(seeds)
        with generators_kept():
            envs = self._environments(len(seeds))
            recorder = record(envs[0])
            with recorder or nullcontext():
                for step in play(envs, policy, seeds):
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
