"""Which snapshots are of the run as it is now: a rollback leaves those that came after it behind."""

from __future__ import annotations

from rlviz.domain.event_lines import parse_event
from rlviz.domain.events import RollbackData, SnapshotData
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.domain.superseded import Superseded
from rlviz.rundir.files import files_in
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_lines
from rlviz.rundir.snapshots import Snapshot, snapshots_of
from rlviz.rundir.superseded import superseded_rows


def is_behind(snapshot: Snapshot, superseded: Superseded) -> bool:
    """Whether what led to ``snapshot`` is superseded: an earlier attempt took it beyond the step that the run went back
    to, or after rows that do not count now. Never true of the snapshot with which a fork begins: it is older than every
    step that the fork can go back from."""
    taken = snapshot.manifest
    return not snapshot.is_inherited and any(
        taken.attempt < stretch.attempt
        and (
            stretch.first <= taken.last_row <= stretch.last
            or (stretch.beyond is not None and taken.step > stretch.beyond)
        )
        for stretch in superseded.stretches
    )


def was_cut_off_early(folder: RunFolder, plan: SnapshotPlan) -> bool:
    """Whether the run was to take snapshots and has never taken one, not even one that is damaged now. Raises
    RunFolderError."""
    if not plan.is_on or any(files_in(folder.snapshots, folder.path, "*.zip")):
        return False
    events = (parse_event(line.record) for line in journal_lines(folder.events_path))
    return not any(event is not None and isinstance(event.data, SnapshotData | RollbackData) for event in events)


def whole_of_run(folder: RunFolder) -> list[Snapshot]:
    """Those that look whole and are of the run as it is now, oldest step first; of a fork, also that with which it
    begins."""
    superseded = superseded_rows(folder)
    return [one for one in snapshots_of(folder) if one.is_whole and not is_behind(one, superseded)]


def newest_of_run(folder: RunFolder) -> Snapshot | None:
    """The one furthest on of those."""
    whole = whole_of_run(folder)
    return whole[-1] if whole else None
