"""FrameChoice: which frames are worth keeping as pictures."""

from __future__ import annotations

import math

from rlviz.domain.recording import Detail, FrameReason
from rlviz.rollout.episode import Step

SPIKE_DEVIATIONS = 4.0
"""A reward is a spike if it lies farther from the mean of all before than so many of their standard deviations."""

REWARDS_KNOWN = 20
"""Number of rewards that have to be known before one can stand out from them."""


class FrameChoice:
    """To be asked about every step, in order; one frame in ``every`` has its turn."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._count, self._mean, self._squares = 0, 0.0, 0.0
        self._steps = 0

    def reason(self, step: Step, detail: Detail) -> FrameReason | None:
        """Why the frame of ``step`` is kept at ``detail``; None: it is not."""
        self._steps += 1
        is_spike = step.number > 0 and self._stands_out(step.reward)
        if not detail.is_at_least(Detail.STANDARD):
            return None
        if step.is_last:
            return FrameReason.END
        if is_spike:
            return FrameReason.SPIKE
        has_its_turn = detail is Detail.FULL and self._steps % self._every == 1 % self._every
        return FrameReason.INTERVAL if has_its_turn else None

    def _stands_out(self, reward: float) -> bool:
        if not math.isfinite(reward):
            return False
        distance = abs(reward - self._mean)
        found = (
            self._count >= REWARDS_KNOWN
            and distance > 1e-9
            and distance > SPIKE_DEVIATIONS * math.sqrt(self._squares / self._count)
        )
        self._count += 1
        change = reward - self._mean
        self._mean += change / self._count
        self._squares += change * (reward - self._mean)
        return found
