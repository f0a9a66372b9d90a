"""Reading what ``anatomy.jsonl`` holds."""

from __future__ import annotations

from pydantic import ValidationError

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines

MAX_LINES = 5_000
"""Newest lines that are looked at; a run leaves some hundreds."""


def read_anatomy(folder: RunFolder, most: int) -> list[UpdateAnatomy]:
    """``most`` updates at most, evenly over those that are there, oldest first, the first and the newest among them.

    Lines that say nothing are left out. Raises RunFolderError.
    """
    lines = [line.record for line in last_lines(folder.anatomy_path, MAX_LINES) if line.record is not None]
    if len(lines) > most:
        last = len(lines) - 1
        lines = [lines[round(place * last / (most - 1))] for place in range(most)]
    return [update for line in lines if (update := _parse(line)) is not None]


def _parse(line: object) -> UpdateAnatomy | None:
    try:
        return UpdateAnatomy.model_validate(line)
    except ValidationError:
        return None
