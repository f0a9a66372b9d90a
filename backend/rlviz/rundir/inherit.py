"""Handing a snapshot over to the run that is forked from it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import Snapshot


def inherit(snapshot: Snapshot, parent: RunFolder, child: RunFolder) -> None:
    """Put ``snapshot`` and its segments into the folder of ``child``, as the same files where the disk allows it.

    The child needs its parent no more: the snapshot is there as long as it is needed. Raises OSError.
    """
    child.snapshots.mkdir(exist_ok=True)
    _link(snapshot.path, child.snapshot_path(snapshot.name))
    if snapshot.manifest.segments:
        child.replay.mkdir(exist_ok=True)
    for segment in snapshot.manifest.segments:
        _link(parent.segment_path(segment.file), child.segment_path(segment.file))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without hard links
        shutil.copyfile(source, target, follow_symlinks=False)
