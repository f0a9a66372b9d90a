"""Pauses training: it continues, unseen, to the start of the next rollout, takes a snapshot there and ends."""

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
"""Wait before a failed snapshot is tried again; it doubles with each failure, up to the longest."""


LOOK_SECONDS = 0.1
"""How often a waiting pause checks whether something else takes precedence."""


class TrainingPaused(LeavesTraining):
    """The snapshot of this moment is on disk. Raised at the start of a rollout to leave the library's ``learn``."""

    def __init__(self, snapshot: str) -> None:
        super().__init__(snapshot)
        self.snapshot = snapshot


class PauseOverdue(LeavesTraining):
    """Leaves the library's ``learn`` at once: the run pauses at the newest rollout start in memory."""


class Pause:
    """Whether training is asked to pause, and what happens until it does.

    Rows are held back meanwhile, so that viewers see training stop at once. If the worker dies before the snapshot, the
    run is as it was when the pause was requested.
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
        self.is_announced = False
        self.is_overdue = False
        """Whether training no longer waits for the start of the next rollout."""

    def request(self) -> None:
        """Request a pause. For any thread; a second request does nothing."""
        if not self.is_wanted:
            self.is_wanted = True
            self._journals.hold()

    def announce(self, step: int, saves_at: int) -> None:
        """Journal that the pause waits for the current rollout, which ends at step ``saves_at``."""
        self.is_announced = True
        if saves_at > step:
            self._journals.event(step, PausingData(saves_at=saves_at))

    def roll_back(self) -> None:
        """Keep a pending pause after a rollback."""
        self.is_announced = False
        if self.is_wanted:
            self._journals.hold()

    def cancel(self) -> None:
        """Cancel the pause, because training ends before it."""
        if self.is_wanted:
            self.is_wanted = self.is_overdue = False
            self._journals.release()

    def take_snapshot(self, step: int, snapshots: Snapshots, gives_way: Callable[[], bool]) -> None:
        """Take the snapshot at the start of a rollout.

        If the snapshot cannot be written, warn and try again until it succeeds, the pause is overdue, or ``gives_way``
        returns True.

        Args:
            step: Environment steps done.
            snapshots: Takes the snapshot.
            gives_way: Whether a stop or a rollback takes precedence.

        Raises:
            TrainingPaused: The snapshot is on disk.
        """
        retry_seconds = RETRY_SECONDS
        while not (gives_way() or self.is_overdue):
            self._journals.release()  # first, because the snapshot names the last row
            snapshots.request(Trigger.PAUSED)
            snapshots.take_due(step)
            snapshots.flush()
            if (written := snapshots.find_written(step)) is not None:
                raise TrainingPaused(written)
            self._journals.hold()
            retry_at = self._monotonic() + retry_seconds
            retry_seconds = min(2 * retry_seconds, LONGEST_RETRY_SECONDS)
            while self._monotonic() < retry_at and not (gives_way() or self.is_overdue):
                self._sleep(LOOK_SECONDS)
