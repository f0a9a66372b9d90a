"""Interruption: what is played for one request ends when somebody waits for something else."""

from __future__ import annotations

from rlviz.domain.clips import ClipRequest
from rlviz.rollout.episode import Env, Step
from rlviz.rundir.clips import Clips

LOOK_EVERY = 25
"""Steps to play between two checks for more urgent requests."""


class MoreUrgent(Exception):
    """Raised while an episode is played, when somebody waits for something else."""


class Interruption:
    """Raises MoreUrgent while an episode is played for ``request``, when that is overtaken. The request stays."""

    def __init__(self, clips: Clips, request: ClipRequest) -> None:
        self._clips, self._request = clips, request

    def wants_frame(self, step: Step) -> bool:
        return False

    def look(self, step: Step, picture: object) -> None:
        """Ignores frames, which are not rendered."""

    def add(self, step: Step, env: Env, seed: int) -> None:
        self.check(step.number)

    def check(self, step: int) -> None:
        """To be called with each step of an episode."""
        if step % LOOK_EVERY == 0 and self._clips.requests.is_overtaken(self._request):
            raise MoreUrgent
