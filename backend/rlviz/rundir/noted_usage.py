"""What the last measurement of a runs folder found, in a file for whoever needs it in any process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson
from pydantic import ConfigDict, ValidationError

from rlviz.domain.byte_text import byte_text
from rlviz.domain.errors import RunFolderError
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.storage_rules import StoredKind
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.files import read_small
from rlviz.rundir.usage import Usage

USAGE_FILE = ".storage-total.json"
LARGEST = 3


class NotedUsage(LazyModel):
    """Bytes: of everything, of the kinds that take most, and of the largest runs, the largest first."""

    model_config = ConfigDict(frozen=True)

    total_bytes: int = 0
    kinds: Mapping[str, int] = {}
    runs: Mapping[str, int] = {}

    @property
    def consumers(self) -> str:
        """A sentence that names what takes most, or nothing where nothing was measured."""
        kinds = ", ".join(f"{_words(kind)} {byte_text(count)}" for kind, count in self.kinds.items())
        runs = ", ".join(f"{run_id} {byte_text(count)}" for run_id, count in self.runs.items())
        largest = f"; the largest runs: {runs}" if runs else ""
        return f"Most is taken by: {kinds}{largest}." if kinds else ""


def note_usage(runs_dir: Path, usage: Usage) -> None:
    """Raises OSError."""
    kinds = {str(kind): count for kind, count in usage.kinds.most_common(LARGEST) if count}
    runs = {run_id: usage.runs[run_id].total() for run_id in usage.largest(LARGEST)}
    noted = NotedUsage(total_bytes=usage.total_bytes, kinds=kinds, runs=runs)
    write_atomically(runs_dir / USAGE_FILE, orjson.dumps(noted.model_dump()))


def noted_usage(runs_dir: Path) -> NotedUsage:
    """Without anything if nothing was measured yet, or the file cannot be read."""
    try:
        return NotedUsage.model_validate_json(read_small(runs_dir.resolve() / USAGE_FILE))
    except (OSError, ValidationError, RunFolderError):
        return NotedUsage()


def _words(kind: str) -> str:
    """A kind that another version of the app has measured is named as it is."""
    return StoredKind(kind).words if kind in set(StoredKind) else kind
