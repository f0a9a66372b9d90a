"""Requested snapshots, and captured states that are kept in memory."""

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


class RequestedSnapshots:
    """Snapshot requests of users that no earlier attempt has answered.

    Requests that this attempt does not answer stay in the control file for the next. ``add_requests`` is for any
    thread, ``mark_answered`` for the thread that writes, everything else for the training thread.
    """

    def __init__(self, journals: RunJournals, answered: int) -> None:
        """Start without requests. ``answered`` is the number of the last one that an earlier attempt answered."""
        self._journals = journals
        self._waiting: deque[WriteRequest] = deque()
        self._newest_number = self.answered = answered
        self._adding = Lock()

    def add_requests(self, requests: Iterable[SnapshotRequest]) -> None:
        """Add requests from ``control.json``. Those that were added before are ignored."""
        with self._adding:
            for request in requests:
                if request.number > self._newest_number:
                    self._newest_number = request.number
                    self._waiting.append(WriteRequest(Trigger.REQUESTED, request.name, request.message, request.number))

    @property
    def is_due(self) -> bool:
        """Whether requests are waiting. While training repeats an earlier attempt, they wait for new steps."""
        return bool(self._waiting) and not self._journals.is_repeating

    def pop_all(self) -> list[WriteRequest]:
        """Return the waiting requests and remove them."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def mark_answered(self, request: WriteRequest) -> None:
        """Mark the request as answered: the snapshot is on disk."""
        self.answered = max(self.answered, request.number)

    def warn_of_waiting(self, step: int) -> None:
        """Warn about requests that were not answered before the attempt ends at ``step``."""
        for what in dict.fromkeys(_called(request.name) for request in self.pop_all()):
            self._journals.warn(
                step,
                f"{what} that was requested was not taken: training ended before the start of its next rollout. It is "
                "taken when the run is resumed.",
            )


def _called(name: str | None) -> str:
    return "A snapshot" if name is None else f"The snapshot {name}"


RECENT = 3
"""Number of newest captures kept in memory, so that a stop or a pause loses a second of training, not a minute."""


KEPT = 3
"""Number of newest written captures that are also kept in memory, for a rollback without reading files."""


@dataclass(frozen=True)
class Recent:
    """A captured state: when, in which attempt, and for how long capturing it held training up."""

    captured: Captured
    time: float
    capture_ms: float
    attempt: int


@dataclass(frozen=True)
class Usable:
    """A state in memory to roll back to. ``request`` is None if it was not written."""

    request: WriteRequest | None
    captured: Captured


class Memory:
    """The captured states that are kept in memory. For the training thread."""

    def __init__(self) -> None:
        self._recent: deque[Recent] = deque(maxlen=RECENT)
        self._kept: deque[tuple[WriteRequest, Recent]] = deque(maxlen=KEPT)

    def add(self, recent: Recent) -> None:
        """Keep a new capture in place of the oldest."""
        self._recent.append(recent)

    def keep(self, request: WriteRequest, recent: Recent) -> None:
        """Also keep a capture that is being written."""
        self._kept.append((request, recent))

    @property
    def newest(self) -> Recent | None:
        """The newest capture."""
        return self._recent[-1] if self._recent else None

    def find_step(self, step: int) -> Recent | None:
        """Return the newest capture of ``step``, or None."""
        return next((one for one in reversed(self._recent) if one.captured.step == step), None)

    def find_capture(self, captured: Captured) -> Recent:
        """Return the entry of ``captured``. Raises StopIteration if it is no longer in memory."""
        return next(one for one in self._recent if one.captured is captured)

    def find_name(self, name: str) -> tuple[WriteRequest, Recent] | None:
        """Return the newest written capture called ``name``, with its request, or None."""
        for request, recent in reversed(self._kept):
            if (request.name or str(recent.captured.step)) == name:
                return request, recent
        return None

    def list_usable(self) -> list[Usable]:
        """Return the states to roll back to, newest first.

        States with weights that are not finite are left out: training went wrong before them.
        """
        found = {id(recent): Usable(request, recent.captured) for request, recent in self._kept}
        for recent in self._recent:
            found.setdefault(id(recent), Usable(None, recent.captured))
        finite = [one for one in found.values() if one.captured.is_finite]
        return sorted(finite, key=lambda one: one.captured.step, reverse=True)

    def roll_back(self, step: int) -> None:
        """Forget what was captured after ``step``."""
        self._recent = deque((one for one in self._recent if one.captured.step <= step), RECENT)
        self._kept = deque((one for one in self._kept if one[1].captured.step <= step), KEPT)
