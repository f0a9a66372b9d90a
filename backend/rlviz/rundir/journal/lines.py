"""Lines: splits and parses the bytes of a journal."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

READ_BYTES = 1 << 17
"""Bytes per block. Long journals are read fastest in blocks of this size, which stay in the processor's cache."""

MAX_LINE_BYTES = 1 << 20
"""Maximum bytes of a line, newline included. A longer one is broken, and is never held in memory as a whole."""

MAX_SEQ = (1 << 53) - 1
"""The largest integer that every JSON parser, including browsers', represents exactly."""


class Line(NamedTuple):
    """A whole line: its beginning and end (bytes, newline included), and its content.

    ``record`` is None for a broken line; of one that is too long, ``raw`` is only the beginning.
    """

    start: int
    end: int
    raw: bytes
    record: dict[str, Any] | None


class Records(NamedTuple):
    """The readable records of some lines, in order, and the broken lines."""

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
    """The records of all lines of ``block``, parsed at once; None if a line is broken.

    Lines that were torn within a string or a list and run into one another make fewer records than lines. Only a line
    with two records could make up for that, so lines are parsed one by one where there may be one.
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
    """The record in a line, without its newline; None if it is broken."""
    if len(raw) >= MAX_LINE_BYTES:
        return None
    try:
        record = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    numbered = isinstance(record, dict) and type(record.get("seq")) is int and 0 < record["seq"] <= MAX_SEQ
    return record if numbered else None
