"""Reads step records in a confined process, because a file from elsewhere can expand to any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rlviz.domain.errors import InvalidRequest
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
