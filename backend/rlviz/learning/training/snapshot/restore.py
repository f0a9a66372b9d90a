"""Restores a newly built model to a snapshot.

A fork may have changed what its parent's snapshot was made for: the replay buffer, an optimizer, the action noise.
``refit`` adapts the snapshot to the fork first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError, SnapshotDamaged, SnapshotRefused, summarize_error
from rlviz.learning.training.snapshot.capture import (
    Contents,
    Counter,
    Point,
    read_archive,
    restore_environments,
    restore_generators,
    restore_normalization,
)
from rlviz.learning.training.snapshot.compatibility import (
    check_built,
    describe_build,
    describe_origin,
    reasons_not_exact,
)
from rlviz.learning.training.snapshot.model import (
    ENVIRONMENTS,
    LAST_EPISODES,
    restore_attributes,
    restore_tensors,
    settle_attributes,
)
from rlviz.learning.training.snapshot.replay import (
    Array,
    Placed,
    ReplayPiece,
    ReplayState,
    ReplayTape,
    mark_cut_off,
    placed_rows,
    read_rows,
    restore_replay,
    write_pieces,
)
from rlviz.rundir.folder import RunFolder


def refit(contents: Contents, config: RunConfig, folder: RunFolder, model: Any) -> Contents:
    """Adapt a snapshot of a fork's parent to ``model``. Other snapshots are returned unchanged.

    The result is deterministic.

    Raises:
        SnapshotDamaged: Rows of the replay buffer cannot be read.
    """
    parent = config.parent
    if parent is None or contents.manifest.run_id != parent.run_id:
        return contents
    changed = set(parent.changed)
    contents = _refit_noise(_refit_optimizers(contents, changed, model), changed)
    state, pieces = contents.state["replay"], list(contents.pieces)
    if state is None:
        return contents
    if "n_envs" in changed:
        state, pieces = _regrouped(state, pieces, folder, int(model.replay_buffer.n_envs))
    if {"n_envs", "buffer_size"} & changed:
        state = _resized(state, pieces, model)
    return replace(contents, state={**contents.state, "replay": state}, pieces=tuple(pieces))


def _refit_optimizers(contents: Contents, changed: Collection[str], model: Any) -> Contents:
    """Remove the moments of optimizers that ``model`` has replaced or does not have.

    SAC's entropy coefficient has an optimizer if it is tuned. A newly tuned coefficient starts at its fixed value,
    unless that was zero, whose logarithm cannot be learned.
    """
    states, variables = dict(contents.tensors["states"]), dict(contents.tensors["variables"])
    if "use_rms_prop" in changed:
        states.pop("policy.optimizer", None)
    if "ent_coef" in changed and hasattr(model, "ent_coef_optimizer"):
        is_tuned, was_tuned = model.ent_coef_optimizer is not None, "log_ent_coef" in variables
        if was_tuned and not is_tuned:
            del states["ent_coef_optimizer"], variables["log_ent_coef"]
        elif is_tuned and not was_tuned:
            fixed = variables.pop("ent_coef_tensor")
            if fixed > 0:
                variables["log_ent_coef"] = fixed.log().reshape(1)
    return replace(contents, tensors={"states": states, "variables": variables})


def _refit_noise(contents: Contents, changed: Collection[str]) -> Contents:
    """Remove the state of the action noise if the fork changed its kind or strength."""
    if not {"action_noise", "action_noise_std"} & set(changed):
        return contents
    model = {**contents.state["model"], "action_noise": None}
    return replace(contents, state={**contents.state, "model": model})


def _resized(state: ReplayState, pieces: Sequence[ReplayPiece], model: Any) -> ReplayState:
    """Fit the rows into a buffer of another size, starting at its first position.

    A smaller buffer gets the newest rows. A larger one also gets older rows, as far as ``pieces`` have them.
    """
    oldest = min((piece.first for piece in pieces), default=state.rows)
    buffer = model.replay_buffer
    held = min(buffer.buffer_size, state.rows - oldest)
    edge = state.edge if buffer.optimize_memory_usage else None
    return replace(state, pos=held % buffer.buffer_size, full=held == buffer.buffer_size, edge=edge)


def _regrouped(
    state: ReplayState, pieces: Sequence[ReplayPiece], folder: RunFolder, n_envs: int
) -> tuple[ReplayState, list[ReplayPiece]]:
    """Regroup the transitions, oldest first, into rows of ``n_envs``.

    The next row no longer continues a transition, so each is marked as cut off and n-step returns over it have one
    step. A remainder of the oldest transitions is left out, so that all rows are full.
    """
    transitions = sum(end - first for _, first, end in _parts(state, pieces)) * _beside(state, pieces, folder)
    left_out, carried, regrouped = transitions % n_envs, dict[str, Array](), list[ReplayPiece]()
    end = 0
    for piece, begin, until in _parts(state, pieces):
        flat = {
            name: rows.reshape(-1, *rows.shape[2:]) for name, rows in read_rows(piece, folder, begin, until).items()
        }
        flat["timeouts"] = np.where(flat["dones"], flat["timeouts"], 1).astype(flat["timeouts"].dtype)
        if carried:
            flat = {name: np.concatenate([carried[name], one]) for name, one in flat.items()}
        skipped = min(left_out, len(flat["rewards"]))
        left_out -= skipped
        rows = (len(flat["rewards"]) - skipped) // n_envs
        cut = skipped + rows * n_envs
        carried = {name: one[cut:] for name, one in flat.items()}
        if rows:
            arrays = {name: one[skipped:cut].reshape(rows, n_envs, *one.shape[1:]) for name, one in flat.items()}
            regrouped.append(ReplayPiece(end, end + rows, arrays))
            with suppress(OSError, RunFolderError):  # rows that stay in memory are written with the next snapshot
                write_pieces(folder, regrouped[-1:])
        end += rows
    return replace(state, rows=end, edge=None), regrouped


def _beside(state: ReplayState, pieces: Sequence[ReplayPiece], folder: RunFolder) -> int:
    """Return the number of transitions in a row; 0 if there are no rows."""
    for piece, first, _ in _parts(state, pieces):
        return int(read_rows(piece, folder, first, first + 1)["rewards"].shape[1])
    return 0


def _parts(state: ReplayState, pieces: Sequence[ReplayPiece]) -> Iterator[tuple[ReplayPiece, int, int]]:
    """Return pieces with the rows that each adds to earlier ones. Pieces may overlap or go beyond the snapshot."""
    expected = min((piece.first for piece in pieces), default=0)
    for piece in pieces:
        first, end = max(piece.first, expected), min(piece.end, state.rows)
        if first == expected < end:
            yield piece, first, end
            expected = end
    if pieces and expected != state.rows:
        raise SnapshotDamaged(f"The replay buffer of this snapshot lacks rows from {expected:,} on.")


class Continuation:
    """A snapshot that a model was restored to.

    ``settle`` undoes what the library's ``learn`` changes while it begins, at the point where the snapshot was taken:
    the start of a rollout, or the end of training.
    """

    def __init__(
        self, contents: Contents, not_exact_because: list[str], *, is_fork: bool = False, begins_anew: bool = False
    ) -> None:
        """Keep what ``settle`` needs.

        Args:
            contents: The snapshot.
            not_exact_because: Why training may not continue exactly, one sentence each.
            is_fork: Whether the snapshot belongs to the run's parent.
            begins_anew: Whether environments and generators stay as they were built.
        """
        self._contents, self.is_fork, self._begins_anew = contents, is_fork, begins_anew
        self.manifest = contents.manifest
        self.not_exact_because = not_exact_because
        """Why training may not continue exactly, one sentence each; empty if it does."""
        self._is_settled = False

    @property
    def replay_pieces(self) -> Sequence[ReplayPiece]:
        """The pieces that the replay buffer was filled from."""
        return self._contents.pieces

    @property
    def point(self) -> Point:
        return self.manifest.point

    def make_tape(self) -> ReplayTape:
        """Return a tape that continues from the snapshot's segments."""
        return ReplayTape(self._contents.state["replay"], self._contents.pieces, self.manifest.step)

    def restore_counters(self, counters: Mapping[str, Counter]) -> None:
        """Restore counters that the snapshot has. Others start fresh, as does a fork's evaluation."""
        for name, state in self._contents.state["counters"].items():
            if name in counters and not (self.is_fork and name == "evaluation"):
                counters[name].restore(state)

    @property
    def taken_at(self) -> tuple[int, int]:
        """Step and attempt of the snapshot; attempt 0 if it belongs to a fork's parent."""
        return self.manifest.step, 0 if self.is_fork else self.manifest.attempt

    @property
    def last_row(self) -> int:
        """``seq`` of this run's last journal row before the snapshot; 0 for a fork."""
        return 0 if self.is_fork else self.manifest.last_row

    def settle(self, model: BaseAlgorithm, point: Point) -> None:
        """Undo the library's changes, once, when training is at ``point``."""
        if self._is_settled or point != self.point:
            return
        self._is_settled = True
        settle_attributes(model, self._contents.state["model"], noise=not self._begins_anew)
        if not self._begins_anew:
            restore_generators(model, self._contents.state["generators"])


