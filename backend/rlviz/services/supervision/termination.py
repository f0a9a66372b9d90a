"""Ending a worker: it is asked to stop, then terminated (SIGTERM), then killed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from rlviz.launchers.base import Worker

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GracePeriod:
    """Seconds that a worker may take to end after it was asked, and then after SIGTERM.

    For a run that its user stops, they are the settings ``terminate_after_seconds`` and ``kill_after_seconds``.
    """

    ask: float
    terminate: float


CLOSING_GRACE = GracePeriod(ask=6.0, terminate=2.0)
"""For workers that end with the service: together less than the ten seconds that its end may take."""

SESSION_GRACE = GracePeriod(ask=4.0, terminate=1.0)
"""A session's worker ends by itself when its connection does; a run played by hand is brought to its end meanwhile.
That takes a little longer than its last videos are waited for."""

LINGERING_GRACE = GracePeriod(ask=15.0, terminate=3.0)
"""For a worker that has written its ending: it has no more to do than to close its environments, which may hang."""

LOST_FOLDER_GRACE = GracePeriod(ask=0.0, terminate=5.0)
"""A worker without its folder cannot be asked: the request would lie in that folder."""


class TerminationStep(Enum):
    ASKED = "asked"
    TERMINATED = "terminated"
    KILLED = "killed"


class TerminationPolicy:
    """Ends one worker, whether it responds or not. Call ``tick`` often; all calls from one thread."""

    def __init__(
        self, name: str, worker: Worker, grace: GracePeriod, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._worker, self._monotonic = name, worker, monotonic
        self._grace = grace
        self._since = monotonic()
        self.step = TerminationStep.ASKED

    def hurry(self, grace: GracePeriod) -> None:
        """From now on, wait no longer than ``grace`` for each step."""
        self._grace = GracePeriod(min(grace.ask, self._grace.ask), min(grace.terminate, self._grace.terminate))

    def tick(self) -> None:
        """Take the next step if it is due."""
        waited = self._monotonic() - self._since
        if self.step is TerminationStep.ASKED and waited >= self._grace.ask:
            log.warning("%s did not stop within %g s of being asked: terminating it", self._name, waited)
            self._go_on(TerminationStep.TERMINATED, self._worker.terminate)
        elif self.step is TerminationStep.TERMINATED and waited >= self._grace.terminate:
            log.warning("%s did not end within %g s of SIGTERM: killing it", self._name, waited)
            self._go_on(TerminationStep.KILLED, self._worker.kill)

    def cause(self) -> str:
        """One sentence for a worker that was terminated or killed and did not record how it ended."""
        asked = f"The worker did not stop within {self._grace.ask:g} s of being asked"
        if self.step is TerminationStep.KILLED:
            return (
                f"{asked}, nor within {self._grace.terminate:g} s of being terminated, and was killed: it hung, "
                "perhaps in a step of its environment. See worker.log."
            )
        return f"{asked}, and was terminated."

    def _go_on(self, step: TerminationStep, act: Callable[[], None]) -> None:
        self.step, self._since = step, self._monotonic()
        act()
