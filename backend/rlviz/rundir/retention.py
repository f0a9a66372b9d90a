"""Which files of a kind go when only the newest stay: checkpoints, videos, step records; and deletes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rlviz.rundir.files import files_in, size_of
from rlviz.rundir.folder import RunFolder


def all_but_newest(paths: Sequence[Path], keep: int) -> list[Path]:
    """All but the last ``keep`` of ``paths`` (oldest first)."""
    return list(paths[: max(0, len(paths) - keep)])


def older_checkpoints(folder: RunFolder, keep: int) -> list[Path]:
    """All but the newest ``keep``."""
    return all_but_newest([path for _, path in folder.checkpoint_files()], keep)


def older_videos(folder: RunFolder, keep: int) -> list[Path]:
    """All but the newest ``keep`` evaluation videos, and of what the agent saw in them, with the policies that saw
    it. Of videos, those that were made last are the newest: one may be made again from the records."""
    files = partial(files_in, folder.evaluations.path, folder.path)
    videos = sorted(files("eval_*.mp4"), key=_made_at)
    kinds = (videos, files("eval_*.pictures.zip"), files("eval_*.policy.zip"))
    return [path for paths in kinds for path in all_but_newest(paths, keep)]


def _made_at(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except FileNotFoundError:  # somebody has deleted it just now
        return 0


def step_records(folder: RunFolder) -> list[Path]:
    """Those of evaluations, oldest first."""
    return files_in(folder.evaluations.path, folder.path, "eval_*.steps.parquet")


def retain_checkpoints(folder: RunFolder, keep: int) -> None:
    delete(older_checkpoints(folder, keep))


def retain_videos(folder: RunFolder, keep: int) -> None:
    """Summaries stay."""
    delete(older_videos(folder, keep))


def retain_steps(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest step records until those of the run have at most ``max_bytes``; the newest stay."""
    _retain_bytes(step_records(folder), max_bytes)


def retain_frames(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest frames that are kept as pictures until the rest takes ``max_bytes`` at most."""
    _retain_bytes(files_in(folder.evaluations.path, folder.path, "eval_*.frames.zip"), max_bytes)


def _retain_bytes(paths: Sequence[Path], max_bytes: int) -> None:
    room = max_bytes
    for path in reversed(paths):
        room -= size_of(path)
        if room < 0 and path != paths[-1]:
            path.unlink(missing_ok=True)


def delete(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
