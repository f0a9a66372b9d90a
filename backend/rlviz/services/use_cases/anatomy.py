"""Reads ``anatomy.jsonl``."""

from __future__ import annotations

from pydantic import ValidationError

from rlviz.domain.anatomy import UpdateAnatomy
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import last_lines

MAX_LINES = 5_000
"""Number of newest lines to read; a run writes a few hundred."""


def read_anatomy(folder: RunFolder, most: int) -> list[UpdateAnatomy]:
    """At most ``most`` updates, evenly spaced and including the first and the newest, oldest first.

    Broken lines are left out. Raises RunFolderError.
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
