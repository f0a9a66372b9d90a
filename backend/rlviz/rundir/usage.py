"""Measures what uses space in a runs folder, by kind of file and by run; the last result is stored in a file for all
processes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import orjson
from pydantic import ConfigDict, ValidationError

from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import RunFolderError
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.sinks import SinkKind
from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.contents import kind_in_run
from rlviz.rundir.experiment_folder import EXPERIMENTS
from rlviz.rundir.files import read_small, write_atomically
from rlviz.rundir.folder import is_run_folder

ANALYTICS = "analytics"
"""Folder in the runs folder for digests of learning curves, which can be deleted at any time."""

_OF_THE_TOP = {
    ".trash": StoredKind.TRASH,
    EXPERIMENTS: StoredKind.EXPERIMENTS,
    ANALYTICS: StoredKind.ANALYTICS,
    **{kind.value: StoredKind.SINKS for kind in SinkKind},
}


@dataclass(frozen=True)
class Usage:
    """Result of a measurement. ``kinds``: bytes by kind; ``files``: number by kind; ``runs``: bytes by run and kind."""

    kinds: Counter[StoredKind] = field(default_factory=Counter)
    files: Counter[StoredKind] = field(default_factory=Counter)
    runs: dict[str, Counter[StoredKind]] = field(default_factory=dict)

    @property
    def total_bytes(self) -> int:
        return self.kinds.total()

    def largest(self, count: int) -> list[str]:
        """Return the ids of the runs that use the most space, largest first."""
        return sorted(self.runs, key=lambda run_id: (-self.runs[run_id].total(), run_id))[:count]


def measure_usage(runs_dir: Path, on_folder: Callable[[], None] = lambda: None) -> Usage:
    """Measure every file below ``runs_dir``, in bytes. ``on_folder`` is called after each top-level folder, for example
    to yield to other threads.

    Links are not followed, a file with several names in one run counts once, and files that disappear count as 0.
    """
    usage = Usage()
    for entry in _entries(runs_dir):
        if entry.is_dir(follow_symlinks=False):
            if (kind := _OF_THE_TOP.get(entry.name)) is None and is_run_folder(Path(entry.path)):
                usage.runs[entry.name] = _take(usage, entry.path, kind_in_run)
            else:
                _take(usage, entry.path, partial(_always, kind or StoredKind.OTHER))
            on_folder()
        else:
            kind = StoredKind.CATALOGUE if entry.name.startswith("rlviz") else StoredKind.OTHER
            _count(usage, Counter(), kind, entry, set())
    return usage


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files below one folder, counted like ``measure_usage``."""
    return _take(Usage(), str(folder), partial(_always, StoredKind.OTHER)).total()


def _always(kind: StoredKind, _parts: tuple[str, ...]) -> StoredKind:
    return kind


def _take(usage: Usage, folder: str, kind_of: Callable[[tuple[str, ...]], StoredKind]) -> Counter[StoredKind]:
    counted: Counter[StoredKind] = Counter()
    seen: set[tuple[int, int]] = set()
    waiting: list[tuple[str, tuple[str, ...]]] = [(folder, ())]
    while waiting:
        path, parts = waiting.pop()
        for entry in _entries(path):
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, (*parts, entry.name)))
            else:
                _count(usage, counted, kind_of((*parts, entry.name)), entry, seen)
    return counted


def _count(
    usage: Usage, counted: Counter[StoredKind], kind: StoredKind, entry: os.DirEntry[str], seen: set[tuple[int, int]]
) -> None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return
    if found.st_nlink > 1:
        if (found.st_dev, found.st_ino) in seen:
            return
        seen.add((found.st_dev, found.st_ino))
    counted[kind] += found.st_size
    usage.kinds[kind] += found.st_size
    usage.files[kind] += 1


def _entries(path: str | Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            yield from list(entries)
    except OSError:
        return


USAGE_FILE = ".storage-total.json"
LARGEST = 3


class NotedUsage(LazyModel):
    """Bytes in total, of the largest kinds, and of the largest runs, largest first."""

    model_config = ConfigDict(frozen=True)

    total_bytes: int = 0
    kinds: Mapping[str, int] = {}
    runs: Mapping[str, int] = {}

    @property
    def consumers(self) -> str:
        """Return a sentence that names what uses the most space; empty if nothing was measured."""
        kinds = ", ".join(f"{_words(kind)} {byte_text(count)}" for kind, count in self.kinds.items())
        runs = ", ".join(f"{run_id} {byte_text(count)}" for run_id, count in self.runs.items())
        largest = f"; the largest runs: {runs}" if runs else ""
        return f"Most space is used by: {kinds}{largest}." if kinds else ""


def write_usage(runs_dir: Path, usage: Usage) -> None:
    """Raises OSError."""
    kinds = {str(kind): count for kind, count in usage.kinds.most_common(LARGEST) if count}
    runs = {run_id: usage.runs[run_id].total() for run_id in usage.largest(LARGEST)}
    noted = NotedUsage(total_bytes=usage.total_bytes, kinds=kinds, runs=runs)
    write_atomically(runs_dir / USAGE_FILE, orjson.dumps(noted.model_dump()))


def read_usage(runs_dir: Path) -> NotedUsage:
    """Return the last measurement; empty if there is none, or the file is unreadable."""
    try:
        return NotedUsage.model_validate_json(read_small(runs_dir.resolve() / USAGE_FILE))
    except (OSError, ValidationError, RunFolderError):
        return NotedUsage()


def _words(kind: str) -> str:
    """Return a kind in words; a kind of another version stays as it is."""
    return StoredKind(kind).words if kind in set(StoredKind) else kind
