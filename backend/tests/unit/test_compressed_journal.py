"""Reading, writing and repairing compressed journals."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from rlviz.domain.errors import RunFolderError
from rlviz.domain.metrics import is_metric
from rlviz.rundir.contents import broken_lines, inspect_folder, repair_folder
from rlviz.rundir.journal import (
    JournalTail,
    JournalWriter,
    compress_journal,
    compressed_path,
    expand_journal,
    is_compressed,
    is_line_start,
    journal_size,
    last_lines,
    line_number,
    offset_after,
    read_backwards,
    read_journal,
    whole_size,
)
from rlviz.sealer import seal
from rlviz.server.supervisor.sealing import sealed_metrics
from tests.support.run_folders import make_run

ROWS = 400
BLOCK = 1_000
"""Bytes a block here, so that lines run across the ends of blocks."""


def compress(journal: Path, block_bytes: int = BLOCK) -> bytes:
    """Compress the journal, and return its previous content."""
    content = journal.read_bytes()
    prepared = compress_journal(journal, block_bytes)
    assert prepared is not None
    assert prepared.put_in_place()
    assert is_compressed(journal)
    return content


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return make_run(tmp_path, "run-1", rows=ROWS).metrics_path


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    torn=st.sampled_from([b"", b'{"seq": 4', b"garbage\n", b"\n\n"]),
    count=st.integers(20, 60),
    block=st.integers(1, 3_000),
)
def test_every_reader_gets_the_content_of_the_journal(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, torn: bytes, count: int, block: int
) -> None:
    folder = tmp_path_factory.mktemp("both")
    plain, other = folder / "plain.jsonl", folder / "other.jsonl"
    lines = [json.dumps({"seq": n, "time": 1000.0 + n // 3, "step": n, "values": {}}) for n in range(1, count + 1)]
    plain.write_bytes("".join(f"{line}\n" for line in lines).encode() + torn)
    shutil.copyfile(plain, other)
    compress_anyway(other, block)
    size = journal_size(plain)
    assert journal_size(other) == size
    assert read_journal(other) == read_journal(plain)
    assert list(read_backwards(other, chunk=100)) == list(read_backwards(plain, chunk=100))
    assert last_lines(other, 3) == last_lines(plain, 3)
    assert whole_size(other) == whole_size(plain)
    offset = data.draw(st.integers(0, size + 5))
    assert is_line_start(other, offset) == is_line_start(plain, offset)
    assert line_number(other, offset) == line_number(plain, offset)
    since = data.draw(st.integers(990, 1_030))
    assert offset_after(other, since) == offset_after(plain, since)
    assert offset_after(other, since - 990, "seq") == offset_after(plain, since - 990, "seq")
    begin = offset_after(plain, since)
    assert JournalTail(other, begin).read(200) == JournalTail(plain, begin).read(200)


def compress_anyway(journal: Path, block: int) -> None:
    """Compress the journal even if that makes it larger."""
    prepared = compress_journal(journal, block)
    if prepared is None:
        pad = b" " * 400_000 + b"\n"  # a line that compresses well is at the beginning of both
        plain = journal.with_name("plain.jsonl")
        for path in (journal, plain):
            path.write_bytes(pad + path.read_bytes())
        prepared = compress_journal(journal, max(block, 10_000))
    assert prepared is not None
    assert prepared.put_in_place()


def test_zstd_can_read_a_compressed_journal(journal: Path) -> None:
    content = compress(journal)
    with compressed_path(journal).open("rb") as file:
        found = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    assert found == content
    if shutil.which("zstd"):
        asked = ["zstd", "-dc", str(compressed_path(journal))]
        assert subprocess.run(asked, capture_output=True, check=True).stdout == content


def test_a_writer_restores_the_uncompressed_journal(journal: Path) -> None:
    content = compress(journal)
    writer = JournalWriter(journal)
    assert writer.append({"step": 1, "values": {}}) == ROWS + 1
    writer.close()
    assert journal.read_bytes().startswith(content)
    assert not compressed_path(journal).exists()
    assert len(read_journal(journal)) == ROWS + 1


def test_a_journal_that_grew_meanwhile_stays_uncompressed(journal: Path) -> None:
    prepared = compress_journal(journal)
    assert prepared is not None
    with journal.open("ab") as file:
        file.write(b'{"seq": 401}\n')
    assert not prepared.put_in_place()
    assert sorted(path.name for path in journal.parent.glob("*metrics*")) == ["metrics.jsonl"]


def test_a_journal_that_would_not_shrink_stays_uncompressed(tmp_path: Path) -> None:
    noise = tmp_path / "noise.jsonl"
    noise.write_bytes(os.urandom(5_000))
    assert compress_journal(noise) is None
    assert [path.name for path in tmp_path.iterdir()] == ["noise.jsonl"]


def test_an_uncompressed_journal_takes_precedence_over_a_compressed_one(journal: Path) -> None:
    before = journal.read_bytes()
    compress(journal)
    journal.write_bytes(before + b'{"seq":401,"time":1,"step":1,"values":{}}\n')  # killed while it was expanded, later
    assert len(read_journal(journal)) == ROWS + 1
    expand_journal(journal)
    assert not compressed_path(journal).exists()
    assert len(read_journal(journal)) == ROWS + 1


def test_a_compressed_journal_keeps_its_sealed_copy_and_can_get_one(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "run-1", rows=ROWS)
    seal(sealed_metrics(folder), 1, 8_000)
    pieces = sorted(path.name for path in folder.sealed.iterdir())
    compress(folder.metrics_path)
    sealed = sealed_metrics(folder)
    assert [piece.end for piece in sealed.pieces()][-1] == journal_size(folder.metrics_path)
    shutil.rmtree(folder.sealed)
    seal(sealed, 1, 8_000)
    assert sorted(path.name for path in folder.sealed.iterdir()) == pieces


@pytest.mark.parametrize("harm", ["flipped", "cut", "emptied", "nonsense"])
def test_a_damaged_journal_is_named_and_a_repair_keeps_its_readable_part(tmp_path: Path, harm: str) -> None:
    folder = make_run(tmp_path, "run-1", rows=ROWS, status="completed")
    compress(folder.metrics_path)
    path = compressed_path(folder.metrics_path)
    content = bytearray(path.read_bytes())
    match harm:
        case "flipped":
            content[20] ^= 0xFF
        case "cut":
            del content[len(content) // 2 :]
        case "emptied":
            content.clear()
        case _:
            content[:] = b"nonsense" * 100
    path.write_bytes(content)
    with pytest.raises(RunFolderError, match=r"metrics\.jsonl\.zst"):
        broken_lines(folder.metrics_path, is_metric)
    aside = repair_folder(folder)
    assert any(name.name.startswith("metrics.jsonl.zst.damaged-") for name in aside)
    assert not path.exists()
    kept = [line.record for line in read_journal(folder.metrics_path)]
    assert all(is_metric(record) for record in kept)
    assert (len(kept) > ROWS / 2) == (harm == "flipped"), "only the damaged part is lost"
    assert inspect_folder(folder) == []


def test_a_link_in_place_of_a_journal_is_not_followed(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "run-1", rows=ROWS, status="completed")
    compress(folder.metrics_path)
    elsewhere = tmp_path / "elsewhere.zst"
    compressed_path(folder.metrics_path).rename(elsewhere)
    compressed_path(folder.metrics_path).symlink_to(elsewhere)
    with pytest.raises(RunFolderError):
        read_journal(folder.metrics_path)
    assert [damage.file for damage in inspect_folder(folder)] == ["metrics.jsonl.zst"]
