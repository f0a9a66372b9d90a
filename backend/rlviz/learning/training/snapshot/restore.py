"""Bringing a model that was built from its configuration to the state of a snapshot.

Making the snapshot of a parent fit a fork that has changed what parts of it were made for: the replay buffer,
an optimizer, the noise of actions.
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
from rlviz.learning.training.snapshot.compatibility import check_built, origin_of, reasons_not_exact, what_is_built
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
    cut_off,
    placed_rows,
    restore_replay,
    rows_of,
    write_pieces,
)
from rlviz.rundir.folder import RunFolder


def refit(contents: Contents, config: RunConfig, folder: RunFolder, model: Any) -> Contents:
    """``contents`` as ``model`` takes them in; what is not of the parent of a fork fits already.

    The same contents always come out the same. Raises SnapshotDamaged.
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
    """Without the moments of an optimizer that ``model`` has another of, or none. SAC's entropy coefficient has one
    where it is tuned; it begins with what it was, unless that was zero: no logarithm of it could be learned."""
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
    """Noise of another kind or strength begins anew."""
    if not {"action_noise", "action_noise_std"} & set(changed):
        return contents
    model = {**contents.state["model"], "action_noise": None}
    return replace(contents, state={**contents.state, "model": model})


def _resized(state: ReplayState, pieces: Sequence[ReplayPiece], model: Any) -> ReplayState:
    """The same rows in the buffer of ``model``, which is of another size: as many of the newest as it has places for,
    from its first place on. Larger than the old one, it takes in older rows too, as far as ``pieces`` go back."""
    oldest = min((piece.first for piece in pieces), default=state.rows)
    buffer = model.replay_buffer
    held = min(buffer.buffer_size, state.rows - oldest)
    edge = state.edge if buffer.optimize_memory_usage else None
    return replace(state, pos=held % buffer.buffer_size, full=held == buffer.buffer_size, edge=edge)


def _regrouped(
    state: ReplayState, pieces: Sequence[ReplayPiece], folder: RunFolder, n_envs: int
) -> tuple[ReplayState, list[ReplayPiece]]:
    """The same transitions, oldest first, in rows of ``n_envs``. What follows a transition is no longer the row after
    it: each is marked as cut off, so that n-step returns over them are of one step. Of the oldest, fewer than
    ``n_envs`` are left out, so that all rows are full."""
    transitions = sum(end - first for _, first, end in _parts(state, pieces)) * _beside(state, pieces, folder)
    left_out, carried, regrouped = transitions % n_envs, dict[str, Array](), list[ReplayPiece]()
    end = 0
    for piece, begin, until in _parts(state, pieces):
        flat = {name: rows.reshape(-1, *rows.shape[2:]) for name, rows in rows_of(piece, folder, begin, until).items()}
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
            with suppress(OSError, RunFolderError):  # what stays in memory is written with the next snapshot
                write_pieces(folder, regrouped[-1:])
        end += rows
    return replace(state, rows=end, edge=None), regrouped


def _beside(state: ReplayState, pieces: Sequence[ReplayPiece], folder: RunFolder) -> int:
    """How many transitions make a row; 0: there is none."""
    for piece, first, _ in _parts(state, pieces):
        return int(rows_of(piece, folder, first, first + 1)["rewards"].shape[1])
    return 0


def _parts(state: ReplayState, pieces: Sequence[ReplayPiece]) -> Iterator[tuple[ReplayPiece, int, int]]:
    """Pieces with the rows that each adds to those before. Pieces may overlap, and go beyond the snapshot."""
    expected = min((piece.first for piece in pieces), default=0)
    for piece in pieces:
        first, end = max(piece.first, expected), min(piece.end, state.rows)
        if first == expected < end:
            yield piece, first, end
            expected = end
    if pieces and expected != state.rows:
        raise SnapshotDamaged(f"The replay buffer of this snapshot lacks rows from {expected:,} on.")


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
