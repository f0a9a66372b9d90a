"""Stores the replay buffer as immutable segments: a snapshot writes new rows, and names the segments of older ones."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.errors import SnapshotDamaged
from rlviz.domain.snapshots import Segment
from rlviz.rundir.files import open_file, write_atomically
from rlviz.rundir.folder import RunFolder

_ARRAYS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
_MAGIC = b"RLVIZ replay 1\n"
_LEVEL = 1
"""Compression level. Most of what is written is images, which shrink to a sixtieth at any level."""

Array = NDArray[Any]


@dataclass
class ReplayPiece:
    """Rows ``first`` up to, not including, ``end``, counted since training began.

    ``arrays`` have shape (rows, …) and are None once they are on disk in ``segment``.
    """

    first: int
    end: int
    arrays: dict[str, Array] | None
    segment: Segment | None = None

    @property
    def bytes(self) -> int:
        """Bytes in memory."""
        arrays = self.arrays  # the writing thread may drop them at any moment
        return sum(array.nbytes for array in arrays.values()) if arrays is not None else 0


@dataclass(frozen=True)
class ReplayState:
    """The state of the buffer: ``rows`` were added since training began, and the next one goes to ``pos``.

    ``edge`` is the observation already at ``pos``: with ``optimize_memory_usage`` the last row leads to it. None if it
    is not needed.
    """

    rows: int
    pos: int
    full: bool
    edge: Array | None


class ReplayTape:
    """Follows the replay buffer of a model, and copies new rows in the training thread.

    ``pieces`` together hold every row of the buffer.
    """

    def __init__(self, state: ReplayState | None = None, pieces: Sequence[ReplayPiece] = (), step: int = 0) -> None:
        """Start from the ``state`` and ``pieces`` of the snapshot that training continues from, at ``step``."""
        self._rows, self._step = (state.rows if state is not None else 0), step
        self.pieces: deque[ReplayPiece] = deque(pieces)

    def held_from(self, model: BaseAlgorithm) -> int:
        """Return the first row that the buffer of ``model`` certainly still has, anywhere within a rollout."""
        buffer: Any = getattr(model, "replay_buffer", None)
        if buffer is None:
            return 0
        size: int = buffer.buffer_size
        rows = self._rows + (model.num_timesteps - self._step) // int(buffer.n_envs)
        return max(0, rows - size + 1)  # the observation after the last row may have replaced the oldest

    def follow(self, model: BaseAlgorithm) -> ReplayState | None:
        """Copy new rows and return the buffer's state, or None for an algorithm without a replay buffer."""
        buffer: Any = getattr(model, "replay_buffer", None)
        if buffer is None:
            return None
        added = (model.num_timesteps - self._step) // buffer.n_envs
        first = self._rows + max(0, added - buffer.buffer_size)
        self._rows, self._step = self._rows + added, model.num_timesteps
        if first < self._rows:
            slots = (buffer.pos + np.arange(first - self._rows, 0)) % buffer.buffer_size
            self.pieces.append(ReplayPiece(first, self._rows, {name: array[slots] for name, array in _arrays(buffer)}))
        oldest = self._rows - (buffer.buffer_size if buffer.full else buffer.pos)
        while self.pieces and self.pieces[0].end <= oldest:
            self.pieces.popleft()
        return ReplayState(self._rows, buffer.pos, buffer.full, buffer.observations[buffer.pos].copy())


def write_pieces(folder: RunFolder, pieces: Sequence[ReplayPiece]) -> tuple[Segment, ...]:
    """Write the pieces that are not on disk, consecutive ones as one segment, and return all segments.

    Raises:
        OSError: A file cannot be written.
        RunFolderError: The run folder cannot be used.
    """
    waiting: list[ReplayPiece] = []
    for piece in [*pieces, None]:
        if piece is not None and piece.arrays is not None:
            waiting.append(piece)
        elif waiting:
            _write(folder, waiting)
            waiting = []
    return tuple(dict.fromkeys(piece.segment for piece in pieces if piece.segment is not None))


