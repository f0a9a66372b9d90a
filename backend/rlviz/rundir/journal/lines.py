"""Lines: what the bytes of a journal say, line by line."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

READ_BYTES = 1 << 17
"""A long journal is read fastest in pieces of this size: what was parsed is still in the processor's cache."""

MAX_LINE_BYTES = 1 << 20
"""A longer line (newline included) is no record: it is handed over as broken, and kept in memory by nobody."""

MAX_SEQ = (1 << 53) - 1
"""The largest whole number that every JSON reader, a browser's for instance, gets right."""


class Line(NamedTuple):
    """A whole line: where it begins and ends (bytes, newline included), and what it says.

    ``record`` is None for a broken line; of one that is too long, ``raw`` is the beginning alone.
    """

    start: int
    end: int
    raw: bytes
    record: dict[str, Any] | None


class Records(NamedTuple):
    """The readable records of some lines, in order, and the lines that were broken."""

    records: list[dict[str, Any]]
    broken: list[Line]


def split_lines(data: bytes, offset: int = 0) -> Iterator[Line]:
    """The whole lines of ``data``, which begins at byte ``offset`` of its journal."""
    for start, block in blocks(data, offset):
        yield from block_lines(start, block)


def blocks(data: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines of ``data`` in blocks of about READ_BYTES, each with where it begins in the journal."""
    start, whole = 0, data.rfind(b"\n") + 1
    while start < whole:
        end = data.find(b"\n", min(start + READ_BYTES, whole) - 1) + 1
        yield offset + start, data[start:end]
        start = end


def block_lines(offset: int, block: bytes) -> Iterator[Line]:
    raws = block[:-1].split(b"\n")
    ends = list(itertools.accumulate((len(raw) + 1 for raw in raws), initial=offset))
    return map(Line, ends, ends[1:], raws, parse_block(block) or map(parse_line, raws))


def parse_block(block: bytes) -> list[dict[str, Any]] | None:
    """The records of all lines of ``block``, parsed at once; None if any line is broken.

    Lines that run into one another, torn within a text or a list, make fewer records than lines. Only a line
    of two records could make up for that: where there may be one, each line is parsed by itself.
    """
    if b"},{" in block or len(block) > MAX_LINE_BYTES:
        return None
    try:
        records: list[dict[str, Any]] = orjson.loads(b"[" + block[:-1].replace(b"\n", b",") + b"]")
        seqs = [record["seq"] for record in records]
        numbered = set(map(type, seqs)) == {int} and min(seqs) > 0 and max(seqs) <= MAX_SEQ
    except (orjson.JSONDecodeError, TypeError, LookupError):
        return None
    return records if numbered and len(records) == block.count(b"\n") else None


def parse_line(raw: bytes) -> dict[str, Any] | None:
    """The record that a line, without its newline, is; None if it is none."""
    if len(raw) >= MAX_LINE_BYTES:
        return None
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    numbered = isinstance(record, dict) and type(record.get("seq")) is int and 0 < record["seq"] <= MAX_SEQ
    return record if numbered else None
