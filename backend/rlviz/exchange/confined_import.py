"""Imports in a confined process with limits, because a file from elsewhere can expand to any size."""

from __future__ import annotations

import shutil
from pathlib import Path

from rlviz.domain.errors import ImportRefused
from rlviz.exchange.import_runs import ImportOptions, ImportOutcome, import_path
from rlviz.exchange.imports.archive import check_free_disk
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import open_journal

MOST_LINES = 20_000_000
"""Maximum lines of a journal: what the service can read in about a minute."""

LOOK_BYTES = 1 << 24
"""Bytes written between two checks of the free disk."""

_CHUNK = 1 << 20


def import_file(path: Path, runs_dir: Path, options: ImportOptions) -> ImportOutcome:
    """Like ``import_path``, but limits what the service has to read afterwards. Also raises NotEnoughDisk, and
    ImportRefused for a journal with too many lines."""
    outcome = import_path(path, runs_dir, options, _Watch(runs_dir))
    try:
        for folder in outcome.runs:
            for journal in (folder.metrics_path, folder.events_path, folder.anatomy_path):
                _check_lines(journal, folder)
    except BaseException:
        for folder in outcome.runs:
            shutil.rmtree(folder.path, ignore_errors=True)
        raise
    return outcome


class _Watch:
    """Checks the free disk while files are written."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir, self._looked_at = runs_dir, 0

    def __call__(self, _name: str, done: int, _total: int) -> None:
        if done - self._looked_at >= LOOK_BYTES or done < self._looked_at:
            self._looked_at = done
            check_free_disk(self._runs_dir, LOOK_BYTES)


def _check_lines(journal: Path, folder: RunFolder) -> None:
    lines = 0
    try:
        with open_journal(journal, folder.path) as file:
            while chunk := file.read(_CHUNK):
                lines += chunk.count(b"\n")
                if lines > MOST_LINES:
                    raise ImportRefused(f"{journal.name} has more than {MOST_LINES:,} lines.")
    except FileNotFoundError:
        return
