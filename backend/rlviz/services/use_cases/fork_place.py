"""ForkPlace: the step at which a fork begins, and the snapshot from which its parent is brought there."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.algorithms import ALGORITHMS
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import NothingToResume
from rlviz.domain.run_actor import RunActor
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.inherit import BEGINNING
from rlviz.rundir.lineage import whole_of_run
from rlviz.rundir.snapshots import Snapshot, find_snapshot


@dataclass(frozen=True)
class ForkPlace:
    """Where a fork begins: at ``step``, to which its worker trains the parent again from ``snapshot``, if that is of an
    earlier step; None: from the parent's beginning, which is the snapshot ``inherited`` where that is a fork itself. It
    is the first start of a rollout at or beyond the step asked for that the parent has come to, or the last."""

    snapshot: Snapshot | None
    step: int
    inherited: Snapshot | None = None

    @property
    def begins_from(self) -> str:
        """The snapshot's name."""
        return BEGINNING if self.snapshot is None else self.snapshot.name

    @property
    def needs_parent(self) -> bool:
        """Whether its worker has to build the parent first: no snapshot of the parent's own is of that step."""
        return self.snapshot is None or self.snapshot.manifest.step < self.step

    @property
    def trained_again_from(self) -> int | None:
        """The step from which the parent has to be trained again; None: it has not."""
        begin = self.snapshot or self.inherited
        step = 0 if begin is None else begin.manifest.step
        return step if step < self.step or begin is None else None


def place_of(folder: RunFolder, name: str) -> ForkPlace:
    """At snapshot ``name``. Raises ArtifactNotFound, SnapshotRefused, NothingToResume and RunFolderError."""
    found = find_snapshot(folder, name)
    if found.is_beginning:
        return ForkPlace(None, found.manifest.step, inherited=found)
    if not found.is_whole:
        raise NothingToResume(f"Snapshot {name!r} cannot be used. {found.problem}")
    return ForkPlace(found, found.manifest.step)


def place_at(folder: RunFolder, config: RunConfig, wanted: int, reached: int) -> ForkPlace:
    """At step ``wanted`` of a run that has come to step ``reached``. Raises NothingToResume and RunFolderError."""
    found = whole_of_run(folder)
    own, inherited = [one for one in found if not one.is_inherited], [one for one in found if one.is_inherited]
    before = [one for one in own if one.manifest.step <= wanted]
    beginning = inherited[-1] if inherited else None
    if not before and (problem := _no_beginning(config, beginning, wanted, reached)) is not None:
        steps = ", ".join(f"{one.manifest.step:,}" for one in found)
        instead = f" Fork at the step of one that is there: {steps}." if steps else ""
        raise NothingToResume(f"There is no snapshot of step {wanted:,} or before. {problem}{instead}")
    begin = next(reversed(before), beginning)
    from_step = 0 if begin is None else begin.manifest.step
    step = _boundary(from_step, min(wanted, reached), max(from_step, reached), config)
    exactly = [one for one in own if one.manifest.step == step]
    return ForkPlace(next(reversed(exactly or before), None), step, inherited=beginning)


def _no_beginning(config: RunConfig, beginning: Snapshot | None, wanted: int, reached: int) -> str | None:
    """Why a run cannot be trained again from its beginning to step ``wanted``, in a sentence."""
    if config.actor is not RunActor.POLICY:
        return "Nothing learns in this run."
    if config.parent is None:
        return "The run has not begun to train." if reached == 0 else None
    if beginning is None:
        return "The run is a fork itself, and its beginning is gone, or has not been reached yet."
    if wanted < config.parent.step:
        return f"The run is a fork itself, and begins at step {config.parent.step:,}."
    return None


def _boundary(begin: int, wanted: int, reached: int, config: RunConfig) -> int:
    """The first start of a rollout at or beyond step ``wanted``, counted from the one at ``begin``; of those beyond
    ``reached`` none."""
    every = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps).boundary_steps
    rollouts = -(-(wanted - begin) // every)
    return begin + max(0, min(rollouts, (reached - begin) // every)) * every
