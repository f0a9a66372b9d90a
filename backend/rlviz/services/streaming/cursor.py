"""Cursor: a stream's position, which is for each run the next byte of its metrics journal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rlviz.domain.errors import InvalidRequest, RunFolderError
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import is_line_start, offset_after

_PART = re.compile(r"([a-z0-9-]{1,80}):(\d{1,15})")
MAX_CURSOR_CHARACTERS = 16_384


def encode_cursor(positions: Mapping[str, int]) -> str:
    """For instance ``ppo-cartpole-20261121-014312-7f3a:40960``; several runs are joined by commas."""
    return ",".join(f"{run_id}:{offset}" for run_id, offset in sorted(positions.items()))


def decode_cursor(text: str, runs_dir: Path, run_ids: Sequence[str]) -> dict[str, int]:
    """Positions of ``run_ids``; runs that are not in the cursor begin at 0, other runs in it are ignored.

    Raises InvalidRequest for a malformed cursor.
    """
    positions = dict.fromkeys(run_ids, 0)
    if len(text) > MAX_CURSOR_CHARACTERS:
        raise _invalid(text)
    for part in filter(None, text.split(",")):
        match = _PART.fullmatch(part)
        if match is None:
            raise _invalid(text)
        run_id, offset = match[1], int(match[2])
        if run_id in positions:
            if not is_line_start(RunFolder(runs_dir, run_id).metrics_path, offset):
                raise _invalid(text)
            positions[run_id] = offset
    return positions


def positions_since(since: float, runs_dir: Path, run_ids: Sequence[str]) -> dict[str, int]:
    """Positions of the first rows logged after ``since`` (Unix seconds)."""
    return {run_id: _position_since(since, RunFolder(runs_dir, run_id)) for run_id in run_ids}


def _position_since(since: float, folder: RunFolder) -> int:
    try:
        return offset_after(folder.metrics_path, since)
    except RunFolderError:  # a stream of several runs continues without the rows of this one
        return 0


def _invalid(text: str) -> InvalidRequest:
    return InvalidRequest.field(
        "/last_event_id",
        f"{text[:80]!r} is not an event id of this stream. Send the id of the last event received, as it was "
        "received, or none to begin at the first row.",
    )
