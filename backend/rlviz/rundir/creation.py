"""Creates run folders: a folder appears complete, or not at all."""

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
"""Folder inside the runs folder for run folders that are being written."""


@contextmanager
def new_folder(
    runs_dir: Path,
    config: RunConfig,
    control: Control | None = None,
    *,
    fill: Callable[[RunFolder], None] | None = None,
) -> Iterator[Callable[[], None]]:
    """Write the first files of a run in a hidden folder; yield a function that makes the whole folder appear at once,
    signed as made here.

    If the block raises, nothing of the run remains, whether it has appeared or not. A process that dies leaves a
    complete folder, or a draft that ``remove_drafts`` deletes.

    Args:
        runs_dir: The runs folder.
        config: Configuration of the run.
        control: Content of its control file; None for none.
        fill: Writes more files into the folder.

    Raises:
        FileExistsError: The folder already exists.
        OSError: A file cannot be written, for example because the disk is full.
    """
    folder, draft = RunFolder(runs_dir, config.run_id), RunFolder(runs_dir / DRAFTS, config.run_id)
    if folder.path.exists():
        raise FileExistsError(f"{folder.path} already exists.")
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
    """Delete the drafts of a killed service. Only for the service that holds ``runs_dir``, before it serves
    requests."""
    shutil.rmtree(runs_dir / DRAFTS, ignore_errors=True)
