"""Reads step records in a confined process, because a file from elsewhere can expand to any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import numpy as np

from rlviz.domain.errors import InvalidRequest, RunFolderError
from rlviz.domain.export_formats import StepsFormat
from rlviz.learning.records.about import RecordsAbout
from rlviz.learning.records.export import export
from rlviz.learning.records.query import FoundSteps, StepQuery, find_steps
from rlviz.learning.records.reader import StepFile

PIECE_BYTES = 1 << 22


def find(path: Path, folder: Path, query: StepQuery) -> tuple[RecordsAbout, list[str], FoundSteps]:
    """Return the file's metadata, its columns, and the records that match.

    Raises FileNotFoundError, RunFolderError, InvalidRequest, and ValueError for records that cannot be read.
    """
    with StepFile(path, folder) as file:
        return file.about, file.names, find_steps(file, query)


@dataclass(frozen=True)
class CellStep:
    """A step of a recorded episode. ``episode`` and ``index`` count from 0."""

    evaluation_id: str
    episode: int
    index: int


@dataclass(frozen=True)
class CellVisits:
    """What recorded episodes know of a cell.

    Attributes:
        first: The step that reaches the cell in the fewest actions, and does not end its episode.
        ends: Whether an episode ended in the cell.
        is_cut: Whether some records were not searched, because that takes too much time or memory.
    """

    first: CellStep | None
    ends: bool
    is_cut: bool = False


def find_cell(
    paths: Mapping[str, Path], folder: Path, cell: int, seconds: float, clock: Callable[[], float] = monotonic
) -> CellVisits:
    """Find ``cell`` in step records: ``paths`` by the id of their evaluation, in this order, for at most ``seconds``.

    Unreadable files are left out.
    """
    found, ends, is_cut = list[CellStep](), False, False
    until = clock() + seconds
    for evaluation_id, path in paths.items():
        if clock() >= until:
            is_cut = True
            break
        try:
            with suppress(FileNotFoundError, RunFolderError, ValueError), StepFile(path, folder) as file:
                if "cell" not in file.names:
                    continue
                for columns in file.by_group(["episode", "index", "cell", "terminated", "truncated"]):
                    if clock() >= until:
                        is_cut = True
                        break
                    is_there = columns["cell"].present & (columns["cell"].numbers == cell)
                    is_last = columns["terminated"].numbers | columns["truncated"].numbers
                    ends = ends or bool((is_there & is_last).any())
                    rows = np.flatnonzero(is_there & ~is_last)
                    if len(rows):
                        row = rows[np.argmin(columns["index"].numbers[rows])]
                        place = (int(columns[name].numbers[row]) for name in ("episode", "index"))
                        found.append(CellStep(evaluation_id, *place))
        except MemoryError:
            is_cut = True
    return CellVisits(min(found, key=lambda one: one.index, default=None), ends, is_cut)


def export_pieces(
    path: Path, folder: Path, kind: StepsFormat, episode: int | None, where: Sequence[str]
) -> Iterator[bytes]:
    """Yield an export in pieces of at most PIECE_BYTES. Raises NotExportable, and the errors of ``find``."""
    with StepFile(path, folder) as file:
        if episode is not None and episode >= len(file.about.episodes):
            raise InvalidRequest.field("/episode", f"There are {len(file.about.episodes)} episodes, from 0.")
        for content in export(file, kind, episode=episode, where=where):
            for start in range(0, len(content), PIECE_BYTES):
                yield content[start : start + PIECE_BYTES]
