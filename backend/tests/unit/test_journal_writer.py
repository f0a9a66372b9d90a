"""Appending to journals, and recovery after a crash."""

from __future__ import annotations

import resource
import threading
from pathlib import Path

import pytest

from rlviz.rundir.journal import MAX_LINE_BYTES, JournalWriter, read_journal
from tests.support.journals import Clock, seqs, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


def test_records_are_numbered_from_one_and_start_with_seq_and_time(path: Path) -> None:
    write(path, 10, 20)
    assert path.read_bytes() == b'{"seq":1,"time":1000.0,"step":10}\n{"seq":2,"time":1000.0,"step":20}\n'


def test_reopening_continues_after_the_last_line(path: Path) -> None:
    write(path, 10, 20)
    write(path, 30)
    assert seqs(path) == [1, 2, 3]


def test_reopening_removes_a_torn_tail_and_reuses_its_number(path: Path) -> None:
    write(path, 10, 20)
    with path.open("ab") as file:
        file.write(b'{"seq":3,"time":10')
    write(path, 30)
    assert seqs(path) == [1, 2, 3]
    assert read_journal(path)[-1].record == {"seq": 3, "time": 1000.0, "step": 30}


def test_reopening_removes_a_torn_tail_longer_than_a_piece(path: Path) -> None:
    write(path, 10)
    with path.open("ab") as file:
        file.write(b"x" * (3 << 20))
    write(path, 20)
    assert seqs(path) == [1, 2]


def test_reopening_a_journal_of_one_torn_line_starts_over(path: Path) -> None:
    path.write_bytes(b'{"seq":1')
    write(path, 10)
    assert seqs(path) == [1]


def test_broken_lines_at_the_end_keep_their_numbers(path: Path) -> None:
    write(path, 10, 20)
    with path.open("ab") as file:
        file.write(b"\0\0\0\nnonsense\n")
    write(path, 30)
    assert seqs(path) == [1, 2, None, None, 5]


def test_rows_are_buffered_for_at_most_flush_seconds(path: Path) -> None:
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


def test_a_closed_journal_accepts_no_records_and_can_be_closed_again(path: Path) -> None:
    writer = JournalWriter(path)
    writer.close()
    writer.close()
    writer.flush_if_due()
    with pytest.raises(ValueError, match="closed"):
        writer.append({"step": 1})


def test_a_record_that_json_cannot_encode_uses_no_number(path: Path) -> None:
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


def test_a_record_refused_by_a_full_disk_is_rewritten_where_it_was_torn(path: Path) -> None:
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


def test_threads_appending_concurrently_leave_no_gap(path: Path) -> None:
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


def test_a_record_too_long_for_a_line_uses_no_number(path: Path) -> None:
    writer = JournalWriter(path)
    with pytest.raises(ValueError, match="bytes at most"):
        writer.append({"text": "x" * MAX_LINE_BYTES})
    assert writer.append({"step": 1}) == 1
    writer.close()
    assert seqs(path) == [1]
