"""The episode that is played, and how it came about: enough to play it again up to any step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rlviz.domain.step_record import Actor
from rlviz.rollout.episode import Env, Episode, Step


class Taken(NamedTuple):
    """An action, who took it, and how many milliseconds after the reset what it led to was seen."""

    action: Any
    actor: Actor
    elapsed_ms: float


class History:
    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.taken: list[Taken] = []

    @property
    def newest(self) -> Step:
        return self.episode.newest

    @property
    def last(self) -> Taken | None:
        """What led to the newest step; None at the reset."""
        return self.taken[-1] if self.taken else None

    def take(self, action: Any, actor: Actor, elapsed_ms: Callable[[], float]) -> Step:
        step = self.episode.take(action)
        self.taken.append(Taken(step.action, actor, elapsed_ms()))
        return step

    def again(self, env: Env, steps: int, alive: Callable[[], None]) -> History:
        """The first ``steps`` of the same episode, played again in ``env`` from its seed; ``alive`` is called at every
        step."""
        earlier = History(Episode(env, self.episode.place, self.episode.seed))
        earlier.episode.begin()
        for taken in self.taken[:steps]:
            alive()
            earlier.episode.take(taken.action)
            earlier.taken.append(taken)
        return earlier
