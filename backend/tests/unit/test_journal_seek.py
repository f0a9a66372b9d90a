"""Positions in a journal: line starts, and lookup by time."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import orjson
import pytest

from rlviz.rundir.journal import JournalTail, is_line_start, line_number, offset_after, read_journal
from tests.support.journals import write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


def test_only_offsets_of_line_starts_and_of_the_end_are_line_starts(path: Path) -> None:
    write(path, 1, 2, 3)
    with path.open("ab") as file:
        file.write(b'{"torn')
    starts = {0, *(line.end for line in read_journal(path))}
    assert {offset for offset in range(-5, path.stat().st_size + 5) if is_line_start(path, offset)} == starts


@pytest.mark.parametrize("offset", [-1, -(10**30), 10**12, 2**63, 10**30])
def test_offsets_outside_the_journal_are_no_line_starts(path: Path, offset: int) -> None:
    assert not is_line_start(path, offset)
    write(path, 1)
    assert not is_line_start(path, offset)


def test_the_start_of_a_missing_journal_is_a_line_start(path: Path) -> None:
    assert is_line_start(path, 0)
    assert not is_line_start(path, 1)


def after(path: Path, since: float) -> list[Any]:
    return [line.record and line.record["seq"] for line in JournalTail(path, offset_after(path, since)).read()]


def test_reading_after_a_time_returns_every_later_line_and_no_earlier_one(path: Path) -> None:
    rng = random.Random(11)
    for count in (1, 2, 3, 10, 200):
        times = sorted(rng.choice([rng.uniform(0, 100), 50.0]) for _ in range(count))
        lines = [
            orjson.dumps({"seq": seq, "time": moment, "text": "x" * rng.randrange(60)})
            for seq, moment in enumerate(times, start=1)
        ]
        path.write_bytes(b"\n".join(lines) + b"\n" + rng.choice([b"", b'{"seq":7,"time":9']))
        for since in [-1.0, 0.0, 49.999, 50.0, 50.001, 101.0, *times[:: max(1, count // 20)]]:
            assert after(path, since) == [seq for seq, moment in enumerate(times, start=1) if moment > since]


def test_reading_after_a_time_skips_broken_lines_without_losing_another(path: Path) -> None:
    broken = [b"nonsense", b'{"seq":5}', b'{"seq":6,"time":null}', b""]
    for position in range(7):
        for count in range(1, 5):
            lines = [b'{"seq":%d,"time":%d}' % (seq, seq) for seq in range(1, 7)]
            lines[position:position] = broken[:count]
            path.write_bytes(b"\n".join(lines) + b"\n")
            for since in range(8):
                data = path.read_bytes()[offset_after(path, since) :]
                found = [seq for seq in range(1, 7) if b'{"seq":%d,"time":%d}\n' % (seq, seq) in data]
                assert found == list(range(since + 1, 7))


def test_a_missing_or_empty_journal_is_read_from_its_start_after_any_time(path: Path) -> None:
    assert offset_after(path, 5.0) == 0
    path.touch()
    assert offset_after(path, 5.0) == 0


def test_reading_after_a_time_skips_an_endless_line(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b'{"seq":1,"time":1}\n')
        file.seek(50_000_000)
        file.write(b'\n{"seq":3,"time":3}\n')
    assert after(path, 0) == [1, None, 3]
    assert after(path, 1) == [None, 3]
    assert after(path, 3) == []


def test_lines_are_counted_from_one(path: Path) -> None:
    write(path, 1, 2, 3)
    assert [line_number(path, line.start) for line in read_journal(path)] == [1, 2, 3]
