"""A snapshot as a file: written from what was captured, and read whole or not at all."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import Any

import torch
import zstandard

from rlviz.domain.errors import SnapshotDamaged, brief
from rlviz.domain.snapshot import SnapshotManifest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import read_snapshot, write_snapshot
from rlviz.training.snapshot.capture import Captured
from rlviz.training.snapshot.model import Tensors, copied
from rlviz.training.snapshot.replay import ReplayPiece, pieces_of, write_pieces

_WEIGHTS, _STATE = "weights.pt.zst", "state.pkl.zst"
_LEVEL = 3


@dataclass(frozen=True)
class Contents:
    """What a snapshot holds. ``state`` as ``capture`` makes it; ``pieces`` are those of the replay buffer."""

    manifest: SnapshotManifest
    state: dict[str, Any]
    tensors: Tensors
    pieces: tuple[ReplayPiece, ...] = ()


def write_archive(folder: RunFolder, captured: Captured, manifest: SnapshotManifest) -> tuple[SnapshotManifest, int]:
    """Segments first, then the file that names them. Returns its manifest and its size in bytes.

    Raises OSError and RunFolderError.
    """
    manifest = manifest.model_copy(update={"segments": write_pieces(folder, captured.pieces)})
    weights = io.BytesIO()
    torch.save(captured.tensors, weights)
    compressor = zstandard.ZstdCompressor(_LEVEL)
    members = {_WEIGHTS: compressor.compress(weights.getbuffer()), _STATE: compressor.compress(captured.state)}
    path = write_snapshot(folder, manifest, members)
    return manifest, path.stat().st_size


def read_archive(folder: RunFolder, name: str) -> Contents:
    """Raises ArtifactNotFound, SnapshotDamaged and SnapshotRefused; unpickles nothing that is not our own."""
    manifest, members = read_snapshot(folder, name)
    decompressor = zstandard.ZstdDecompressor()
    try:
        tensors = torch.load(io.BytesIO(decompressor.decompress(members[_WEIGHTS])), weights_only=True)
        state = pickle.loads(decompressor.decompress(members[_STATE]))
    except Exception as error:  # it is what we wrote; a library that it needs has moved
        raise SnapshotDamaged(f"Snapshot {name} cannot be read here: {brief(error)}.") from error
    replay = state["replay"]
    return Contents(manifest, state, tensors, pieces_of(manifest.segments, replay.rows) if replay is not None else ())


def contents_in_memory(captured: Captured, manifest: SnapshotManifest) -> Contents:
    """The same of what is still in memory; nothing of it is shared with ``captured`` but the replay buffer's pieces."""
    return Contents(manifest, pickle.loads(captured.state), copied(captured.tensors), captured.pieces)
