"""Ending a worker: first it is asked, then terminated, then killed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from rlviz.launchers.base import Worker

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Patience:
    """Seconds that a worker has to end by itself, and then after SIGTERM."""

    ask: float
    terminate: float


class Step(Enum):
    ASKED = "asked"
    TERMINATED = "terminated"
    KILLED = "killed"


class Escalation:
    """One worker that shall end, whether it listens or not. ``tick`` often; all calls from one thread."""

    def __init__(
        self, name: str, worker: Worker, patience: Patience, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._worker, self._monotonic = name, worker, monotonic
        self._patience = patience
        self._since = monotonic()
        self.step = Step.ASKED

    def hurry(self, patience: Patience) -> None:
        """From now on, wait no longer than this for each step."""
        self._patience = Patience(
            min(patience.ask, self._patience.ask), min(patience.terminate, self._patience.terminate)
        )

    def tick(self) -> None:
        """Take the next step if its time has come."""
        waited = self._monotonic() - self._since
        if self.step is Step.ASKED and waited >= self._patience.ask:
            log.warning("%s did not stop within %g s of being asked: terminating it", self._name, waited)
            self._go_on(Step.TERMINATED, self._worker.terminate)
        elif self.step is Step.TERMINATED and waited >= self._patience.terminate:
            log.warning("%s did not end within %g s of SIGTERM: killing it", self._name, waited)
            self._go_on(Step.KILLED, self._worker.kill)

    def cause(self) -> str:
        """One sentence for a worker that was terminated or killed and left no word of its own."""
        asked = f"The worker did not stop within {self._patience.ask:g} s of being asked"
        if self.step is Step.KILLED:
            return (
                f"{asked}, nor within {self._patience.terminate:g} s of being terminated, and was killed: it hung, "
                "perhaps in a step of its environment. See worker.log."
            )
        return f"{asked}, and was terminated."

    def _go_on(self, step: Step, act: Callable[[], None]) -> None:
        self.step, self._since = step, self._monotonic()
        act()
