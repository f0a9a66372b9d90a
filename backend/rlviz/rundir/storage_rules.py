"""The files of one run folder that a storage rule deletes or compresses."""

from __future__ import annotations

from pathlib import Path

from rlviz.domain.errors import RunFolderError
from rlviz.domain.ids import is_evaluation_id
from rlviz.domain.storage_rules import KeepNewest, Remove, StoredKind
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import is_file, list_files
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import all_but_newest, older_checkpoints, older_snapshots, older_videos, step_records


def files_to_delete(folder: RunFolder, rule: KeepNewest | Remove) -> list[Path]:
    """Return the files that ``rule`` deletes, in a safe order: if deletion stops halfway, the rest is consistent.

    For a run that has ended.
    """
    if isinstance(rule, Remove):
        return _removed(folder, rule)
    match rule.kind:
        case StoredKind.VIDEOS:
            return older_videos(folder, rule.keep)
        case StoredKind.SNAPSHOTS:
            return older_snapshots(folder, rule.keep)
        case StoredKind.POLICIES:
            without_a_model = not is_file(folder.model_path, folder.path)
            return older_checkpoints(folder, max(rule.keep, int(without_a_model)))
        case StoredKind.RECORDS:
            return _with_frames(folder, all_but_newest(step_records(folder), rule.keep))


def _removed(folder: RunFolder, rule: Remove) -> list[Path]:
    match rule.what:
        case "clips":
            return list_files(Clips(folder).path, folder.path)
        case "film":
            return [path for _, path in folder.film_files()]
        case "logs":
            return [folder.log_path] if is_file(folder.log_path, folder.path) else []
        case "records_without_video":
            records = [path for path in step_records(folder) if _has_lost_its_video(folder, path)]
            return _with_frames(folder, records)


def _with_frames(folder: RunFolder, records: list[Path]) -> list[Path]:
    """Return ``records`` and the frames kept beside them."""
    names = [path.name.removesuffix(".steps.parquet") for path in records]
    beside = [folder.evaluations.frames_path(name) for name in names if is_evaluation_id(name)]
    return records + [path for path in beside if is_file(path, folder.path)]


def _has_lost_its_video(folder: RunFolder, records: Path) -> bool:
    """Whether the evaluation of these records was filmed and its video deleted."""
    evaluation_id = records.name.removesuffix(".steps.parquet")
    if not is_evaluation_id(evaluation_id) or is_file(folder.evaluations.video_path(evaluation_id), folder.path):
        return False
    try:
        summary = folder.evaluations.read(evaluation_id).summary
    except RunFolderError:
        return False
    return summary is not None and summary.video is not None
