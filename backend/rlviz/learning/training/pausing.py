"""Pausing: training continues, unseen, to the start of the next rollout, where it takes a snapshot and ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rlviz.domain.events import PausingData
from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.guard import LeavesTraining
from rlviz.learning.training.journals import RunJournals

if TYPE_CHECKING:
    from rlviz.learning.training.snapshot.schedule import Snapshots

RETRY_SECONDS, LONGEST_RETRY_SECONDS = 2.0, 30.0
"""A snapshot that could not be written is not taken again before; each time the wait is twice as long."""


LOOK_SECONDS = 0.1
"""How often training that is held looks whether something else comes before the pause."""


class TrainingPaused(LeavesTraining):
    """The snapshot of this moment is on disk. Raised at the start of a rollout, it leaves the library's ``learn``."""

    def __init__(self, snapshot: str) -> None:
        super().__init__(snapshot)
        self.snapshot = snapshot


class PauseOverdue(LeavesTraining):
    """Training leaves the library's ``learn`` where it is: the run pauses at the newest snapshot in memory."""


class Pause:
    """Whether training shall pause, and what happens until it has. Rows are held back meanwhile: whoever watches sees
    training stop at once. A worker that dies before leaves the run as it was when the pause was asked for.
    """

    def __init__(
        self,
        journals: RunJournals,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._journals, self._monotonic, self._sleep = journals, monotonic, sleep
        self.is_wanted = False
        self.is_told = False
        self.is_overdue = False
        """Whether the start of the next rollout is not waited for any more."""

    def request(self) -> None:
        """Ask for it, from any thread; asking again changes nothing."""
        if not self.is_wanted:
            self.is_wanted = True
            self._journals.hold()

    def announce(self, step: int, saves_at: int) -> None:
        """Training is within a rollout, which ends at the step ``saves_at``."""
        self.is_told = True
        if saves_at > step:
            self._journals.event(step, PausingData(saves_at=saves_at))

    def go_back(self) -> None:
        """Training goes back: it is to pause there."""
        self.is_told = False
        if self.is_wanted:
            self._journals.hold()

    def give_up(self) -> None:
        """Training ends before it could pause."""
        if self.is_wanted:
            self.is_wanted = self.is_overdue = False
            self._journals.release()

    def hold(self, step: int, snapshots: Snapshots, gives_way: Callable[[], bool]) -> None:
        """Take the snapshot, at the start of a rollout. Raises TrainingPaused once it is on disk. What the disk refuses
        is warned of and tried again, and training waits here until then, until ``gives_way`` says that a stop or a
        rollback comes first, or until it is overdue."""
        retry_seconds = RETRY_SECONDS
        while not (gives_way() or self.is_overdue):
            self._journals.release()  # before: the snapshot names the last row
            snapshots.request(Trigger.PAUSED)
            snapshots.catch_up(step)
            snapshots.flush()
            if (written := snapshots.written_at(step)) is not None:
                raise TrainingPaused(written)
            self._journals.hold()
            retry_at = self._monotonic() + retry_seconds
            retry_seconds = min(2 * retry_seconds, LONGEST_RETRY_SECONDS)
            while self._monotonic() < retry_at and not (gives_way() or self.is_overdue):
                self._sleep(LOOK_SECONDS)
