"""Memory bounds when a run folder is read."""

from __future__ import annotations

import gc
import io
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from rlviz.domain.errors import RunFolderError
from rlviz.domain.events import CheckpointData, RecordedData, WarningData, event_line
from rlviz.domain.metrics import is_metric
from rlviz.importing import with_collection, without_collection
from rlviz.rundir import journal as compressed
from rlviz.rundir.contents import MAX_NAMED_LINES, broken_lines
from rlviz.rundir.files import open_file
from rlviz.rundir.journal import JournalTail, JournalWriter, compress_journal, compressed_path, journal_size
from rlviz.server.catalog.projection import events as events_projection
from rlviz.server.catalog.projection.events import EventsProjection
from rlviz.server.catalog.projection.metrics import MetricsProjection

MB = 1 << 20


@pytest.fixture
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def write_rows(path: Path, size: int) -> int:
    """Write a journal of about ``size`` bytes, and return its number of rows."""
    count, filler = 0, "x" * 400
    with path.open("w") as file:
        while file.tell() < size:
            count += 1
            values = f'{{"episode/reward": {count % 97}.5, "episode/length": 10, "note/{filler}{count % 50}": 1}}'
            file.write(f'{{"seq":{count},"time":{1e9 + count},"step":{count * 10},"values":{values}}}\n')
    return count


def compress(journal: Path) -> None:
    prepared = compress_journal(journal)
    assert prepared is not None
    assert prepared.put_in_place()


@pytest.mark.usefixtures("no_collection")
def test_a_missing_file_keeps_no_reference_to_its_callers(tmp_path: Path) -> None:
    class Held:
        pass

    def look() -> weakref.ref[Held]:
        held = Held()
        with pytest.raises(FileNotFoundError):
            open_file(tmp_path / "none")
        return weakref.ref(held)

    assert look()() is None


def test_a_stream_opens_and_expands_each_piece_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = tmp_path / "metrics.jsonl"
    write_rows(journal, 3 * MB)
    whole = JournalTail(journal).read()
    compress(journal)
    expanded: list[int] = []
    block = compressed._Expanding.block

    def counted(self: compressed._Expanding, number: int) -> bytes:
        if self._held[0] != number:
            expanded.append(number)
        return block(self, number)

    monkeypatch.setattr(compressed._Expanding, "block", counted)
    assert [line for lines in JournalTail(journal).batches() for line in lines] == whole
    assert len(expanded) <= 2 * len(set(expanded))  # a line that crosses the end of a part is read with both


def test_a_stream_ends_at_the_given_end(tmp_path: Path) -> None:
    journal = tmp_path / "metrics.jsonl"
    write_rows(journal, 10_000)
    lines = JournalTail(journal).read()
    tail = JournalTail(journal)
    assert [line for batch in tail.batches(end=lines[4].end, limit=700) for line in batch] == lines[:5]
    assert [line for batch in tail.batches(limit=700) for line in batch] == lines[5:]


def test_only_the_first_of_many_broken_lines_are_kept(tmp_path: Path) -> None:
    journal = tmp_path / "metrics.jsonl"
    journal.write_text("{}\n" * 100_000)
    found = broken_lines(journal, is_metric)
    assert (len(found.first), found.count) == (MAX_NAMED_LINES, 100_000)


def test_a_piece_longer_than_its_declared_size_is_not_expanded(tmp_path: Path) -> None:
    journal = tmp_path / "metrics.jsonl"
    frame = zstandard.ZstdCompressor().compress(bytes(64 * MB))
    file = io.BytesIO()
    file.write(frame)
    file.write(compressed._HEAD.pack(compressed._MAGIC_SKIPPED, compressed._ENTRY.size + compressed._FOOT.size))
    file.write(compressed._ENTRY.pack(len(frame), MB))
    file.write(compressed._FOOT.pack(1, 0, compressed._MAGIC_TABLE))
    compressed_path(journal).write_bytes(file.getvalue())
    tracemalloc.start()
    try:
        with pytest.raises(RunFolderError, match="longer than its table says"):
            JournalTail(journal).read(100)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * MB


def test_a_journal_that_expands_too_much_is_neither_read_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "metrics.jsonl"
    journal.write_bytes(b"\n" * (compressed.FREE_BYTES + 1))
    assert compress_journal(journal) is None
    with monkeypatch.context() as patch:
        patch.setattr(compressed, "MOST_RATIO", 1 << 40)
        compress(journal)
    with pytest.raises(RunFolderError, match="would expand to"):
        journal_size(journal)


def test_a_projection_keeps_a_bounded_number_of_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_projection, "MOST_KEPT", 10)
    projection = EventsProjection()
    writer_lines = [
        event_line(step, data)
        for step in range(100)
        for data in (
            CheckpointData(path="x"),
            RecordedData(evaluation="x" * 1_000, episodes=1),
            RecordedData(evaluation="eval_20261121-014312-123", episodes=1),
        )
    ]
    for seq, line in enumerate(writer_lines, 1):
        event = events_projection.parse_event({"seq": seq, "time": 1.0, **line})
        assert event is not None
        projection.apply_event(event)
    assert projection.policy_step == 99
    assert len(projection._policies) == 10
    assert projection.recorded == ["eval_20261121-014312-123"] * 10


def test_a_projection_keeps_the_beginning_of_a_long_text() -> None:
    projection = EventsProjection()
    line = {"seq": 1, "time": 1.0, **event_line(1, WarningData(message="w" * 500_000))}
    event = events_projection.parse_event(line)
    assert event is not None
    projection.apply_event(event)
    assert projection.last_warning == "w" * events_projection.MAX_CHARACTERS


def test_a_projection_keeps_no_unneeded_metric(tmp_path: Path) -> None:
    journal = tmp_path / "metrics.jsonl"
    writer = JournalWriter(journal)
    for number in range(1_000):
        writer.append({"step": number, "values": {f"metric/{number}": 1.0, "time/fps": float(number)}})
    writer.close()
    projection = MetricsProjection(None)
    projection.add_lines(JournalTail(journal).read())
    assert projection.fps == 999.0
    assert list(projection._newest) == ["time/fps"]


def test_garbage_is_collected_while_a_folder_is_read() -> None:
    with without_collection():
        assert not gc.isenabled()
        with with_collection():
            assert gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
