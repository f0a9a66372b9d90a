"""Reading of journals: complete lines, broken lines, and limits."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import orjson
import pytest

from rlviz.rundir.journal import (
    MAX_LINE_BYTES,
    READ_BYTES,
    JournalTail,
    last_lines,
    read_backwards,
    read_journal,
    split_lines,
)
from tests.support.journals import write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


def test_a_missing_journal_has_no_lines(path: Path) -> None:
    tail = JournalTail(path)
    assert tail.read() == []
    assert tail.read_records().records == []
    write(path, 10)
    assert [line.record and line.record["step"] for line in tail.read()] == [10]


def test_a_torn_last_line_is_held_back_until_it_is_complete(path: Path) -> None:
    whole = b'{"seq":1,"step":10}\n{"seq":2,"step":20}\n'
    tail, read = JournalTail(path), []
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        read += [(line.record, end) for line in tail.read()]
    assert read == [({"seq": 1, "step": 10}, 20), ({"seq": 2, "step": 20}, 40)]
    assert tail.offset == len(whole)


def test_each_line_knows_its_start_and_end(path: Path) -> None:
    path.write_bytes(b'{"seq":1}\n{"seq":"\xc3\xa4"}\n\n{"seq":4}\n{"se')
    data = path.read_bytes()
    lines = JournalTail(path, offset=10).read()
    assert [data[line.start : line.end] for line in lines] == [b'{"seq":"\xc3\xa4"}\n', b"\n", b'{"seq":4}\n']
    assert [line.raw + b"\n" for line in lines] == [data[line.start : line.end] for line in lines]


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"nonsense",
        b"\0\0\0\0",
        b'{"seq":2',
        b'"seq"',
        b"[]",
        b"2",
        b"null",
        b"{}",
        b'{"seq":null}',
        b'{"seq":true}',
        b'{"seq":2.5}',
        b'{"seq":2},{"seq":3}',
        b'{"seq":2,"text":"',
        b'{"seq":2,"list":[',
        b'{"seq":2}\xff',
        b'{"seq":1,"ti{"seq":2}',
    ],
)
def test_a_broken_line_in_the_middle_is_reported_and_affects_no_other(path: Path, broken: bytes) -> None:
    path.write_bytes(b'{"seq":1}\n' + broken + b'\n{"seq":3}\n')
    lines = read_journal(path)
    assert [line.record for line in lines] == [{"seq": 1}, None, {"seq": 3}]
    assert lines[1].raw == broken
    records = JournalTail(path).read_records()
    assert records.records == [{"seq": 1}, {"seq": 3}]
    assert records.broken == [lines[1]]


def test_lines_that_are_valid_only_together_are_each_broken(path: Path) -> None:
    path.write_bytes(b'{"seq":1\n"step":10}\n{"seq":3,"text":"\n"}\n')
    assert [line.record for line in read_journal(path)] == [None] * 4


def test_reading_in_pieces_gives_the_same_as_reading_at_once(path: Path) -> None:
    rng = random.Random(10)
    rows = [{"seq": seq, "text": "x" * rng.choice([0, 3, 80, 8000])} for seq in range(1, 600)]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows) + b'{"torn')
    assert path.stat().st_size > 4 * READ_BYTES
    for limit in (1, 10, 1000, READ_BYTES, None):
        for read in (JournalTail.read, lambda tail, limit: tail.read_records(limit).records):
            tail, found = JournalTail(path), []
            while piece := read(tail, limit):
                found += piece
            assert [getattr(item, "record", item) for item in found] == rows
            assert tail.offset == path.stat().st_size - len(b'{"torn')


def test_a_piece_stays_within_its_limit_but_has_at_least_one_line(path: Path) -> None:
    path.write_bytes(b'{"seq":1}\n{"seq":2}\n' + b'{"seq":3,"text":"%s"}\n' % (b"x" * 100) + b'{"seq":4}\n')
    tail = JournalTail(path)
    assert [[line.record and line.record["seq"] for line in tail.read(25)] for _ in range(4)] == [[1, 2], [3], [4], []]


def test_lines_are_split_correctly_in_any_number() -> None:
    data = b"".join(b'{"seq":%d}\n' % seq for seq in range(1, 50_001))
    lines = list(split_lines(data, 7))
    assert [line.record for line in lines] == [{"seq": seq} for seq in range(1, 50_001)]
    assert lines[0].start == 7
    assert all(line.end == after.start for line, after in itertools.pairwise(lines))
    assert lines[-1].end == 7 + len(data)


@pytest.mark.parametrize("swallow", [(b'{"seq":1,"text":"', b'"}'), (b'{"seq":1,"list":[1', b"2]}")])
def test_two_records_in_one_line_do_not_compensate_for_a_lost_one(path: Path, swallow: tuple[bytes, bytes]) -> None:
    path.write_bytes(b"\n".join([*swallow, b'{"seq":3},{"seq":4}', b'{"seq":5}', b""]))
    assert [line.record for line in read_journal(path)] == [None, None, None, {"seq": 5}]


def test_lists_of_objects_are_read(path: Path) -> None:
    path.write_bytes(b'{"seq":1,"data":[{"a":1},{"a":2}]}\n{"seq":2}\n')
    assert [line.record for line in read_journal(path)] == [{"seq": 1, "data": [{"a": 1}, {"a": 2}]}, {"seq": 2}]


@pytest.mark.parametrize("chunk", [1, 2, 7, 10, 11, 64, 1000])
@pytest.mark.parametrize("tail", [b"", b'{"seq":99', b"x" * 100])
def test_lines_are_returned_complete_and_last_first_across_every_boundary(path: Path, chunk: int, tail: bytes) -> None:
    rows = [b'{"seq":%d,"text":"%s"}' % (seq, b"x" * (seq * 7 % 40)) for seq in range(1, 30)]
    rows[12] = b"broken"
    path.write_bytes(b"\n".join(rows) + b"\n" + tail)
    backwards = list(read_backwards(path, chunk=chunk))
    assert backwards[::-1] == read_journal(path)
    assert len(backwards) == 29


def test_reading_backwards_begins_at_the_given_end(path: Path) -> None:
    write(path, 1, 2, 3)
    end = read_journal(path)[1].end
    assert [line.record and line.record["seq"] for line in read_backwards(path, end)] == [2, 1]
    assert [line.record and line.record["seq"] for line in read_backwards(path, 10**12)] == [3, 2, 1]


def test_the_last_lines_are_in_order(path: Path) -> None:
    assert last_lines(path, 3) == []
    write(path, *range(10))
    assert [line.record and line.record["seq"] for line in last_lines(path, 3)] == [8, 9, 10]
    assert last_lines(path, 0) == []
    assert len(last_lines(path, 100)) == 10


# Lines without end


@pytest.mark.parametrize("long", [MAX_LINE_BYTES + 1, 3 * MAX_LINE_BYTES, 50_000_000])
def test_a_line_that_is_too_long_is_broken_and_neither_kept_nor_affects_others(path: Path, long: int) -> None:
    with path.open("wb") as file:
        file.write(b'{"seq":1}\n{"seq":2,"text":"')
        file.seek(10 + long - 1)  # the rest of the line is a hole: NUL bytes
        file.write(b'\n{"seq":3}\n')
    lines = read_journal(path)
    assert [line.record for line in lines] == [{"seq": 1}, None, {"seq": 3}]
    assert [(line.start, line.end) for line in lines] == [(0, 10), (10, 10 + long), (10 + long, 20 + long)]
    assert len(lines[1].raw) < 1000
    assert list(read_backwards(path))[::-1] == lines
    for limit in (10, READ_BYTES, None):
        tail, records, broken = JournalTail(path), [], []
        while (found := tail.read_records(limit)) != ([], []):
            records += found.records
            broken += found.broken
        assert (records, [line.start for line in broken]) == ([{"seq": 1}, {"seq": 3}], [10])


def test_a_line_longer_than_a_piece_is_read_if_it_is_a_record(path: Path) -> None:
    row = {"seq": 1, "text": "x" * (MAX_LINE_BYTES - 20)}
    path.write_bytes(orjson.dumps(row) + b"\n")
    assert [line.record for line in JournalTail(path).read(100)] == [row]
    assert [line.record for line in read_backwards(path, chunk=100)] == [row]


def test_an_endless_torn_line_is_searched_once_and_found_when_it_ends(path: Path) -> None:
    tail = JournalTail(path)
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert tail.read() == []
    searched = tail._searched
    assert searched == 50_000_000
    with path.open("ab") as file:
        file.write(b'\n{"seq":2}\n')
    assert [line.record for line in tail.read()] == [None, {"seq": 2}]


@pytest.mark.parametrize("seq", ["0", "-1", "9007199254740992", "18446744073709551615", "1e3", "null"])
def test_a_number_that_no_writer_produces_makes_a_line_broken(path: Path, seq: str) -> None:
    path.write_text(f'{{"seq":1}}\n{{"seq":{seq}}}\n')
    assert [line.record for line in read_journal(path)] == [{"seq": 1}, None]
