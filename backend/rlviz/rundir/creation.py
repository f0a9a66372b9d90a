"""Creating a run folder: it appears complete, or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rlviz.domain.config import RunConfig
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.standing import mark_own

DRAFTS = ".new"
"""Folder within the runs folder in which new run folders are written."""


@contextmanager
def new_folder(
    runs_dir: Path,
    config: RunConfig,
    control: Control | None = None,
    *,
    fill: Callable[[RunFolder], None] | None = None,
) -> Iterator[Callable[[], None]]:
    """Write a run's first files out of sight; calling what the block is given makes the whole folder appear at once,
    signed as made here.

    If the block raises, nothing is left of the run, whether it has appeared or not. A process that dies leaves a whole
    folder in its place or one among the drafts, which ``remove_drafts`` removes.
    ``fill`` puts more files into it. Raises FileExistsError if the folder is there already, and OSError, if the disk is
    full for instance.
    """
    folder, draft = RunFolder(runs_dir, config.run_id), RunFolder(runs_dir / DRAFTS, config.run_id)
    if folder.path.exists():
        raise FileExistsError(f"{folder.path} is there already.")
    has_appeared = False

    def appear() -> None:
        nonlocal has_appeared
        draft.path.rename(folder.path)
        has_appeared = True

    try:
        draft.create(config)
        if fill is not None:
            fill(draft)
        if control is not None:
            draft.write_control(control)
        mark_own(draft.path, runs_dir)
        yield appear
    except BaseException:
        shutil.rmtree(folder.path if has_appeared else draft.path, ignore_errors=True)
        raise


def remove_drafts(runs_dir: Path) -> None:
    """Remove drafts that a killed service left. Only for the service that holds ``runs_dir``, before it serves
    requests."""
    shutil.rmtree(runs_dir / DRAFTS, ignore_errors=True)