def select_pieces(segments: Sequence[Segment], rows: int) -> tuple[ReplayPiece, ...]:
    """Return the pieces of ``segments`` that hold the first ``rows`` rows of training.

    A segment may hold more: rows that were rolled back, and rows that a later segment replaces.
    """
    pieces, end = list[ReplayPiece](), rows
    for segment in reversed(segments):
        if segment.first < end:
            pieces.append(ReplayPiece(segment.first, min(segment.end, end), None, segment))
            end = segment.first
    return tuple(reversed(pieces))


Placed = tuple[Array, dict[str, Array]]
"""Positions in a buffer, and the rows for them."""


def restore_replay(model: Any, state: ReplayState, placed: Iterable[Placed]) -> None:
    """Fill the buffer of ``model``. Raises SnapshotDamaged if ``placed`` does."""
    buffer = model.replay_buffer
    for slots, rows in placed:
        for name, array in _arrays(buffer):
            array[slots] = rows[name]
    if state.edge is not None:
        buffer.observations[state.pos] = state.edge
    buffer.pos, buffer.full = state.pos, state.full


def mark_cut_off(
    model: Any, state: ReplayState, pieces: Sequence[ReplayPiece], environments: Iterable[int]
) -> tuple[ReplayPiece, ...]:
    """Mark the last row as cut off by a time limit in each of ``environments``, whose episode does not continue.

    Otherwise an n-step return would reach across. If the buffer treats time limits as ends, nothing is marked, because
    the library refuses n-step returns of it.

    Args:
        model: The model whose buffer was filled from ``pieces``.
        state: State of the buffer.
        pieces: The buffer's rows.
        environments: Indices of environments.

    Returns:
        The pieces with the marked row.
    """
    buffer = model.replay_buffer
    last = (state.pos - 1) % buffer.buffer_size
    left = [env for env in environments if not (buffer.dones[last, env] or buffer.timeouts[last, env])]
    if not left or state.rows == 0 or not buffer.handle_timeout_termination:
        return tuple(pieces)
    buffer.timeouts[last, left] = 1
    row = ReplayPiece(state.rows - 1, state.rows, {name: array[[last]] for name, array in _arrays(buffer)})
    return (*_before(pieces, row.first), row)


def _before(pieces: Iterable[ReplayPiece], end: int) -> Iterator[ReplayPiece]:
    """Return the rows of ``pieces`` before row ``end``."""
    for piece in pieces:
        if piece.end <= end:
            yield piece
        elif piece.first < end:
            arrays = piece.arrays  # the writing thread may drop them at any moment, once the segment is written
            kept = None if arrays is None else {name: rows[: end - piece.first] for name, rows in arrays.items()}
            yield ReplayPiece(piece.first, end, kept, piece.segment)


def find_replay_difference(
    model: Any, folder: RunFolder, state: ReplayState, pieces: Sequence[ReplayPiece]
) -> str | None:
    """Return where the buffer of ``model`` differs from the pieces it was filled from, or None."""
    buffer, end = model.replay_buffer, 0
    for slots, rows in placed_rows(model, folder, state, pieces):
        for name, array in _arrays(buffer):
            expected = rows[name].copy()
            if name == "observations" and state.edge is not None:
                expected[slots == state.pos] = state.edge
            if array[slots].tobytes() != expected.tobytes():
                return f"{name} of the rows at {slots[0]:,} to {slots[-1]:,} of the buffer"
        end += len(slots)
    held = buffer.buffer_size if buffer.full else buffer.pos
    return None if end == held else f"{held:,} rows in the buffer, {end:,} in the file"