def restore(
    model: BaseAlgorithm, config: RunConfig, folder: RunFolder, name: str, *, of: RunFolder | None = None
) -> Continuation:
    """Restore ``model`` to a snapshot. Do not use the model after an error.

    Args:
        model: Built from ``config``.
        config: The run's configuration.
        folder: The folder that has the snapshot.
        name: Name of the snapshot.
        of: The folder of the run that ``config`` belongs to, if not ``folder``.

    Raises:
        ArtifactNotFound: There is no snapshot of that name.
        SnapshotRefused: Training cannot continue from it.
    """
    contents = refit(read_archive(folder, name), config, folder, model)
    replay = contents.state["replay"]
    placed = placed_rows(model, folder, replay, contents.pieces) if replay is not None else ()
    return restore_contents(model, config, of or folder, contents, placed)


def restore_contents(
    model: BaseAlgorithm, config: RunConfig, folder: RunFolder, contents: Contents, placed: Iterable[Placed]
) -> Continuation:
    """Restore ``model``, which may have trained, to ``contents``, with ``placed`` rows for its replay buffer.

    Raises:
        SnapshotRefused: Training cannot continue from it.
    """
    manifest, state = contents.manifest, contents.state
    parent = config.parent
    is_fork = parent is not None and manifest.run_id == parent.run_id
    check_subject(contents, config, folder, model)
    try:
        restore_tensors(model, contents.tensors)
    except (ValueError, KeyError, RuntimeError) as error:
        raise SnapshotRefused(f"Snapshot {manifest.name} has other networks: {summarize_error(error)}.") from error
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
    reasons = [*begun_anew.values(), *reasons_not_exact(manifest, describe_origin(config))]
    return Continuation(contents, reasons, is_fork=is_fork)


