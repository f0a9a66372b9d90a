"""Making the snapshot of a parent fit a fork that has changed what parts of it were made for: the replay buffer, an
optimizer, the noise of actions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError, SnapshotDamaged
from rlviz.rundir.folder import RunFolder
from rlviz.training.snapshot.archive import Contents
from rlviz.training.snapshot.replay import Array, ReplayPiece, ReplayState, rows_of, write_pieces


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
