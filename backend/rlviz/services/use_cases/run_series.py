"""RunSeries: the series of one run, partly from its sealed copy, partly parsed from the journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np

from rlviz.analysis.arrays import Floats
from rlviz.analysis.columns import Columns, Series
from rlviz.domain.errors import RunFolderError
from rlviz.domain.superseded import Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import JournalTail, journal_size
from rlviz.rundir.sealed import PIECE_BYTES, SealedPiece
from rlviz.rundir.superseded import SupersededRows
from rlviz.services.supervision.sealing import Sealer, sealed_metrics

Axis = Literal["step", "time"]

LONG_BYTES = 2 * PIECE_BYTES
"""Bytes of unsealed journal that are parsed without sealing first; that takes a quarter of a second."""

NOTHING = Series(*np.empty((3, 0)))


class RunSeries(Mapping[str, Series]):
    """Every series of a run, in the order of their first rows. Sealed parts are decoded when they are requested."""

    def __init__(self, pieces: Sequence[SealedPiece], rest: Mapping[str, Series]) -> None:
        self._pieces, self._rest = pieces, rest
        self._axes: dict[tuple[int, Axis], Floats] = {}
        """By the place of the piece: decoded once for all series."""
        self._names = list(dict.fromkeys([*(name for piece in pieces for name in piece.counts), *rest]))

    @property
    def is_sealed(self) -> bool:
        """Whether most of it is read from a sealed copy."""
        return bool(self._pieces)

    def __getitem__(self, name: str) -> Series:
        if name in self._rest and not self._pieces:
            return self._rest[name]
        return Series(*self._read(name, ("step", "time")))

    def points(self, name: str, axis: Axis) -> tuple[Floats, Floats]:
        """Axis and value of one series, each of shape (n,), with only the requested axis."""
        x, y = self._read(name, (axis,))
        return x, y

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _read(self, name: str, axes: Sequence[Axis]) -> list[Floats]:
        """The ``axes``, then the value, of all rows of ``name``. Raises KeyError if it was never logged."""
        parts = [self._of_piece(place, name, axes) for place, piece in enumerate(self._pieces) if name in piece.counts]
        if name in self._rest:
            parts.append([getattr(self._rest[name], field) for field in (*axes, "value")])
        if not parts:
            raise KeyError(name)
        return [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _of_piece(self, place: int, name: str, axes: Sequence[Axis]) -> list[Floats]:
        value, present = self._pieces[place].column(name)
        found = [self._axis(place, axis) for axis in axes]
        return [*(axis if present is None else axis[present] for axis in found), value]

    def _axis(self, place: int, axis: Axis) -> Floats:
        if (known := self._axes.get((place, axis))) is None:
            known = self._axes[place, axis] = self._pieces[place].axis(axis)
        return known


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All series up to ``offset`` (bytes) and not beyond, even if others read further meanwhile."""

    series: RunSeries
    broken_lines: int
    offset: int
    superseded: Superseded
    """Rows that are left out."""


class OpenedRun:
    """One run up to an offset of its journal: the sealed part as compressed files, the rest as columns."""

    def __init__(self, folder: RunFolder, sealer: Sealer | None) -> None:
        self._folder, self._sealed, self._sealer = folder, sealed_metrics(folder), sealer
        self._events, self._left_out = SupersededRows(folder), Superseded()
        self._lock = Lock()
        self._tail: JournalTail | None = None

    def read(self) -> Snapshot:
        """Read new lines; return all series."""
        with self._lock:
            superseded = self._events.now()
            if self._tail is None or self._has_outgrown(self._tail) or superseded != self._left_out:
                self._open(superseded)
            assert self._tail is not None
            for records, broken in self._tail.record_batches():
                if superseded:
                    records = [record for record in records if record["seq"] not in superseded]
                self._broken_lines += len(broken) + self._columns.append(records)
            rest = {name: self._columns.series(name) for name in self._columns.names()}
            return Snapshot(RunSeries(self._pieces, rest), self._broken_lines, self._tail.offset, superseded)

    def _open(self, superseded: Superseded) -> None:
        self._left_out = superseded
        self._pieces = self._sealed.pieces()
        if self._sealer is not None and self._unsealed() >= LONG_BYTES:
            self._sealer.seal_now(self._folder)
            self._pieces = self._sealed.pieces()
        self._pieces = [piece.without(superseded) for piece in self._pieces]
        self._seen_end = self._sealed.end()
        self._tail, self._columns = JournalTail(self._folder.metrics_path, self._sealed_end()), Columns()
        self._broken_lines = sum(piece.broken_lines for piece in self._pieces)

    def _sealed_end(self) -> int:
        return self._pieces[-1].end if self._pieces else 0

    def _unsealed(self) -> int:
        """Bytes of the journal that have to be parsed."""
        try:
            return journal_size(self._folder.metrics_path) - self._sealed_end()
        except (OSError, RunFolderError):
            return 0

    def _has_outgrown(self, tail: JournalTail) -> bool:
        """Whether much was parsed here, and pieces were added since it was opened."""
        unsealed = tail.offset - self._sealed_end()
        return unsealed >= LONG_BYTES and self._sealed.end() != self._seen_end
