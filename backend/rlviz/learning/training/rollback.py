"""Going back within a worker: to a snapshot in memory, or on disk, while the run trains.

The model, its environments and its replay buffer stay, and are brought to the snapshot as those of a new worker would
be. For whoever reads the journal it is a new attempt.
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
    """All that is needed to go back: nothing of it can fail any more for want of a file. ``by``: the rule that has
    asked, if none of the people did."""

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
        """Whether it is of that run; otherwise of the one that it was forked from."""
        return self.contents.manifest.run_id == run_id


class GoBack(LeavesTraining):
    """Leaves the library's ``learn``, at any step of the environment."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.name)
        self.target = target
        self.carried: Sequence[Carried] = ()
        """Changes of knobs that a rule makes with it, where training is built anew on the way."""


class Rollbacks:
    """What people and rules ask for. ``request`` is for any thread, everything else for the training thread."""

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        snapshots: Snapshots,
        prepare: Callable[[Contents], Target],
        *,
        been: Mapping[str, Collection[int]] | None = None,
    ) -> None:
        """``prepare`` checks that training can go back to a snapshot, and reads what the replay buffer has lost since:
        raises SnapshotRefused. ``been``: by what a rule says, the steps that it went back to in earlier attempts."""
        self._folder, self._journals, self._snapshots, self._prepare = folder, journals, snapshots, prepare
        self._wanted: str | None = None
        self._target: Target | None = None
        self._been = {rule: set(steps) for rule, steps in (been or {}).items()}
        self._exchange = Lock()

    def request(self, name: str) -> None:
        """Ask to go back to that snapshot."""
        self._wanted = name

    @property
    def is_wanted(self) -> bool:
        return self._wanted is not None or self._target is not None

    def go(self, step: int) -> None:
        """Raises GoBack, unless the snapshot turns out to be of no use: then the user is warned, and training goes
        on."""
        with self._exchange:
            (name, self._wanted), (target, self._target) = (self._wanted, None), (self._target, None)
        if name is not None:
            try:
                target = self._at(name)
            except (OSError, RlvizError) as error:
                self._journals.warn(step, f"The run could not go back to snapshot {name}: {error}")
        if target is not None:
            raise GoBack(target)

    def choose(self, action: RollBack, firing: Firing) -> str | None:
        """Have training go back for a rule. Returns why it cannot, in a sentence."""
        rule, been = firing.rule.words, self._been.setdefault(firing.rule.words, set())
        try:
            found = self._best() if action.to == "best" else self._newest(been)
        except (OSError, RlvizError) as error:
            return f"It does not {action.words}: {error}"
        if found is None:
            return f"It does not {action.words}: there is no snapshot to go back to."
        self._been[rule].add(found.step)
        self._target = replace(found, by=firing)
        return None

    def _at(self, name: str) -> Target:
        contents = self._snapshots.in_memory(name)
        if contents is None:
            self._snapshots.flush()
            contents = read_archive(self._folder, name)
        return self._prepare(contents)

    def _newest(self, been: set[int]) -> Target | None:
        """Where a rule has been before, training went wrong again: one further back, in memory or on disk; the furthest
        back where there is no other."""
        found = self._snapshots.usable()
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
        """The newest with weights that are numbers, not of a step ``besides``; ``furthest``: the oldest instead."""
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
