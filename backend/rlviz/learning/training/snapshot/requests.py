"""Snapshots that were requested, and those that stay in memory until they are written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.control import SnapshotRequest

if TYPE_CHECKING:
    from rlviz.learning.training.snapshot.capture import Captured


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


RECENT = 3
"""So many of those captured last stay in memory, so that a stop or a pause loses a second of training, not a minute."""


KEPT = 3
"""So many of those written last stay in memory too, for a rollback that reads nothing."""


@dataclass(frozen=True)
class Recent:
    """What was captured at ``time``, in ``attempt``, and how long that held training up."""

    captured: Captured
    time: float
    capture_ms: float
    attempt: int


@dataclass(frozen=True)
class Usable:
    """One in memory; ``request`` is None if nobody has had it written."""

    request: WriteRequest | None
    captured: Captured


class Memory:
    """Used in the training thread."""

    def __init__(self) -> None:
        self._recent: deque[Recent] = deque(maxlen=RECENT)
        self._kept: deque[tuple[WriteRequest, Recent]] = deque(maxlen=KEPT)

    def add(self, recent: Recent) -> None:
        """Keep what was captured just now, in place of the oldest."""
        self._recent.append(recent)

    def keep(self, request: WriteRequest, recent: Recent) -> None:
        """Keep what is being written too, for a rollback that reads nothing."""
        self._kept.append((request, recent))

    @property
    def newest(self) -> Recent | None:
        """That captured last."""
        return self._recent[-1] if self._recent else None

    def at(self, step: int) -> Recent | None:
        """That captured last at ``step``."""
        return next((one for one in reversed(self._recent) if one.captured.step == step), None)

    def of(self, captured: Captured) -> Recent:
        """Raises StopIteration for what is in memory no more."""
        return next(one for one in self._recent if one.captured is captured)

    def named(self, name: str) -> tuple[WriteRequest, Recent] | None:
        """That written last under ``name``."""
        for request, recent in reversed(self._kept):
            if (request.name or str(recent.captured.step)) == name:
                return request, recent
        return None

    def usable(self) -> list[Usable]:
        """What could be gone back to, the newest first. What was captured with weights that are not finite is left out:
        training went wrong before."""
        found = {id(recent): Usable(request, recent.captured) for request, recent in self._kept}
        for recent in self._recent:
            found.setdefault(id(recent), Usable(None, recent.captured))
        finite = [one for one in found.values() if one.captured.is_finite]
        return sorted(finite, key=lambda one: one.captured.step, reverse=True)

    def go_back(self, step: int) -> None:
        """Forget what was captured beyond ``step``."""
        self._recent = deque((one for one in self._recent if one.captured.step <= step), RECENT)
        self._kept = deque((one for one in self._kept if one[1].captured.step <= step), KEPT)