def placed_rows(
    model: Any, folder: RunFolder, state: ReplayState, pieces: Sequence[ReplayPiece], held_from: int | None = None
) -> Iterator[Placed]:
    """Return the rows of ``pieces`` that belong into the buffer of ``model``, piece by piece.

    Rows from ``held_from`` on are left out, because the buffer still has them.

    Raises:
        SnapshotDamaged: A segment is missing or was changed.
    """
    size = model.replay_buffer.buffer_size
    oldest = state.rows - (size if state.full else state.pos)
    limit = state.rows if held_from is None else min(held_from, state.rows)
    expected = oldest
    for piece in pieces:
        if piece.first > expected:
            break
        expected = max(expected, piece.end)
        first, end = max(piece.first, oldest), min(piece.end, limit)
        if first < end:
            slots = (state.pos + np.arange(first - state.rows, end - state.rows)) % size
            yield slots, read_rows(piece, folder, first, end)
    if expected != state.rows:
        raise SnapshotDamaged(f"The replay buffer of this snapshot lacks rows from {expected:,} on.")


def read_rows(piece: ReplayPiece, folder: RunFolder, first: int, end: int) -> dict[str, Array]:
    """Return rows ``first`` up to, not including, ``end`` of the piece. Raises SnapshotDamaged."""
    return {name: rows[first - piece.first : end - piece.first] for name, rows in _arrays_of(piece, folder).items()}


def _arrays_of(piece: ReplayPiece, folder: RunFolder) -> dict[str, Array]:
    """Return all arrays of the piece. Raises SnapshotDamaged."""
    arrays = piece.arrays  # the writing thread may drop them at any moment, once the segment is written
    if arrays is not None:
        return arrays
    segment = piece.segment
    assert segment is not None
    own = slice(piece.first - segment.first, piece.end - segment.first)  # pieces may share a segment
    return {name: rows[own] for name, rows in read_segment(folder, segment).items()}


def read_segment(folder: RunFolder, segment: Segment) -> dict[str, Array]:
    """Read a segment and check its digest. Raises SnapshotDamaged."""
    try:
        with open_file(folder.segment_path(segment.file), folder.path) as file:
            content = file.read()
    except FileNotFoundError as error:
        raise SnapshotDamaged(f"Part of the replay buffer is missing: {segment.file}.") from error
    if hashlib.sha256(content).hexdigest() != segment.sha256:
        raise SnapshotDamaged(f"Part of the replay buffer is damaged: {segment.file} is not what was written.")
    header, _, body = content.removeprefix(_MAGIC).partition(b"\n")
    rows = zstandard.ZstdDecompressor().decompress(body)
    arrays, at = {}, 0
    for name, dtype, shape in json.loads(header):
        array = np.frombuffer(rows, dtype, int(np.prod(shape)), at).reshape(shape)
        arrays[name], at = array, at + array.nbytes
    return arrays


def _write(folder: RunFolder, pieces: Sequence[ReplayPiece]) -> None:
    columns = {name: [piece.arrays[name] for piece in pieces if piece.arrays] for name in pieces[0].arrays or ()}
    size = sum(piece.bytes for piece in pieces)
    compressor = zstandard.ZstdCompressor(_LEVEL).compressobj(size)
    body: list[bytes] = []
    header = []
    for name, parts in columns.items():
        header.append((name, parts[0].dtype.str, (sum(map(len, parts)), *parts[0].shape[1:])))
        body.extend(compressor.compress(np.ascontiguousarray(part).data.cast("B")) for part in parts)
    content = b"".join([_MAGIC, json.dumps(header).encode(), b"\n", *body, compressor.flush()])
    digest = hashlib.sha256(content).hexdigest()
    first, end = pieces[0].first, pieces[-1].end
    segment = Segment(file=f"{first}-{end}-{digest[:16]}.seg", first=first, end=end, bytes=len(content), sha256=digest)
    folder.replay.mkdir(exist_ok=True)
    write_atomically(folder.segment_path(segment.file), content, folder.path)
    for piece in pieces:
        piece.segment, piece.arrays = segment, None


def _arrays(buffer: Any) -> list[tuple[str, Array]]:
    """Return the buffer's arrays; next observations are missing if it stores each observation once."""
    return [(name, getattr(buffer, name)) for name in _ARRAYS if getattr(buffer, name, None) is not None]
