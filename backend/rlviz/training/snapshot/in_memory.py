"""The newest snapshots in memory: so that a stop or a pause loses little, and going back reads no file."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlviz.training.snapshot.asked import WriteRequest

if TYPE_CHECKING:
    from rlviz.training.snapshot.capture import Captured

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
