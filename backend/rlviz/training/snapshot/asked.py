"""Asked: the snapshots that people ask for, until they are taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from rlviz.domain.snapshot import Trigger
from rlviz.rundir.control import SnapshotRequest
from rlviz.training.journals import RunJournals


@dataclass(frozen=True)
class WriteRequest:
    """A request for a snapshot. Without a ``name`` the snapshot is named after its step."""

    trigger: Trigger
    name: str | None = None
    message: str = ""
    number: int = 0
    """Number of the user's request in ``control.json``; 0 if no user asked."""


class Asked:
    """Those that no earlier attempt has taken; those that this one does not take wait in the control file for the next.

    ``hear`` is for any thread, ``answer`` for the one that writes, everything else for the training thread.
    """

    def __init__(self, journals: RunJournals, answered: int) -> None:
        """``answered``: the number of the last request that an earlier attempt has answered."""
        self._journals = journals
        self._waiting: deque[WriteRequest] = deque()
        self._heard_of = self.answered = answered
        self._hearing = Lock()

    def hear(self, requests: Iterable[SnapshotRequest]) -> None:
        """Take in what people ask for. Requests that were taken in before are ignored."""
        with self._hearing:
            for request in requests:
                if request.number > self._heard_of:
                    self._heard_of = request.number
                    self._waiting.append(WriteRequest(Trigger.REQUESTED, request.name, request.message, request.number))

    @property
    def is_due(self) -> bool:
        """Not where training only repeats what it has done: people ask at the step that they see."""
        return bool(self._waiting) and not self._journals.is_repeating

    def take(self) -> list[WriteRequest]:
        """What waits, which then waits no more."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def answer(self, request: WriteRequest) -> None:
        """It is on disk."""
        self.answered = max(self.answered, request.number)

    def tell_waiting(self, step: int) -> None:
        """The attempt ends at ``step``: say what people do not get from it."""
        for what in dict.fromkeys(_called(request.name) for request in self.take()):
            self._journals.warn(
                step,
                f"{what} that was asked for was not taken: training ended before the start of its next rollout. It is "
                "taken if the run goes on.",
            )


def _called(name: str | None) -> str:
    return "A snapshot" if name is None else f"The snapshot {name}"
