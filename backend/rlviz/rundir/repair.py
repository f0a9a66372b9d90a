"""Repairing a run folder: readable parts stay in place, damaged files are set aside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rlviz.domain.errors import RunFolderError
from rlviz.domain.event_lines import parse_event
from rlviz.domain.records import is_metric
from rlviz.rundir.aside import name_aside, set_aside
from rlviz.rundir.atomic import atomic_write
from rlviz.rundir.contents import contents, damage_at
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.inspection import MAX_NAMED_LINES, BrokenLines
from rlviz.rundir.journal import JournalTail, Line, compressed_path, expand

Readable = Callable[[Mapping[str, Any] | None], bool]


def is_event(record: Mapping[str, Any] | None) -> bool:
    return parse_event(record) is not None


def broken_lines(path: Path, is_readable: Readable, most: int = MAX_NAMED_LINES) -> BrokenLines:
    """The broken lines of a journal, in the memory of ``most`` of them. Raises RunFolderError."""
    first: list[Line] = []
    count = 0
    for lines in JournalTail(path).batches():
        broken = [line for line in lines if not is_readable(line.record)]
        first += broken[: most - len(first)]
        count += len(broken)
    return BrokenLines(first, count)


def repair_folder(folder: RunFolder) -> list[Path]:
    """Make every file of ``folder`` one that can be read, but the configuration, which nothing can be made of.

    What is damaged becomes ``<name>.damaged-<time>``; of journals the readable lines stay. Returns the new names.
    For a run that nobody trains or evaluates: hold its lock. Raises ArtifactNotFound or RunFolderError if there
    is no such folder, and OSError.
    """
    folder.check()
    found = [damage_at(folder, place, entry) for place, entry in contents(folder)]
    files = dict.fromkeys(damage.file for damage in found if damage is not None)
    aside = [set_aside(folder.path / file) for file in files]
    for path in (folder.checkpoints, folder.evaluations.path):
        path.mkdir(exist_ok=True)
    for path in (folder.metrics_path, folder.anatomy_path):
        aside += _expand(path)
    aside += _keep_readable(folder.metrics_path, is_metric)
    aside += _keep_readable(folder.events_path, is_event)
    return aside


def _keep_readable(path: Path, is_readable: Readable) -> list[Path]:
    """Keep only the readable lines of a journal, if it has others."""
    if not broken_lines(path, is_readable).count:
        return []
    aside = name_aside(path)
    with atomic_write(path) as copy:
        for lines in JournalTail(path).batches():
            copy.writelines(line.raw + b"\n" for line in lines if is_readable(line.record))
        try:
            os.link(path, aside)  # so that the journal is never missing
        except OSError:  # a file system without hard links
            path.rename(aside)
    return [aside]


def _expand(path: Path) -> list[Path]:
    """Expand a journal as far as that can be done; a compressed one that is damaged is set aside."""
    try:
        expand(path)
    except RunFolderError:
        compressed = compressed_path(path)
        aside = name_aside(compressed)
        shutil.copyfile(compressed, aside)
        with suppress(RunFolderError):  # not even its table can be read
            expand(path, skip_damaged=True)
        compressed.unlink(missing_ok=True)
        return [aside]
    return []
