"""Bringing a model that was built from its configuration to the state of a snapshot."""

from __future__ import annotations

from collections.abc import Mapping

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import SnapshotRefused, brief
from rlviz.rundir.folder import RunFolder
from rlviz.training.snapshot.archive import Contents, read_archive
from rlviz.training.snapshot.capture import Counter, Point
from rlviz.training.snapshot.compatibility import check_built, origin_of, reasons_not_exact, what_is_built
from rlviz.training.snapshot.environments import restore_environments, restore_normalization
from rlviz.training.snapshot.generators import restore_generators
from rlviz.training.snapshot.model import ENVIRONMENTS, restore_attributes, restore_tensors, settle_attributes
from rlviz.training.snapshot.replay import ReplayTape, restore_replay


class Continuation:
    """A snapshot that a model was brought to. What the library's ``learn`` changes while it begins is put back by
    ``settle``, at the point where the snapshot was taken: the start of a rollout, or of training."""

    def __init__(
        self, contents: Contents, not_exact_because: list[str], *, is_fork: bool = False, begins_anew: bool = False
    ) -> None:
        """``is_fork``: the snapshot is of another run; ``begins_anew``: generators stay as they were built."""
        self._contents, self.is_fork, self._begins_anew = contents, is_fork, begins_anew
        self.manifest = contents.manifest
        self.not_exact_because = not_exact_because
        """Why training may not go on bit for bit, one sentence each; empty if it does."""
        self._is_settled = False

    @property
    def point(self) -> Point:
        return self.manifest.point

    def tape(self) -> ReplayTape:
        """That goes on from the segments of the snapshot."""
        return ReplayTape(self._contents.state["replay"], self.manifest.segments, self.manifest.step)

    def restore_counters(self, counters: Mapping[str, Counter]) -> None:
        """Those that the snapshot knows count on; others begin anew."""
        for name, state in self._contents.state["counters"].items():
            if name in counters and not (self.is_fork and name == "evaluation"):
                counters[name].restore(state)

    @property
    def last_row(self) -> int:
        """The seq of the last row that came before, in the journal of the run that goes on: a fork has none."""
        return 0 if self.is_fork else self.manifest.last_row

    def settle(self, model: BaseAlgorithm, point: Point) -> None:
        """Once, if training is at ``point`` of the snapshot."""
        if self._is_settled or point != self.point:
            return
        self._is_settled = True
        settle_attributes(model, self._contents.state["model"])
        if not self._begins_anew:
            restore_generators(model, self._contents.state["generators"])


def restore(model: BaseAlgorithm, config: RunConfig, folder: RunFolder, name: str) -> Continuation:
    """Bring ``model``, built from ``config``, to snapshot ``name`` of the run in ``folder``.

    Raises ArtifactNotFound, and SnapshotRefused if training cannot go on from it; the model is then of no use any more.
    """
    contents = read_archive(folder, name)
    manifest, state = contents.manifest, contents.state
    parent = config.parent
    if parent is not None and manifest.run_id == parent.run_id:
        return _restore_fork(model, config, folder, contents, anew=parent.environments_anew)
    if manifest.run_id != folder.run_id:
        raise SnapshotRefused(f"Snapshot {name} is of another run, {manifest.run_id[:80]}. Continue that one.")
    check_built(manifest, what_is_built(config, model))
    try:
        restore_tensors(model, contents.tensors)
    except (ValueError, KeyError, RuntimeError) as error:
        raise SnapshotRefused(f"Snapshot {name} has other networks: {brief(error)}.") from error
    if state["replay"] is not None:
        restore_replay(model, folder, state["replay"], manifest.segments)
    restore_attributes(model, state["model"])
    begun_anew = restore_environments(model, state["environments"])
    return Continuation(contents, [*begun_anew, *reasons_not_exact(manifest, origin_of(config))])


def _restore_fork(
    model: BaseAlgorithm, config: RunConfig, folder: RunFolder, contents: Contents, *, anew: bool
) -> Continuation:
    """The same for a run that was forked from the one of the snapshot: its hyperparameters may be others.

    ``anew``: its environments begin an episode, and nothing is drawn as it would have been.
    """
    manifest, state = contents.manifest, contents.state
    built = what_is_built(config, model)
    if (manifest.built.algo, manifest.built.env_id) != (built.algo, built.env_id):
        raise SnapshotRefused(
            f"Snapshot {manifest.name} is of {manifest.built.algo} on {manifest.built.env_id}, and this run has "
            f"{built.algo} on {built.env_id}."
        )
    try:
        restore_tensors(model, contents.tensors)
    except (ValueError, KeyError, RuntimeError) as error:
        raise SnapshotRefused(f"Snapshot {manifest.name} has other networks: {brief(error)}.") from error
    if state["replay"] is not None:
        restore_replay(model, folder, state["replay"], manifest.segments)
    if anew:
        restore_attributes(model, state["model"], besides=ENVIRONMENTS)
        restore_normalization(model, state["environments"])
        return Continuation(contents, [], is_fork=True, begins_anew=True)
    restore_attributes(model, state["model"])
    begun_anew = restore_environments(model, state["environments"])
    return Continuation(contents, [*begun_anew, *reasons_not_exact(manifest, origin_of(config))], is_fork=True)
