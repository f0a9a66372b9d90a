"""What takes space in a runs folder, by kind of file and by run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rlviz.domain.sinks import SinkKind
from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.contents import kind_in_run
from rlviz.rundir.experiment_folder import EXPERIMENTS
from rlviz.rundir.folder import is_run_folder

ANALYTICS = "analytics"
"""In the runs folder: digests of learning curves, which can be deleted at any time."""

_OF_THE_TOP = {
    ".trash": StoredKind.TRASH,
    EXPERIMENTS: StoredKind.EXPERIMENTS,
    ANALYTICS: StoredKind.ANALYTICS,
    **{kind.value: StoredKind.SINKS for kind in SinkKind},
}


@dataclass(frozen=True)
class Usage:
    """``kinds``: bytes of each kind; ``files``: how many each has; ``runs``: bytes of each kind, by run."""

    kinds: Counter[StoredKind] = field(default_factory=Counter)
    files: Counter[StoredKind] = field(default_factory=Counter)
    runs: dict[str, Counter[StoredKind]] = field(default_factory=dict)

    @property
    def total_bytes(self) -> int:
        return self.kinds.total()

    def largest(self, count: int) -> list[str]:
        """Ids of the runs that take most, the largest first."""
        return sorted(self.runs, key=lambda run_id: (-self.runs[run_id].total(), run_id))[:count]


def measure(runs_dir: Path, breathe: Callable[[], None] = lambda: None) -> Usage:
    """Bytes of every file below ``runs_dir``. ``breathe`` is called after each folder at its top, so that a thread can
    give way to others.

    Links are not followed, a file with several names in one run counts once, and files that vanish count nothing.
    """
    usage = Usage()
    for entry in _entries(runs_dir):
        if entry.is_dir(follow_symlinks=False):
            if (kind := _OF_THE_TOP.get(entry.name)) is None and is_run_folder(Path(entry.path)):
                usage.runs[entry.name] = _take(usage, entry.path, kind_in_run)
            else:
                _take(usage, entry.path, partial(_always, kind or StoredKind.OTHER))
            breathe()
        else:
            kind = StoredKind.CATALOGUE if entry.name.startswith("rlviz") else StoredKind.OTHER
            _count(usage, Counter(), kind, entry, set())
    return usage


def bytes_of_folder(folder: Path) -> int:
    """What the files below one folder take, counted as ``measure`` does."""
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
