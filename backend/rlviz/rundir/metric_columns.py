"""Reads ``metrics.jsonl`` as tables of numbers: the one parser for every reader that needs columns instead of rows.

Most lines of a journal come from the same few places in the training code, so their text differs in the numbers alone.
``read_tables`` uses that: it checks that a block of lines has the text that is expected around the numbers, blanks that
text, and parses all numbers of the block as one list. No Python object is made for a row. A block with any line that
does not fit (broken, torn, unusual) is parsed line by line, with the same result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from rlviz.domain.events import Superseded
from rlviz.domain.ids import MAX_TIME
from rlviz.domain.metrics import MAX_STEP, is_metric
from rlviz.rundir.journal import MAX_SEQ, JournalTail, Piece

Floats = NDArray[np.float64]

BLOCK_BYTES = 1 << 19
"""Bytes that are parsed at once. Larger blocks leave the processor's cache; smaller ones pay more for each call."""

FEW_BYTES = 1 << 13
"""Fewer bytes are parsed line by line, which is faster for some sixty rows."""

LEAST_LINES = 8
"""Lines of each outline in a block, on average; with fewer, parsing them one by one is as fast."""

MOST_SHAPES = 1_000
"""Shapes to remember. A journal with more is unusual; they are then collected again."""


@dataclass(frozen=True, eq=False)
class Column:
    """One metric in a table: its ``value`` (NaN for null), shape (m,), in the rows of index ``row``; None: in all."""

    value: Floats
    row: NDArray[np.intp] | None


@dataclass(frozen=True, eq=False)
class Table:
    """Some rows: ``seq``, ``step`` and ``time`` of shape (n,), and for each metric the rows that have it.

    The metrics are in the order of their first rows.
    """

    seq: Floats
    step: Floats
    time: Floats
    values: dict[str, Column]

    def rows_of(self, column: Column) -> tuple[Floats, Floats, Floats]:
        """Step, time and value of the rows that have ``column``, each of shape (m,)."""
        if column.row is None:
            return self.step, self.time, column.value
        return self.step[column.row], self.time[column.row], column.value


_NO_ROWS = Superseded()


@dataclass(frozen=True)
class WantedRows:
    """Which rows of a journal to read: those with ``after`` < ``seq`` ≤ ``last`` (None: no end), not ``superseded``.

    ``only_valid``: only rows that ``is_metric`` accepts, which also checks the ranges of ``step`` and ``time``.
    """

    superseded: Superseded = _NO_ROWS
    after: int = 0
    last: int | None = None
    only_valid: bool = False

    def has(self, record: Mapping[str, Any]) -> bool:
        """Whether to read ``record``, ignoring ``last``."""
        seq = record["seq"]
        return seq > self.after and seq not in self.superseded and (not self.only_valid or is_metric(record))

    def mask(self, table: Table) -> NDArray[np.bool_]:
        """``has`` for each row of ``table``, whose steps are integers; shape (n,)."""
        found = table.seq > self.after
        for first, last in self.superseded.merged:
            found &= (table.seq < first) | (table.seq > last)
        if self.only_valid:
            found &= (table.step >= 0) & (table.step <= MAX_STEP) & (table.time >= 0) & (table.time <= MAX_TIME)
        return found


EVERY_ROW = WantedRows()


class Tables(NamedTuple):
    """The rows of some lines of a journal, as one or more tables in order.

    ``left_out``: number of lines that are no records and were left out.
    """

    tables: list[Table]
    left_out: int


def read_tables(
    tail: JournalTail, wanted: WantedRows = EVERY_ROW, *, block_bytes: int = BLOCK_BYTES
) -> Iterator[Tables]:
    """The new rows that ``tail`` finds, about ``block_bytes`` of the journal at a time.

    Ends early after a block whose last row is beyond ``wanted.last``. Raises RunFolderError.
    """
    shapes = _Shapes()
    for piece in tail.pieces(limit=block_bytes):
        found, is_last = _read_at_once(piece, wanted, shapes) or _read_by_line(piece, wanted)
        yield found
        if is_last:
            return


def _read_by_line(piece: Piece, wanted: WantedRows) -> tuple[Tables, bool]:
    """The rows of ``piece``, and whether the last one is beyond ``wanted.last``."""
    records, broken = piece.records()
    if wanted is not EVERY_ROW:
        records = [record for record in records if wanted.has(record)]
    is_last = False
    if wanted.last is not None and records:
        is_last = records[-1]["seq"] >= wanted.last
        records = [record for record in records if record["seq"] <= wanted.last]
    found, refused = tables_of(records)
    return Tables(found, len(broken) + refused), is_last


