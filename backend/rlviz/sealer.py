"""The sealing process: writes the sealed copy of one run's metrics and exits.

    python -m rlviz.sealer JOURNAL SEALED_FOLDER LEAST_BYTES NICENESS

It writes only into the sealed folder, whose content is complete even if the process is killed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.journal import JournalTail
from rlviz.rundir.metric_columns import BLOCK_BYTES, Column, Table, read_tables
from rlviz.rundir.sealed import PIECE_BYTES, SealedColumn, SealedMetrics, SealedRows


def main(journal: str, folder: str, least_bytes: str, niceness: str) -> int:
    os.nice(int(niceness))
    try:
        seal(SealedMetrics(Path(folder), Path(journal)), int(least_bytes))
    except (OSError, RunFolderError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def seal(sealed: SealedMetrics, least_bytes: int, piece_bytes: int = PIECE_BYTES) -> None:
    """Seal the rest of the journal in pieces; a last piece below ``least_bytes`` is skipped.

    Raises OSError or RunFolderError.
    """
    tail = JournalTail(sealed.journal, sealed.sweep())
    while True:
        start = tail.offset
        rows = _read_piece(tail, piece_bytes)
        if tail.offset - start < max(1, least_bytes):
            return
        sealed.write(start, tail.offset, rows)


def _read_piece(tail: JournalTail, piece_bytes: int) -> SealedRows:
    """Read the next rows of a journal, about ``piece_bytes`` of it."""
    found: list[Table] = []
    broken_lines, start = 0, tail.offset
    for more in read_tables(tail, block_bytes=min(BLOCK_BYTES, piece_bytes)):
        found += more.tables
        broken_lines += more.left_out
        if tail.offset - start >= piece_bytes:
            break
    names = list(dict.fromkeys(name for table in found for name in table.values))
    return SealedRows(
        seq=np.concatenate([np.empty(0), *(table.seq for table in found)]),
        step=np.concatenate([np.empty(0), *(table.step for table in found)]),
        time=np.concatenate([np.empty(0), *(table.time for table in found)]),
        columns={name: _join(found, name) for name in names},
        broken_lines=broken_lines,
    )


def _join(found: list[Table], name: str) -> SealedColumn:
    """Join one metric of consecutive tables."""
    columns = [(table, table.values.get(name)) for table in found]
    value = np.concatenate([column.value for _, column in columns if column is not None])
    present = np.concatenate([_presence(table, column) for table, column in columns])
    return SealedColumn(value, None if present.all() else present)


def _presence(table: Table, column: Column | None) -> NDArray[np.bool_]:
    """Return the mask of the rows that have a metric, shape (n,)."""
    if column is not None and column.row is None:
        return np.ones(len(table.step), dtype=np.bool_)
    present = np.zeros(len(table.step), dtype=np.bool_)
    if column is not None:
        present[column.row] = True
    return present


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
