"""Snapshots that are written without training."""

from __future__ import annotations

from typing import Any

from rlviz.domain.snapshots import Built, Origin, SnapshotManifest, Trigger
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import snapshots_of, write_snapshot

BUILT = Built(algo="ppo", env_id="CartPole-v1", config_digest="d", environments=(("a.B",),))
ORIGIN = Origin(versions={}, capability="c", threads=1)


def written(folder: RunFolder, step: int, *, size: int = 10, **said: Any) -> SnapshotManifest:
    """Write a snapshot of the given size with the given manifest values."""
    manifest = SnapshotManifest(
        **{
            "run_id": folder.run_id,
            "name": str(step),
            "step": step,
            "attempt": 1,
            "trigger": Trigger.PERIODIC,
            "time": float(step),
            "point": "rollout",
            "last_row": 0,
            "built": BUILT,
            "origin": ORIGIN,
            "capture_ms": 1.0,
            **said,
        }
    )
    write_snapshot(folder, manifest, {"state.pkl.zst": b"s" * size})
    return manifest


def names(folder: RunFolder) -> list[str]:
    """Return the snapshots of the folder, oldest first."""
    return [snapshot.name for snapshot in snapshots_of(folder)]
