"""Keeping the newest few of a kind of file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlviz.rundir.files import files_in
from rlviz.rundir.folder import RunFolder


def keep_newest(paths: Sequence[Path], keep: int) -> list[Path]:
    """Delete all but the last ``keep`` of ``paths`` (oldest first); return what was deleted."""
    doomed = list(paths[: max(0, len(paths) - keep)])
    for path in doomed:
        path.unlink(missing_ok=True)
    return doomed


def retain_checkpoints(folder: RunFolder, keep: int) -> None:
    keep_newest([path for _, path in folder.checkpoint_files()], keep)


def retain_videos(folder: RunFolder, keep: int) -> None:
    """Delete all but the newest ``keep`` evaluation videos; summaries stay."""
    keep_newest(files_in(folder.evaluations, folder.path, "eval_*.mp4"), keep)
