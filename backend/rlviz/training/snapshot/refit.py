"""Making the replay buffer of a parent fit a fork that has another size of it, or another number of environments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError, SnapshotDamaged
from rlviz.rundir.folder import RunFolder
from rlviz.training.snapshot.archive import Contents
from rlviz.training.snapshot.replay import Array, Piece, ReplayState, rows_of, write_pieces


def refit_replay(contents: Contents, config: RunConfig, folder: RunFolder, model: Any) -> Contents:
    """``contents`` as the buffer of ``model`` takes them in; what is not of the parent of a fork fits already.

    The same contents always come out the same. Raises SnapshotDamaged.
    """
    parent, state, pieces = config.parent, contents.state["replay"], list(contents.pieces)
    if parent is None or contents.manifest.run_id != parent.run_id or state is None:
        return contents
    if "n_envs" in parent.changed:
        state, pieces = _regrouped(state, pieces, folder, int(model.replay_buffer.n_envs))
    if {"n_envs", "buffer_size"} & set(parent.changed):
        state = _resized(state, pieces, model)
    return replace(contents, state={**contents.state, "replay": state}, pieces=tuple(pieces))


def _resized(state: ReplayState, pieces: Sequence[Piece], model: Any) -> ReplayState:
    """The same rows in the buffer of ``model``, which is of another size: as many of the newest as it has places for,
    from its first place on. Larger than the old one, it takes in older rows too, as far as ``pieces`` go back."""
    oldest = min((piece.first for piece in pieces), default=state.rows)
    buffer = model.replay_buffer
    held = min(buffer.buffer_size, state.rows - oldest)
    edge = state.edge if buffer.optimize_memory_usage else None
    return replace(state, pos=held % buffer.buffer_size, full=held == buffer.buffer_size, edge=edge)


def _regrouped(
    state: ReplayState, pieces: Sequence[Piece], folder: RunFolder, n_envs: int
) -> tuple[ReplayState, list[Piece]]:
    """The same transitions, oldest first, in rows of ``n_envs``: the library draws each transition by itself, whatever
    lies beside it. Of the oldest, fewer than ``n_envs`` are left out, so that all rows are full."""
    transitions = sum(end - first for _, first, end in _parts(state, pieces)) * _beside(state, pieces, folder)
    left_out, carried, regrouped = transitions % n_envs, dict[str, Array](), list[Piece]()
    end = 0
    for piece, begin, until in _parts(state, pieces):
        flat = {name: rows.reshape(-1, *rows.shape[2:]) for name, rows in rows_of(piece, folder, begin, until).items()}
        if carried:
            flat = {name: np.concatenate([carried[name], one]) for name, one in flat.items()}
        skipped = min(left_out, len(flat["rewards"]))
        left_out -= skipped
        rows = (len(flat["rewards"]) - skipped) // n_envs
        cut = skipped + rows * n_envs
        carried = {name: one[cut:] for name, one in flat.items()}
        if rows:
            arrays = {name: one[skipped:cut].reshape(rows, n_envs, *one.shape[1:]) for name, one in flat.items()}
            regrouped.append(Piece(end, end + rows, arrays))
            with suppress(OSError, RunFolderError):  # what stays in memory is written with the next snapshot
                write_pieces(folder, regrouped[-1:])
        end += rows
    return replace(state, rows=end, edge=None), regrouped


def _beside(state: ReplayState, pieces: Sequence[Piece], folder: RunFolder) -> int:
    """How many transitions make a row; 0: there is none."""
    for piece, first, _ in _parts(state, pieces):
        return int(rows_of(piece, folder, first, first + 1)["rewards"].shape[1])
    return 0


def _parts(state: ReplayState, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, int, int]]:
    """Pieces with the rows that each adds to those before. Pieces may overlap, and go beyond the snapshot."""
    expected = min((piece.first for piece in pieces), default=0)
    for piece in pieces:
        first, end = max(piece.first, expected), min(piece.end, state.rows)
        if first == expected < end:
            yield piece, first, end
            expected = end
    if pieces and expected != state.rows:
        raise SnapshotDamaged(f"The replay buffer of this snapshot lacks rows from {expected:,} on.")
