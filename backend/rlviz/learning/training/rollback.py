"""Rolls a run back to a snapshot, in memory or on disk, while it trains.

The model, its environments and its replay buffer are kept and restored, as a new worker would restore its own. In the
journal, a rollback starts a new attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from rlviz.domain.errors import RlvizError
from rlviz.domain.rules import RollBack
from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.guard import LeavesTraining
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.rules import Firing
from rlviz.learning.training.snapshot.capture import Contents, read_archive
from rlviz.learning.training.snapshot.model import are_finite
from rlviz.learning.training.snapshot.replay import Placed
from rlviz.learning.training.snapshot.requests import Usable
from rlviz.learning.training.snapshot.schedule import Snapshots
from rlviz.learning.training.steering import Carried
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import usable_snapshots

if TYPE_CHECKING:
    from rlviz.learning.training.snapshot.schedule import Snapshots


@dataclass(frozen=True)
class Target:
    """A loaded snapshot to roll back to. It needs no more files, so that the rollback cannot fail for lack of one.

    Args:
        contents: The snapshot.
        placed: Rows that the replay buffer has lost since.
        by: The rule that rolls back; None for a user.
    """

    contents: Contents
    placed: tuple[Placed, ...]
    by: Firing | None = None

    @property
    def name(self) -> str:
        return self.contents.manifest.name

    @property
    def step(self) -> int:
        return self.contents.manifest.step

    def is_of(self, run_id: str) -> bool:
        """Whether the snapshot belongs to that run, and not to the run's parent."""
        return self.contents.manifest.run_id == run_id


class GoBack(LeavesTraining):
    """Leaves the library's ``learn`` to roll back, at any environment step."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.name)
        self.target = target
        self.carried: Sequence[Carried] = ()
        """Knob changes made by the rule that rolls back, when the model is built again."""


class Rollbacks:
    """Pending rollbacks of users and rules. ``request`` is for any thread, all else for the training thread."""

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        snapshots: Snapshots,
        prepare: Callable[[Contents], Target],
        *,
        been: Mapping[str, Collection[int]] | None = None,
    ) -> None:
        """Start without a pending rollback.

        Args:
            prepare: Checks that training can be rolled back to a snapshot, and reads the replay rows it has lost since.
                Raises SnapshotRefused.
            been: Rule text -> the steps that the rule rolled back to in earlier attempts.
        """
        self._folder, self._journals, self._snapshots, self._prepare = folder, journals, snapshots, prepare
        self._wanted: str | None = None
        self._target: Target | None = None
        self._been = {rule: set(steps) for rule, steps in (been or {}).items()}
        self._exchange = Lock()

    def request(self, name: str) -> None:
        """Request a rollback to the snapshot called ``name``."""
        self._wanted = name

    @property
    def is_wanted(self) -> bool:
        return self._wanted is not None or self._target is not None

    def leave_if_wanted(self, step: int) -> None:
        """Raise GoBack, unless the snapshot cannot be used: then warn, and training continues."""
        with self._exchange:
            (name, self._wanted), (target, self._target) = (self._wanted, None), (self._target, None)
        if name is not None:
            try:
                target = self._at(name)
            except (OSError, RlvizError) as error:
                self._journals.warn(step, f"The run could not roll back to snapshot {name}: {error}")
        if target is not None:
            raise GoBack(target)

    def choose_target(self, action: RollBack, firing: Firing) -> str | None:
        """Choose the snapshot that a rule rolls back to. Returns None, or a sentence that says why there is none."""
        rule, been = firing.rule.words, self._been.setdefault(firing.rule.words, set())
        try:
            found = self._best() if action.to == "best" else self._newest(been)
        except (OSError, RlvizError) as error:
            return f"Skipped “{action.words}”: {error}"
        if found is None:
            return f"Skipped “{action.words}”: there is no snapshot to roll back to."
        self._been[rule].add(found.step)
        self._target = replace(found, by=firing)
        return None

    def _at(self, name: str) -> Target:
        contents = self._snapshots.find_in_memory(name)
        if contents is None:
            self._snapshots.flush()
            contents = read_archive(self._folder, name)
        return self._prepare(contents)

    def _newest(self, been: set[int]) -> Target | None:
        """Return the newest snapshot that the rule has not rolled back to before, because training went wrong after it.

        If there is no other, return the oldest.
        """
        found = self._snapshots.list_usable()
        for one in found:
            if one.captured.step not in been:
                return self._in_memory(one)
        if (target := self._newest_on_disk(besides=been)) is not None:
            return target
        if (target := self._newest_on_disk(furthest=True)) is not None:
            return target
        return self._in_memory(found[-1]) if found else None

    def _in_memory(self, one: Usable) -> Target:
        name = one.request.name if one.request is not None and one.request.name else str(one.captured.step)
        if one.request is None:
            self._snapshots.write_captured(one.captured)
        return self._at(name)

    def _best(self) -> Target | None:
        return self._newest_on_disk(Trigger.BEST)

    def _newest_on_disk(
        self, trigger: Trigger | None = None, *, besides: Collection[int] = (), furthest: bool = False
    ) -> Target | None:
        """Return the newest snapshot with finite weights (or the oldest, if ``furthest``), except steps ``besides``."""
        self._snapshots.flush()
        found = usable_snapshots(self._folder)
        for snapshot in found if furthest else reversed(found):
            taken = snapshot.manifest
            is_wanted = trigger is None or (taken.trigger is trigger and not snapshot.is_inherited)
            if is_wanted and taken.step not in besides:
                target = self._at(snapshot.name)
                if are_finite(target.contents.tensors):
                    return target
        return None
