"""Finds damage in a run folder without reading its journals: cheap enough for every request about a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.damage import LOOK_ONLY, REPAIR, RESTORE_OR_DELETE, Damage
from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.rundir.contents import contents, damage_at
from rlviz.rundir.files import MISSING, damaged, is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import Line, compressed_path, line_number

MAX_NAMED_LINES = 10
"""Maximum number of damaged lines of a journal that are listed; the last entry gives the number of the others."""


@dataclass(frozen=True)
class BrokenLines:
    """Broken lines of a journal. ``first``: the first of them, in order; ``count``: the number of all."""

    first: list[Line]
    count: int


def inspect_folder(folder: RunFolder) -> list[Damage]:
    """All damage except in lines of journals, the configuration's first, then in the order of ``contents.PLACES``."""
    try:
        folder.check()
    except ArtifactNotFound:
        return [Damage(file=".", problem="The folder of this run is gone.", remedy=RESTORE_OR_DELETE)]
    except RunFolderError as error:
        return [error.damage]
    found = [damage_at(folder, place, entry) for place, entry in contents(folder)]
    return [*_configuration(folder), *filter(None, found), *_missing(folder)]


def has_trained(folder: RunFolder) -> bool:
    """Whether there are files of a training besides events."""
    return any(map(_holds_something, (folder.metrics_path, compressed_path(folder.metrics_path), *_policies(folder))))


def _policies(folder: RunFolder) -> tuple[Path, Path]:
    return folder.model_path, folder.best_model_path


def _holds_something(path: Path) -> bool:
    """Missing journals are damage, since a worker creates both before its first event."""
    try:
        return path.lstat().st_size > 0
    except OSError:
        return False


def damaged_lines(path: Path, lines: BrokenLines, problem: str) -> list[Damage]:
    """The damage that broken ``lines`` are to the journal at ``path``. Raises RunFolderError, and FileNotFoundError."""
    named = [
        Damage(file=path.name, line=line_number(path, line.start), problem=problem, remedy=REPAIR)
        for line in lines.first[:MAX_NAMED_LINES]
    ]
    if more := lines.count - len(named):
        named[-1] = named[-1].model_copy(
            update={"problem": f"{problem} The same goes for {more:,} more lines after it."}
        )
    return named


def _configuration(folder: RunFolder) -> Iterator[Damage]:
    try:
        config = folder.read_config()
    except RunFolderError as error:
        yield error.damage
        return
    if config.is_newer:
        says = config.format.newer(config.schema_version)
        yield Damage(file=folder.config_path.name, problem=says, remedy=LOOK_ONLY, newer=True)


def _missing(folder: RunFolder) -> Iterator[Damage]:
    """Missing events are damage if there are files of a training, which events would report."""
    if not has_trained(folder):
        return
    try:
        if folder.events_path.lstat().st_size == 0 and is_file(folder.events_path):
            yield damaged(folder.events_path, folder.path, "It is empty, though the run has trained.").damage
    except OSError:
        yield damaged(folder.events_path, folder.path, MISSING).damage
