"""What the agent saw, step by step, for whoever asked for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rlviz.domain.session_messages import ShowSeen
from rlviz.evaluation.seen import Seen, see
from rlviz.sessions.hands import PolicyHand
from rlviz.sessions.pace import TimeShare

LARGEST_SHARE = 0.25
"""Of the time that saliency may take: frames come first."""


class LiveSeen:
    """With saliency, a step that has no map is not shown: pictures and maps on the screen are of one step."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._time = TimeShare(LARGEST_SHARE, monotonic)
        self._wanted = ShowSeen(type="seen", on=False)
        self.is_owed = False

    def choose(self, wanted: ShowSeen) -> None:
        self._wanted = wanted
        self._time.hurry()

    def of(self, observation: Any, policy: PolicyHand, *, hurried: bool) -> Seen | None:
        """What is to be shown of a step; ``hurried``: others follow it, so that it may be passed over. ``is_owed``
        tells whether it was."""
        self.is_owed = False
        if not self._wanted.on:
            return None
        if not self._wanted.saliency or policy.policy is None:
            return see(observation)
        if hurried and not self._time.is_due:
            self.is_owed = True
            return None
        with self._time.spent():
            return see(observation, policy.policy, policy.action())
