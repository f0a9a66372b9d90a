"""Journals: what is appended can be read, whatever happens to the writer."""

from __future__ import annotations

import itertools
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from rlviz.rundir.journal import (
    READ_BYTES,
    JournalTail,
    JournalWriter,
    is_line_start,
    last_lines,
    offset_after,
    read_backwards,
    read_journal,
    split_lines,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def write(path: Path, *steps: int, clock: Clock | None = None) -> None:
    writer = JournalWriter(path, clock=clock or Clock())
    for step in steps:
        writer.append({"step": step})
    writer.close()


def seqs(path: Path) -> list[int | None]:
    return [line.record and line.record["seq"] for line in read_journal(path)]


# Writing


def test_records_are_numbered_from_one_with_seq_and_time_in_front(path: Path) -> None:
    write(path, 10, 20)
    assert path.read_bytes() == b'{"seq":1,"time":1000.0,"step":10}\n{"seq":2,"time":1000.0,"step":20}\n'


def test_reopening_goes_on_after_the_last_line(path: Path) -> None:
    write(path, 10, 20)
    write(path, 30)
    assert seqs(path) == [1, 2, 3]


def test_reopening_cuts_a_torn_tail_off_and_uses_its_number_again(path: Path) -> None:
    write(path, 10, 20)
    with path.open("ab") as file:
        file.write(b'{"seq":3,"time":10')
    write(path, 30)
    assert seqs(path) == [1, 2, 3]
    assert read_journal(path)[-1].record == {"seq": 3, "time": 1000.0, "step": 30}


def test_reopening_cuts_a_torn_tail_longer_than_a_piece(path: Path) -> None:
    write(path, 10)
    with path.open("ab") as file:
        file.write(b"x" * (3 << 20))
    write(path, 20)
    assert seqs(path) == [1, 2]


def test_reopening_a_journal_of_one_torn_line_starts_afresh(path: Path) -> None:
    path.write_bytes(b'{"seq":1')
    write(path, 10)
    assert seqs(path) == [1]


def test_broken_lines_at_the_end_keep_their_numbers(path: Path) -> None:
    write(path, 10, 20)
    with path.open("ab") as file:
        file.write(b"\0\0\0\nnonsense\n")
    write(path, 30)
    assert seqs(path) == [1, 2, None, None, 5]


def test_rows_wait_for_flush_seconds_and_no_longer(path: Path) -> None:
    clock = Clock()
    writer = JournalWriter(path, clock=clock, monotonic=clock, flush_seconds=0.1)
    writer.append({"step": 1})
    clock.now += 0.09
    writer.append({"step": 2})
    writer.flush_if_due()
    assert path.read_bytes() == b""
    clock.now += 0.02
    writer.flush_if_due()
    assert seqs(path) == [1, 2]
    clock.now += 0.2
    writer.append({"step": 3})
    assert seqs(path) == [1, 2, 3]
    writer.append({"step": 4})
    assert seqs(path) == [1, 2, 3]
    writer.flush()
    assert seqs(path) == [1, 2, 3, 4]
    writer.append({"step": 5})
    writer.close()
    assert seqs(path) == [1, 2, 3, 4, 5]


def test_a_closed_journal_takes_no_more_and_may_be_closed_again(path: Path) -> None:
    writer = JournalWriter(path)
    writer.close()
    writer.close()
    writer.flush_if_due()
    with pytest.raises(ValueError, match="closed"):
        writer.append({"step": 1})


def test_a_record_that_json_cannot_say_uses_up_no_number(path: Path) -> None:
    writer = JournalWriter(path)
    writer.append({"step": 1})
    with pytest.raises(TypeError):
        writer.append({"step": object()})
    assert writer.append({"step": 2}) == 2
    writer.close()
    assert seqs(path) == [1, 2]


def test_nan_is_written_as_null(path: Path) -> None:
    writer = JournalWriter(path)
    writer.append({"values": {"train/loss": float("nan")}})
    writer.close()
    assert read_journal(path)[0].record == {**read_journal(path)[0].record, "values": {"train/loss": None}}


def test_what_a_full_disk_refused_is_written_where_it_was_torn(path: Path) -> None:
    writer = JournalWriter(path)
    for step in range(5):
        writer.append({"step": step})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            writer.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert seqs(path) == [1]
    assert path.stat().st_size == 50
    writer.append({"step": 5})
    writer.close()
    assert seqs(path) == [1, 2, 3, 4, 5, 6]


def test_threads_appending_together_leave_no_gap(path: Path) -> None:
    writer = JournalWriter(path, flush_seconds=0)
    given: list[int] = []
    threads = [
        threading.Thread(target=lambda: given.extend([writer.append({"step": step}) for step in range(300)]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert sorted(given) == list(range(1, 2401))
    assert seqs(path) == list(range(1, 2401))


KILLED = """
import sys
from pathlib import Path
from rlviz.rundir.journal import JournalWriter
writer = JournalWriter(Path(sys.argv[1]), flush_seconds=0.001)
print("ready", flush=True)
while True:
    writer.append({"step": 1, "values": {"episode/reward": 21.0, "text": "x" * 3000}})
"""


def test_a_writer_killed_at_any_moment_leaves_a_readable_journal_that_goes_on(path: Path) -> None:
    moments = random.Random(9)
    for _ in range(20):
        with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(moments.uniform(0, 0.02))
            writer.send_signal(signal.SIGKILL)
        assert seqs(path) == list(range(1, len(seqs(path)) + 1))
    write(path, 1)
    assert seqs(path) == list(range(1, len(seqs(path)) + 1))


# Reading on


def test_a_journal_that_is_not_there_yet_has_no_lines(path: Path) -> None:
    tail = JournalTail(path)
    assert tail.read() == []
    assert tail.read_records().records == []
    write(path, 10)
    assert [line.record and line.record["step"] for line in tail.read()] == [10]


def test_a_torn_last_line_is_held_back_until_it_is_whole(path: Path) -> None:
    whole = b'{"seq":1,"step":10}\n{"seq":2,"step":20}\n'
    tail, read = JournalTail(path), []
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        read += [(line.record, end) for line in tail.read()]
    assert read == [({"seq": 1, "step": 10}, 20), ({"seq": 2, "step": 20}, 40)]
    assert tail.offset == len(whole)


def test_each_line_knows_where_it_begins_and_ends(path: Path) -> None:
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
def test_a_broken_line_in_the_middle_is_reported_and_costs_no_other(path: Path, broken: bytes) -> None:
    path.write_bytes(b'{"seq":1}\n' + broken + b'\n{"seq":3}\n')
    lines = read_journal(path)
    assert [line.record for line in lines] == [{"seq": 1}, None, {"seq": 3}]
    assert lines[1].raw == broken
    records = JournalTail(path).read_records()
    assert records.records == [{"seq": 1}, {"seq": 3}]
    assert records.broken == [lines[1]]


def test_lines_that_are_whole_only_together_are_each_broken(path: Path) -> None:
    path.write_bytes(b'{"seq":1\n"step":10}\n{"seq":3,"text":"\n"}\n')
    assert [line.record for line in read_journal(path)] == [None] * 4


def test_reading_piece_by_piece_gives_the_same_as_reading_at_once(path: Path) -> None:
    rng = random.Random(10)
    rows = [{"seq": seq, "text": "x" * rng.choice([0, 3, 80, 2000])} for seq in range(1, 3000)]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows) + b'{"torn')
    assert path.stat().st_size > 4 * READ_BYTES
    for limit in (1, 10, 1000, READ_BYTES, None):
        for read in (JournalTail.read, lambda tail, limit: tail.read_records(limit).records):
            tail, found = JournalTail(path), []
            while piece := read(tail, limit):
                found += piece
            assert [getattr(item, "record", item) for item in found] == rows
            assert tail.offset == path.stat().st_size - len(b'{"torn')


def test_a_piece_is_no_longer_than_its_limit_but_one_line_at_least(path: Path) -> None:
    path.write_bytes(b'{"seq":1}\n{"seq":2}\n' + b'{"seq":3,"text":"%s"}\n' % (b"x" * 100) + b'{"seq":4}\n')
    tail = JournalTail(path)
    assert [[line.record and line.record["seq"] for line in tail.read(25)] for _ in range(4)] == [[1, 2], [3], [4], []]


def test_lines_are_split_where_they_are_however_many_there_are() -> None:
    data = b"".join(b'{"seq":%d}\n' % seq for seq in range(1, 50_001))
    lines = list(split_lines(data, 7))
    assert [line.record for line in lines] == [{"seq": seq} for seq in range(1, 50_001)]
    assert lines[0].start == 7
    assert all(line.end == after.start for line, after in itertools.pairwise(lines))
    assert lines[-1].end == 7 + len(data)


@pytest.mark.parametrize("swallow", [(b'{"seq":1,"text":"', b'"}'), (b'{"seq":1,"list":[1', b"2]}")])
def test_two_records_in_one_line_do_not_make_up_for_a_swallowed_one(path: Path, swallow: tuple[bytes, bytes]) -> None:
    path.write_bytes(b"\n".join([*swallow, b'{"seq":3},{"seq":4}', b'{"seq":5}', b""]))
    assert [line.record for line in read_journal(path)] == [None, None, None, {"seq": 5}]


def test_lists_of_objects_are_read(path: Path) -> None:
    path.write_bytes(b'{"seq":1,"data":[{"a":1},{"a":2}]}\n{"seq":2}\n')
    assert [line.record for line in read_journal(path)] == [{"seq": 1, "data": [{"a": 1}, {"a": 2}]}, {"seq": 2}]


# Reading backwards


@pytest.mark.parametrize("chunk", [1, 2, 7, 10, 11, 64, 1000])
@pytest.mark.parametrize("tail", [b"", b'{"seq":99', b"x" * 100])
def test_lines_come_whole_and_last_first_over_every_border(path: Path, chunk: int, tail: bytes) -> None:
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


def test_the_last_lines_come_in_order(path: Path) -> None:
    assert last_lines(path, 3) == []
    write(path, *range(10))
    assert [line.record and line.record["seq"] for line in last_lines(path, 3)] == [8, 9, 10]
    assert last_lines(path, 0) == []
    assert len(last_lines(path, 100)) == 10


# Cursors


def test_only_offsets_at_which_a_line_begins_or_the_journal_ends_are_line_starts(path: Path) -> None:
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


def test_the_beginning_of_a_journal_not_yet_there_is_a_line_start(path: Path) -> None:
    assert is_line_start(path, 0)
    assert not is_line_start(path, 1)


def after(path: Path, since: float) -> list[Any]:
    return [line.record and line.record["seq"] for line in JournalTail(path, offset_after(path, since)).read()]


def test_reading_after_a_time_gives_every_later_line_and_no_earlier_one(path: Path) -> None:
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


def test_reading_after_a_time_steps_over_broken_lines_without_losing_one(path: Path) -> None:
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


def test_after_any_time_a_missing_or_empty_journal_is_read_from_its_beginning(path: Path) -> None:
    assert offset_after(path, 5.0) == 0
    path.touch()
    assert offset_after(path, 5.0) == 0
