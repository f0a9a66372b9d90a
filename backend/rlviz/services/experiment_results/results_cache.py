"""Results of experiments that are over, kept in their folders, so that nobody waits for them twice."""

from __future__ import annotations

import logging
from pathlib import Path

from rlviz.analysis.experiments import ExperimentResults
from rlviz.domain.errors import RunFolderError
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.files import read_small

log = logging.getLogger(__name__)

MOST_KEPT = 8
"""Results of one experiment: of each kind of score, with a threshold or two."""

MOST_BYTES = 1 << 26

_PREFIX, _SUFFIX = "made-", ".json"


class ResultsCache:
    """Files in the ``results`` of an experiment, each by a key of all that it was made from.

    They can be deleted at any time: they are made again. One that cannot be read, or is of another shape, is none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str) -> ExperimentResults | None:
        try:
            return ExperimentResults.model_validate_json(read_small(self._path(key), limit=MOST_BYTES))
        except (OSError, ValueError, RunFolderError):
            return None

    def keep(self, key: str, results: ExperimentResults) -> None:
        """Results of trials that still train are not kept: they change. A full disk is no reason not to show them."""
        if not results.complete:
            return
        try:
            self._folder.mkdir(exist_ok=True)  # without its parents: an experiment that was deleted stays deleted
            write_atomically(self._path(key), results.model_dump_json().encode())
            self._forget_oldest()
        except OSError as error:
            log.warning("Results were not kept in %s: %s", self._folder, error)

    def _path(self, key: str) -> Path:
        return self._folder / f"{_PREFIX}{key}{_SUFFIX}"

    def _forget_oldest(self) -> None:
        found = sorted(self._folder.glob(f"{_PREFIX}*{_SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in found[:-MOST_KEPT]:
            path.unlink(missing_ok=True)
