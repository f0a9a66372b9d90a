"""Deletes all but the newest files of a kind: checkpoints, videos, step records."""

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
    """Delete all but the newest ``keep`` evaluation videos, and of what the agent saw in them with the policies that
    saw it; summaries stay."""
    for pattern in ("eval_*.mp4", "eval_*.pictures.zip", "eval_*.policy.zip"):
        keep_newest(files_in(folder.evaluations, folder.path, pattern), keep)


def retain_steps(folder: RunFolder, max_bytes: int) -> None:
    """Delete the oldest step records until those of the run have at most ``max_bytes``; the newest stay."""
    paths = files_in(folder.evaluations, folder.path, "eval_*.steps.parquet")
    room = max_bytes
    for path in reversed(paths):
        room -= path.stat().st_size
        if room < 0 and path != paths[-1]:
            path.unlink(missing_ok=True)