def _cut_off(contents: Contents, model: BaseAlgorithm, begun_anew: Iterable[int]) -> Contents:
    """Mark the replay buffer's last row as cut off in the environments of ``begun_anew``, which left their episodes."""
    replay = contents.state["replay"]
    return (
        contents
        if replay is None
        else replace(contents, pieces=mark_cut_off(model, replay, contents.pieces, begun_anew))
    )


def check_subject(contents: Contents, config: RunConfig, folder: RunFolder, model: BaseAlgorithm) -> None:
    """Raise SnapshotRefused for a snapshot of another run, or of a run that was built differently.

    The hyperparameters of a fork's parent may differ.
    """
    manifest, built = contents.manifest, describe_build(config, model)
    if config.parent is None or manifest.run_id != config.parent.run_id:
        if manifest.run_id != folder.run_id:
            raise SnapshotRefused(
                f"Snapshot {manifest.name} belongs to another run, {manifest.run_id[:80]}. Resume that one."
            )
        check_built(manifest, built)
    elif (manifest.built.algo, manifest.built.env_id) != (built.algo, built.env_id):
        raise SnapshotRefused(
            f"Snapshot {manifest.name} is of {manifest.built.algo} on {manifest.built.env_id}. This run has "
            f"{built.algo} on {built.env_id}."
        )
