"""LiveSeen: the pictures that the agent saw, with or without saliency, while somebody has asked for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rlviz.domain.session_messages import ShowSeen
from rlviz.evaluation.seen import Seen, see
from rlviz.sessions.action_sources import PolicyActions
from rlviz.sessions.pace import TimeShare

LARGEST_SHARE = 0.25
"""Saliency takes at most this share of the time, so that frames keep coming."""


class LiveSeen:
    """With saliency, a step for which no map was computed is left out, so that the picture and the map on the screen
    are always of the same step."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._time = TimeShare(LARGEST_SHARE, monotonic)
        self._wanted = ShowSeen(type="seen", on=False)
        self.is_owed = False

    def choose(self, wanted: ShowSeen) -> None:
        self._wanted = wanted
        self._time.hurry()

    def of(self, observation: Any, policy: PolicyActions, *, hurried: bool) -> Seen | None:
        """The pictures of a step; None if none are wanted, or if this step is left out.

        ``hurried``: more steps follow, so this one may be left out to save time. If it was, ``is_owed`` is set, and the
        caller should ask again once playing stops.
        """
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