def _read_at_once(piece: Piece, wanted: WantedRows, shapes: _Shapes) -> tuple[Tables, bool] | None:
    """As ``_read_by_line``; None where a line has no known shape, and where only some of the rows are wanted."""
    if len(piece.data) < FEW_BYTES:
        return None
    table = _parse_block(piece.data, shapes)
    if table is None:
        return None
    if wanted is EVERY_ROW:
        return Tables([table], 0), False
    mask = wanted.mask(table)
    if not mask.any():
        return Tables([], 0), False
    if not mask.all() or (wanted.last is not None and table.seq.max() > wanted.last):
        return None  # metrics are in the order of the first rows that are wanted, which the table does not tell
    return Tables([table], 0), wanted.last is not None and bool(table.seq[-1] >= wanted.last)


_NUMBER = rb"(?:null|-?[0-9][0-9.eE+-]*)"
_NAME = rb'"[^"\\]*"'
_ROW = re.compile(
    rb'\{"seq":%(n)b,"time":%(n)b,"step":%(n)b,"values":\{%(k)b:%(n)b(?:,%(k)b:%(n)b)*\}\}'
    % {b"n": _NUMBER, b"k": _NAME}
)
_KEY = re.compile(_NAME)
_AXES = (b'{"seq":', b',"time":', b',"step":')
_END = b"}}\n"
_IN_NUMBERS = b"0123456789.+-eEnul"
"""Characters that a number or null consists of. A name may have them too."""


@dataclass(frozen=True)
class _Shape:
    """The text of a line around its numbers. ``before``: what comes before each number, ending with a colon."""

    before: tuple[bytes, ...]
    names: tuple[str, ...]


class _Shapes:
    """The shape of a line by its outline, which is the line without the characters that numbers consist of.

    Lines of different shapes can have the same outline, so a shape that is found by an outline is a guess.
    ``common``: the shape of all lines of the last block, if they had the same.
    """

    def __init__(self) -> None:
        self.common: _Shape | None = None
        self._known: dict[bytes, _Shape | None] = {}

    def guess(self, outline: bytes, line: bytes) -> _Shape | None:
        """Return the shape of the lines with ``outline``, such as ``line``. None: parse them one by one."""
        if outline not in self._known:
            if len(self._known) >= MOST_SHAPES:
                self._known.clear()
            self._known[outline] = _shape_of(line)
        return self._known[outline]


def _shape_of(line: bytes) -> _Shape | None:
    """None for a line that does not consist of axes and numbers as the writer orders them, without escapes."""
    if _ROW.fullmatch(line) is None:
        return None
    try:
        names = tuple(orjson.loads(line)["values"])
    except orjson.JSONDecodeError:
        return None
    keys = _KEY.findall(line)[4:]
    if len(names) != len(keys):  # a name that occurs twice
        return None
    first, *others = keys
    return _Shape((*_AXES, b',"values":{%b:' % first, *(b",%b:" % key for key in others)), names)


