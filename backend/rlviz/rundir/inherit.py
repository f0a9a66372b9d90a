"""Handing a snapshot over to the run that is forked from it, and what it takes to go on from there as the parent did.

snapshots/<name>.zip    the snapshot of the parent, and the one at the step of the fork once that is reached
parent/<run_id>/        of a fork between two snapshots, until then: what the parent is, and did beyond its snapshot
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from rlviz.domain.config import Parent
from rlviz.domain.errors import ArtifactNotFound, RlvizError
from rlviz.domain.event_lines import parse_event
from rlviz.domain.events import StartedData
from rlviz.rundir.control import Control
from rlviz.rundir.files import files_in
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.metric_rows import MetricRow, counted_rows
from rlviz.rundir.snapshots import Snapshot, find_snapshot, snapshots_of

BEGINNING = "0"
"""The name of the snapshot that a fork begins from whose parent is trained again from its beginning."""


def inherit(snapshot: Snapshot, parent: RunFolder, child: RunFolder) -> None:
    """Put ``snapshot`` and its segments into the folder of ``child``, as the same files where the disk allows it.

    The child needs its parent no more: the snapshot is there as long as it is needed. Raises OSError, and
    ArtifactNotFound where the parent, which may train, has just made room for newer ones.
    """
    child.snapshots.mkdir(exist_ok=True)
    try:
        _link(snapshot.path, child.snapshot_path(snapshot.name))
        if snapshot.manifest.segments:
            child.replay.mkdir(exist_ok=True)
        for segment in snapshot.manifest.segments:
            _link(parent.segment_path(segment.file), child.segment_path(segment.file))
    except FileNotFoundError as error:
        raise ArtifactNotFound(
            f"Snapshot {snapshot.name!r} has just made room for newer ones. Choose another one."
        ) from error


def inherit_stretch(snapshot: Snapshot | None, parent: RunFolder, child: RunFolder, until: int) -> None:
    """Put into the folder of ``child`` what it takes to train ``parent`` again from ``snapshot`` (None: from its
    beginning; where it is a fork itself, that is a snapshot that it has inherited) to step ``until``, and to compare: a
    folder of the parent's own, in which it is to be resumed. Raises OSError and RunFolderError."""
    copy = RunFolder(child.parent, parent.run_id)
    begin = 0 if snapshot is None else snapshot.manifest.step
    last_row = 0 if snapshot is None or snapshot.is_inherited else snapshot.manifest.last_row
    config = parent.read_config()
    attempt, total = _attempts(parent, begin, until, config.total_timesteps)
    copy.create(config.model_copy(update={"total_timesteps": total}))
    for source, target in ((parent.events_path, copy.events_path), (parent.rules_path, copy.rules_path)):
        with suppress(FileNotFoundError):
            shutil.copyfile(source, target, follow_symlinks=False)
    with copy.metrics_path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in _rows(parent, last_row, until))
    copy.write_control(Control(attempt=attempt + 1, resume_from=None if snapshot is None else snapshot.name))


def inherit_segments(source: RunFolder, child: RunFolder) -> None:
    """Put the segments that ``source`` has written into the folder of ``child`` too. Raises OSError."""
    for path in files_in(source.replay, source.path, "*.seg"):
        child.replay.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            _link(path, child.segment_path(path.name))


def begins_with_parent(child: RunFolder, parent: Parent) -> bool:
    """Whether its parent has still to be trained again for it, from the parent's beginning."""
    return child.parent.is_dir() and all(one.manifest.run_id != parent.run_id for one in snapshots_of(child))


def beginning_of(child: RunFolder, parent: Parent) -> Snapshot:
    """The snapshot of the parent that a fork begins from: that of its very step, if it is there already. Raises
    ArtifactNotFound, SnapshotRefused and RunFolderError."""
    with suppress(RlvizError):
        found = find_snapshot(child, str(parent.step))
        if (found.manifest.run_id, found.manifest.step) == (parent.run_id, parent.step):
            return found
    return find_snapshot(child, parent.snapshot)


def _attempts(folder: RunFolder, begin: int, until: int, total: int) -> tuple[int, int]:
    """The number of the last attempt, and how long training was to be on the way from step ``begin`` to ``until``: if
    it was made longer on the way, as long as it had to be. ``total``: as the configuration says."""
    newest, length = 1, total
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        if event is not None and isinstance(event.data, StartedData):
            newest = max(newest, event.data.attempt)
            if event.step <= begin or length < until:
                length = event.data.total_timesteps or total
    return newest, length


def _rows(folder: RunFolder, after: int, until: int) -> Iterator[MetricRow]:
    """Those beyond row ``after``, up to step ``until``, that count."""
    return takewhile(lambda row: row["step"] <= until, counted_rows(folder, after=after))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without hard links
        shutil.copyfile(source, target, follow_symlinks=False)
