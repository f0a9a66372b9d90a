"""MetricTables: ``metrics``, from sealed copies where there are any, and from the journals themselves beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np

from rlviz.analysis.columns import Columns, Series
from rlviz.domain.errors import RlvizError
from rlviz.domain.superseded import Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_size
from rlviz.rundir.metric_rows import counted_batches
from rlviz.rundir.sealed import SealedMetrics, SealedPiece, column_of
from rlviz.rundir.superseded import superseded_rows
from rlviz.services.analytics.columns import SQL_TYPES
from rlviz.services.analytics.run_columns import METRICS
from rlviz.services.analytics.warehouse import pattern_of, quoted

MOST_UNSEALED_BYTES = 32 << 20
"""Bytes of journals that are parsed for one table; sealed copies are read however long they are."""

UNSEALED = "unsealed_metrics"


class _Column(NamedTuple):
    """Where a metric is read. ``left_out``: stretches of superseded rows; ``alone``: the one file that has the column
    by that name, None if all have."""

    metric: str
    left_out: tuple[tuple[int, int], ...]
    column: str
    alone: Path | None = None


Files = dict[_Column, list[Path]]


@dataclass(frozen=True, eq=False)
class _RunParts:
    """``files``: the sealed pieces, by what is read of them. ``rest``:
    series of what is parsed, from ``unsealed`` bytes; None if these are too many."""

    stamp: tuple[object, ...]
    files: Files
    unsealed: int
    rest: dict[str, Series] | None


@dataclass(frozen=True, eq=False)
class MetricTable:
    """``view`` is SQL over the Parquet ``files`` and over ``unsealed``, an Arrow table of the name UNSEALED."""

    view: str
    files: list[Path]
    unsealed: Any
    whole: int
    """Runs that are in it with all of their rows."""
    runs: int


class MetricTables:
    """For one thread. What was read of a run is kept until its journal or its sealed copy changes."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._known: dict[str, _RunParts] = {}

    def read(self, run_ids: Sequence[str]) -> MetricTable:
        """``run_ids``: the most important first; the journals of the last ones are left out if there are too many."""
        budget, parts = MOST_UNSEALED_BYTES, {}
        for run_id in run_ids:
            found = self._parts(run_id, budget)
            parts[run_id] = found
            budget -= found.unsealed if found.rest is not None else 0
        self._known = parts
        files: Files = {}
        for one in parts.values():
            for what, paths in one.files.items():
                files.setdefault(what, []).extend(paths)
        every = list(dict.fromkeys(path for paths in files.values() for path in paths))
        whole = sum(one.rest is not None for one in parts.values())
        return MetricTable(_view(files), every, _long(parts), whole, len(run_ids))

    def _parts(self, run_id: str, budget: int) -> _RunParts:
        try:
            folder = RunFolder(self._runs_dir, run_id)
            superseded = superseded_rows(folder)
            sealed = SealedMetrics(folder.sealed, folder.metrics_path)
            size = journal_size(folder.metrics_path)
            stamp = (size, superseded, *sealed.names())
            known = self._known.get(run_id)
            if known is not None and known.stamp == stamp and (known.rest is not None or known.unsealed > budget):
                return known
            chain = sealed.files()
            files: Files = {}
            for path, piece in chain:
                left_out = superseded.merged if piece.has_any_of(superseded) else ()
                renamed = _told_apart(path, piece)
                for name in piece.counts:
                    column = column_of(name)
                    key = _Column(name, left_out, renamed.get(column, column), path if renamed else None)
                    files.setdefault(key, []).append(path)
            end = chain[-1][1].end if chain else 0
            rest = _parsed(folder, end, superseded) if size - end <= budget else None
            return _RunParts(stamp, files, size - end, rest)
        except (OSError, RlvizError):  # it was deleted meanwhile, or is damaged
            return _RunParts((), {}, 0, None)


def _told_apart(path: Path, piece: SealedPiece) -> dict[str, str]:
    """Return what DuckDB calls each column of a file in which some differ in capitals alone: to it, those are the same
    name. Empty for a file without such columns."""
    columns = list(piece.places)
    if len({column.casefold() for column in columns}) == len(columns):
        return {}
    with closing(duckdb.connect(":memory:")) as connection:
        described = connection.execute(f"DESCRIBE SELECT * FROM {_read([path])}").fetchall()
    return {column: name for column, (name, *_) in zip(columns, described, strict=False)}


def _read(paths: Sequence[Path]) -> str:
    listed = ", ".join(quoted(pattern_of(path)) for path in paths)
    return f"read_parquet([{listed}], filename = true, hive_partitioning = false)"


def _parsed(folder: RunFolder, start: int, superseded: Superseded) -> dict[str, Series]:
    columns = Columns()
    for batch in counted_batches(folder, offset=start, superseded=superseded):
        columns.append(batch)
    return {name: columns.series(name) for name in columns.names()}


def _view(files: Files) -> str:
    """A branch for each metric, so that a condition on the name leaves all other columns unread."""
    names = ", ".join(f"{column.name}::{SQL_TYPES[column.kind]} AS {column.name}" for column in METRICS)
    branches = [f"SELECT {names} FROM {UNSEALED}"]
    for one, paths in files.items():
        column = '"{}"'.format(one.column.replace('"', '""'))
        superseded = (f"seq NOT BETWEEN {first} AND {last}" for first, last in one.left_out)
        branches.append(
            f"SELECT parse_path(filename)[-3], {quoted(one.metric)}, step, time, {column} "
            f"FROM {_read(paths)} WHERE {' AND '.join([f'{column} IS NOT NULL', *superseded])}"
        )
    return " UNION ALL ".join(branches)


def _long(parts: dict[str, _RunParts]) -> Any:
    """A row for each value of each series."""
    import pyarrow as pa

    found = [(run_id, name, one) for run_id, part in parts.items() for name, one in (part.rest or {}).items()]
    lengths = [len(series) for _, _, series in found]

    def repeated(values: Sequence[str]) -> Any:
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        indices = np.repeat(np.array([places[value] for value in values], dtype=np.int32), lengths)
        return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(list(places), pa.string()))

    def joined(field: str) -> Any:
        return np.concatenate([np.empty(0), *(getattr(series, field) for _, _, series in found)])

    return pa.table(
        {
            "run_id": repeated([run_id for run_id, _, _ in found]),
            "name": repeated([name for _, name, _ in found]),
            **{field: joined(field) for field in ("step", "time", "value")},
        }
    )
