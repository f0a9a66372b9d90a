"""Bringing a model that was built from its configuration to the state of a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import SnapshotRefused, brief
from rlviz.rundir.folder import RunFolder
from rlviz.training.snapshot.archive import Contents, read_archive
from rlviz.training.snapshot.capture import Counter, Point
from rlviz.training.snapshot.compatibility import check_built, origin_of, reasons_not_exact, what_is_built
from rlviz.training.snapshot.environments import restore_environments, restore_normalization
from rlviz.training.snapshot.generators import restore_generators
from rlviz.training.snapshot.model import (
    ENVIRONMENTS,
    LAST_EPISODES,
    restore_attributes,
    restore_tensors,
    settle_attributes,
)
from rlviz.training.snapshot.refit import refit
from rlviz.training.snapshot.replay import Placed, ReplayPiece, ReplayTape, cut_off, placed_rows, restore_replay


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
    def replay_pieces(self) -> Sequence[ReplayPiece]:
        """What the replay buffer was filled from."""
        return self._contents.pieces

    @property
    def point(self) -> Point:
        return self.manifest.point

    def tape(self) -> ReplayTape:
        """That goes on from the segments of the snapshot."""
        return ReplayTape(self._contents.state["replay"], self._contents.pieces, self.manifest.step)

    def restore_counters(self, counters: Mapping[str, Counter]) -> None:
        """Those that the snapshot knows count on; others begin anew."""
        for name, state in self._contents.state["counters"].items():
            if name in counters and not (self.is_fork and name == "evaluation"):
                counters[name].restore(state)

    @property
    def taken_at(self) -> tuple[int, int]:
        """The step, and the attempt of the run that goes on; 0: before the first, of a fork's parent."""
        return self.manifest.step, 0 if self.is_fork else self.manifest.attempt

    @property
    def last_row(self) -> int:
        """The seq of the last row that came before, in the journal of the run that goes on: a fork has none."""
        return 0 if self.is_fork else self.manifest.last_row

    def settle(self, model: BaseAlgorithm, point: Point) -> None:
        """Once, if training is at ``point`` of the snapshot."""
        if self._is_settled or point != self.point:
            return
        self._is_settled = True
        settle_attributes(model, self._contents.state["model"], noise=not self._begins_anew)
        if not self._begins_anew:
            restore_generators(model, self._contents.state["generators"])


def restore(
    model: BaseAlgorithm, config: RunConfig, folder: RunFolder, name: str, *, of: RunFolder | None = None
) -> Continuation:
    """Bring ``model``, built from ``config``, to snapshot ``name`` in ``folder``: that of the run of ``config``, or of
    one that has inherited the snapshot from the run in ``of``.

    Raises ArtifactNotFound, and SnapshotRefused if training cannot go on from it; the model is then of no use any more.
    """
    contents = refit(read_archive(folder, name), config, folder, model)
    replay = contents.state["replay"]
    placed = placed_rows(model, folder, replay, contents.pieces) if replay is not None else ()
    return restore_contents(model, config, of or folder, contents, placed)


def restore_contents(
    model: BaseAlgorithm, config: RunConfig, folder: RunFolder, contents: Contents, placed: Iterable[Placed]
) -> Continuation:
    """The same from ``contents``, with ``placed`` being the rows to put into the replay buffer. ``model`` may have
    trained since it was built. Raises SnapshotRefused."""
    manifest, state = contents.manifest, contents.state
    parent = config.parent
    is_fork = parent is not None and manifest.run_id == parent.run_id
    check_subject(contents, config, folder, model)
    try:
        restore_tensors(model, contents.tensors)
    except (ValueError, KeyError, RuntimeError) as error:
        raise SnapshotRefused(f"Snapshot {manifest.name} has other networks: {brief(error)}.") from error
    if state["replay"] is not None:
        restore_replay(model, state["replay"], placed)
    if is_fork and parent is not None and parent.environments_anew:
        besides = ENVIRONMENTS if parent.last_episodes != [] else (*ENVIRONMENTS, *LAST_EPISODES)
        restore_attributes(model, state["model"], besides=besides)
        restore_normalization(model, state["environments"])
        contents = _cut_off(contents, model, range(model.n_envs))
        return Continuation(contents, [], is_fork=True, begins_anew=True)
    restore_attributes(model, state["model"])
    begun_anew = restore_environments(model, state["environments"])
    contents = _cut_off(contents, model, begun_anew)
    reasons = [*begun_anew.values(), *reasons_not_exact(manifest, origin_of(config))]
    return Continuation(contents, reasons, is_fork=is_fork)


def _cut_off(contents: Contents, model: BaseAlgorithm, begun_anew: Iterable[int]) -> Contents:
    """``contents`` of which the replay buffer of ``model`` was filled; the environments of ``begun_anew`` left their
    episodes there."""
    replay = contents.state["replay"]
    return contents if replay is None else replace(contents, pieces=cut_off(model, replay, contents.pieces, begun_anew))


def check_subject(contents: Contents, config: RunConfig, folder: RunFolder, model: BaseAlgorithm) -> None:
    """Raises SnapshotRefused for a snapshot of another run, or of one that was built otherwise; of a fork's parent,
    hyperparameters may differ."""
    manifest, built = contents.manifest, what_is_built(config, model)
    if config.parent is None or manifest.run_id != config.parent.run_id:
        if manifest.run_id != folder.run_id:
            raise SnapshotRefused(
                f"Snapshot {manifest.name} is of another run, {manifest.run_id[:80]}. Continue that one."
            )
        check_built(manifest, built)
    elif (manifest.built.algo, manifest.built.env_id) != (built.algo, built.env_id):
        raise SnapshotRefused(
            f"Snapshot {manifest.name} is of {manifest.built.algo} on {manifest.built.env_id}, and this run has "
            f"{built.algo} on {built.env_id}."
        )
