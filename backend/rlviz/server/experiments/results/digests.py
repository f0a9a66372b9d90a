"""Digests of an experiment's runs: reduced curves, computed once for each ended run."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import orjson

from rlviz.domain.errors import RunFolderError
from rlviz.domain.metrics import EVAL_REWARD
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.models import RunRow
from rlviz.server.metrics.service import MetricsService
from rlviz.stats.experiments.results import DIGEST_DEFINITION, RunDigest, make_digest
from rlviz.stats.experiments.trials import LearningCurve

log = logging.getLogger(__name__)

DIGESTS = "digests.jsonl"
MOST_LINE_BYTES = 1 << 24
"""Maximum size of a run's digest in bytes; that of a long run has about a hundred thousand."""

_CURVES = ("training", "greedy", "records", "evaluations")
_NO_POINTS = np.empty(0)


class RunDigestStore:
    """Keeps digests in memory, and those of ended runs also in a file in the experiment's ``results`` folder.

    The file is a cache: you can delete it at any time. Torn or malformed lines are skipped. Thread-safe.
    """

    def __init__(self, folder: Path, runs_dir: Path, metrics: MetricsService) -> None:
        self._path, self._runs_dir = folder / DIGESTS, runs_dir
        self._metrics = metrics
        self._lock = Lock()
        self._known: dict[str, tuple[str, RunDigest]] | None = None

    def read_digests(self, rows: Sequence[RunRow]) -> dict[str, RunDigest]:
        """Return the digests of the runs by run id."""
        with self._lock:
            if self._known is None:
                self._known = _read(self._path)
            stamps = {row.id: _stamp(row) for row in rows}
            digested = [
                (row, self._digest(row))
                for row in rows
                if row.id not in self._known or self._known[row.id][0] != stamps[row.id]
            ]
            self._known |= {row.id: (stamps[row.id], one) for row, one in digested}
            self.keep([(row, one) for row, one in digested if row.state.has_ended])
            return {row.id: self._known[row.id][1] for row in rows}

    def keep(self, digested: Sequence[tuple[RunRow, RunDigest]]) -> None:
        """Write digests of ended runs into the file."""
        if digested:
            _append(self._path, [_line(row.id, _stamp(row), one) for row, one in digested])

    def _digest(self, row: RunRow) -> RunDigest:
        folder = RunFolder(self._runs_dir, row.id)
        curves = self._metrics.run_curves.read_curves(folder)
        return make_digest(curves.episodes, self._greedy(folder), curves.evaluations(row))

    def _greedy(self, folder: RunFolder) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        try:
            series = self._metrics.read(folder).series
        except RunFolderError:
            return _NO_POINTS, _NO_POINTS
        return series.points(EVAL_REWARD, "step") if EVAL_REWARD in series else (_NO_POINTS, _NO_POINTS)


def _stamp(row: RunRow) -> str:
    """Return a key that changes when the run's journals grow or the computation of digests changes."""
    return f"{DIGEST_DEFINITION}/{row.status}/{row.attempt}/{row.last_event}/{row.step}/{row.episodes}"


def _line(run_id: str, stamp: str, digested: RunDigest) -> bytes:
    curves = {name: _as_lists(getattr(digested, name)) for name in _CURVES}
    facts = {"run_id": run_id, "stamp": stamp, "every": digested.every}
    return orjson.dumps({**facts, **curves}, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n"


def _as_lists(curve: LearningCurve | None) -> object:
    return None if curve is None else {"step": curve.step, "value": curve.value}


def _append(path: Path, lines: Sequence[bytes]) -> None:
    """Append lines to the cache. A failure is only logged, since results work without it."""
    try:
        path.parent.mkdir(exist_ok=True)  # without parents, so that a deleted experiment stays deleted
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        with os.fdopen(descriptor, "ab") as file:
            file.write(b"\n" + b"".join(lines))  # ends a torn line
    except OSError as error:
        log.warning("Cannot cache digests of runs in %s: %s", path, error)


def _read(path: Path) -> dict[str, tuple[str, RunDigest]]:
    found: dict[str, tuple[str, RunDigest]] = {}
    with suppress(OSError), path.open("rb") as file:
        while line := file.readline(MOST_LINE_BYTES):
            with suppress(ValueError, KeyError, TypeError):
                record = orjson.loads(line)
                curves = {name: _as_curve(record[name]) for name in _CURVES}
                digested = RunDigest(**curves, every=record["every"])  # type: ignore[arg-type]
                found[record["run_id"]] = (record["stamp"], digested)
    return found


def _as_curve(lists: dict[str, list[float | None]] | None) -> LearningCurve | None:
    if lists is None:
        return None
    return LearningCurve(np.array(lists["step"], dtype=np.float64), np.array(lists["value"], dtype=np.float64))