def _parse_block(block: bytes, shapes: _Shapes) -> Table | None:
    """The whole lines of ``block`` as a table. None if one of them has no shape, or is no record."""
    if shapes.common is not None and (numbers := _parse_numbers(block, shapes.common)) is not None:
        return _join(len(numbers), [(slice(None), shapes.common, numbers)])
    outlines = block.translate(None, _IN_NUMBERS)
    outline = outlines[: outlines.index(b"\n") + 1]
    if outline * (len(outlines) // len(outline)) != outlines:
        shapes.common = None
        return _parse_mixed(block[:-1].split(b"\n"), outlines[:-1].split(b"\n"), shapes)
    shapes.common = shapes.guess(outline[:-1], block[: block.index(b"\n")])
    if shapes.common is None or (numbers := _parse_numbers(block, shapes.common)) is None:
        return None
    return _join(len(numbers), [(slice(None), shapes.common, numbers)])


def _parse_mixed(lines: list[bytes], outlines: list[bytes], shapes: _Shapes) -> Table | None:
    """Lines of more than one shape: those of each outline are parsed together."""
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    for place, outline in enumerate(outlines):
        places[outline].append(place)
    if len(lines) < LEAST_LINES * len(places):
        return None
    groups = []
    for outline, having in places.items():
        shape = shapes.guess(outline, lines[having[0]])
        if shape is None:
            return None
        block = b"\n".join([lines[place] for place in having]) + b"\n"
        if (numbers := _parse_numbers(block, shape)) is None:
            return None
        groups.append((np.array(having, dtype=np.intp), shape, numbers))
    return _join(len(lines), groups)


_Group = tuple["NDArray[np.intp] | slice", _Shape, Floats]
"""Rows of one shape: their places in the table, and their numbers, shape (rows, 3 + metrics)."""


def _join(count: int, groups: Sequence[_Group]) -> Table | None:
    """One table of ``count`` rows. None if a row has no time. ``groups`` are in the order of their first rows."""
    axes = np.empty((3, count))
    for rows, _, numbers in groups:
        axes[:, rows] = numbers[:, :3].T
    seq, time, step = axes
    if np.isnan(time).any():
        return None
    parts: dict[str, list[tuple[Any, Floats]]] = {}
    for rows, shape, numbers in groups:
        for place, name in enumerate(shape.names, 3):
            parts.setdefault(name, []).append((rows, numbers[:, place]))
    return Table(seq, step, time, {name: _join_column(found) for name, found in parts.items()})


def _join_column(parts: Sequence[tuple[Any, Floats]]) -> Column:
    if len(parts) == 1:
        [(rows, value)] = parts
        return Column(value, None if isinstance(rows, slice) else rows)
    row, value = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(row)
    return Column(value[order], row[order])


def _parse_numbers(block: bytes, shape: _Shape) -> Floats | None:
    """The numbers of the lines of ``block``, shape (rows, 3 + metrics), NaN for null. None if one has another shape.

    The text between the numbers is compared with ``shape`` and overwritten by blanks and commas. What is left is the
    content of a JSON list. Each text ends with a colon, and numbers have none, so the colons say where texts are.
    """
    content = bytearray(block)
    characters = np.frombuffer(content, np.uint8)
    ends, colons = np.flatnonzero(characters == ord("\n")), np.flatnonzero(characters == ord(":"))
    last_colons = np.cumsum([text.count(b":") for text in shape.before]) - 1
    rows, width = len(ends), len(shape.before)
    if colons.size != rows * (last_colons[-1] + 1):
        return None
    of_row = colons.reshape(rows, -1)
    line_starts = np.concatenate([[0], ends[:-1] + 1])
    if not np.array_equal(of_row[:, 0] - (len(shape.before[0]) - 1), line_starts):
        return None
    for text, last_colon in zip(shape.before, last_colons, strict=True):
        if not _overwrite(content, of_row[:, last_colon] - (len(text) - 1), text, b","):
            return None
    if not _overwrite(content, ends - (len(_END) - 1), _END, b""):
        return None
    content[0], content[-1] = ord("["), ord("]")
    if b'"' in content or b"{" in content or content.find(b"[", 1) >= 0:
        return None  # a value that is no number
    try:
        flat = orjson.loads(content)
        seqs = flat[::width]
        if len(flat) != rows * width or {*map(type, seqs), *map(type, flat[2::width])} != {int}:
            return None
        if min(seqs) <= 0 or max(seqs) > MAX_SEQ:
            return None
        return np.array(flat, dtype=np.float64).reshape(rows, width)
    except (orjson.JSONDecodeError, OverflowError):
        return None


def _overwrite(content: bytearray, starts: NDArray[np.intp], text: bytes, by: bytes) -> bool:
    """Overwrite ``text`` at all ``starts`` with ``by``, padded with blanks. Return False if ``text`` is not at all of
    them."""
    if starts.min() < 0:
        return False
    size = len(text)
    windows = np.ndarray(len(content) - size + 1, f"S{size}", content, strides=(1,))
    if (windows[starts] != text).any():
        return False
    windows[starts] = by.ljust(size)
    return True


def tables_of(batch: Sequence[Mapping[str, Any]]) -> tuple[list[Table], int]:
    """The records of ``batch`` as one table, or as several around those that are no records, and how many are none."""
    if not batch:
        return [], 0
    table = _table(batch)
    if table is not None:
        return [table], 0
    if len(batch) == 1:
        return [], 1
    middle = len(batch) // 2
    (before, refused_before), (after, refused_after) = tables_of(batch[:middle]), tables_of(batch[middle:])
    return before + after, refused_before + refused_after


def _table(batch: Sequence[Mapping[str, Any]]) -> Table | None:
    """None if a record is malformed."""
    try:
        seq = _numbers([record["seq"] for record in batch])
        step = _numbers([record["step"] for record in batch])
        time = _numbers([record["time"] for record in batch])
        values: list[Mapping[str, Any]] = [record["values"] for record in batch]
        if np.isnan((seq, step, time)).any() or set(map(type, values)) != {dict}:
            return None
        names = list(map(tuple, values))
        columns = _even(values, names[0]) if len(set(names)) == 1 else _uneven(values)
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return Table(seq, step, time, columns)


def _even(values: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Column]:
    """Each record has each of the names."""
    return {name: Column(_numbers([record[name] for record in values]), None) for name in names}


def _uneven(values: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """The general case: not every record has every name."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, record in enumerate(values):
        for name in record:
            rows[name].append(row)
    return {
        name: Column(_numbers([values[row][name] for row in having]), np.array(having, dtype=np.intp))
        for name, having in rows.items()
    }


def _numbers(items: Sequence[float | None]) -> Floats:
    """An array of shape (n,), NaN for None. Raises TypeError for text, which NumPy would try to read."""
    numbers = np.array(items, dtype=np.float64)
    if numbers.ndim != 1 or str in set(map(type, items)):
        raise TypeError("Metrics are numbers.")
    return numbers
