"""Size limits on what is decompressed from archives, pictures and journals."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlviz.domain.errors import ImportRefused, NotEnoughDisk, RunFolderError, SnapshotDamaged
from rlviz.domain.recording import FrameReason
from rlviz.exchange import bundle as zip_archive
from rlviz.exchange import confined_import
from rlviz.exchange.bundle import open_bounded_archive
from rlviz.exchange.import_runs import ImportOptions
from rlviz.exchange.imports import archive as log_archive
from rlviz.rundir import archives
from rlviz.rundir.folder import frame_name
from rlviz.rundir.sealed import SealedPiece
from rlviz.rundir.snapshots import MANIFEST, find_snapshot
from tests.support.run_folders import make_run

MB = 1 << 20
EVALUATION = "eval_20261121-014312-123"


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def understated(archive: bytes, size: int) -> bytes:
    """Return the archive with ``size`` as the declared length of its only member."""
    changed = bytearray(archive)
    at = changed.find(b"PK\x01\x02")
    changed[at + 24 : at + 28] = struct.pack("<I", size)
    return bytes(changed)


@contextmanager
def little_memory(most: int = 8 * MB) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most


def taken_out(path: Path) -> bytes:
    with open_bounded_archive(path, ImportRefused) as archive:
        return archive.read(archive.namelist()[0])


def test_an_archive_that_expands_beyond_its_bounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "FREE_BYTES", 4 * MB)
    monkeypatch.setattr(zip_archive, "MOST_EXPANSION", 10)
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped({"progress.csv": bytes(64 * MB)}))
    with little_memory(12 * MB), pytest.raises(ImportRefused, match="far more than its size"):
        taken_out(path)


def test_an_archive_that_expands_within_its_bounds_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_archive, "FREE_BYTES", 4 * MB)
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped({"progress.csv": bytes(2 * MB)}))
    assert taken_out(path) == bytes(2 * MB)


def test_a_member_is_not_expanded_beyond_its_declared_size(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(understated(zipped({"progress.csv": bytes(64 * MB)}), 10))
    with little_memory(), pytest.raises(ImportRefused):  # its checksum is that of the whole
        taken_out(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_compression_methods_that_expand_without_bounds_are_not_read(tmp_path: Path, method: int) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped({"progress.csv": bytes(MB)}, method))
    with pytest.raises(ImportRefused, match="unsupported compression method"):
        taken_out(path)
    with zipfile.ZipFile(path) as archive, pytest.raises(ValueError, match="method"):
        archives.read_member(archive, "progress.csv")


def test_a_picture_of_a_run_is_not_expanded_beyond_its_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives.read_member, "__defaults__", (MB,))
    folder = make_run(tmp_path, "run-1")
    path = folder.evaluations.frames_path(EVALUATION)
    path.write_bytes(zipped({frame_name(0, 1, next(iter(FrameReason))): bytes(64 * MB)}))
    assert len(folder.evaluations.frames(EVALUATION)) == 1
    with little_memory(), pytest.raises(RunFolderError, match="not a complete archive of frames"):
        folder.evaluations.read_frame(EVALUATION, 0, 1)


def test_the_figures_of_a_policy_and_the_manifest_of_a_snapshot_are_bounded(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "run-1")
    folder.best_model_path.write_bytes(zipped({"best_policy.json": bytes(64 * MB)}))
    folder.snapshots.mkdir()
    folder.snapshot_path("100").write_bytes(zipped({MANIFEST: bytes(64 * MB)}))
    with little_memory(16 * MB):
        with pytest.raises(RunFolderError):
            folder.best_policy()
        with pytest.raises(SnapshotDamaged):
            find_snapshot(folder, "100")


def test_an_archive_with_a_long_directory_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_DIRECTORY_BYTES", 10_000)
    folder = make_run(tmp_path, "run-1")
    folder.best_model_path.write_bytes(zipped({f"file-{number}": b"" for number in range(1_000)}))
    with pytest.raises(RunFolderError, match="too many files"):
        folder.best_policy()


def test_a_sealed_piece_that_expands_to_too_many_rows_counts_as_missing(tmp_path: Path) -> None:
    table = pa.table({"seq": pa.array(np.zeros(1_000_000)), "values.a": pa.array(np.zeros(1_000_000))})
    metadata = {
        b"rlviz": b'{"version":2,"start":0,"end":4000,"mark":"","broken_lines":0,"first":1,"last":2,"counts":{}}'
    }
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), sink, compression="zstd")
    assert len(sink.getvalue()) < 10_000
    with pytest.raises(ValueError, match="more rows"):
        SealedPiece(sink.getvalue())


def test_an_import_keeps_free_space_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_archive, "KEPT_FREE_BYTES", 1 << 62)
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped({"PPO_1/progress.csv": b"step,loss\n1,0.5\n"}))
    (tmp_path / "runs").mkdir()
    with pytest.raises(NotEnoughDisk, match="Free some space"):
        confined_import.import_file(path, tmp_path / "runs", ImportOptions())
    assert [one for one in (tmp_path / "runs").rglob("*") if one.is_file()] == []


def test_a_journal_with_too_many_lines_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_import, "MOST_LINES", 1)
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped({"PPO_1/progress.csv": b"step,loss\n1,0.5\n2,0.25\n"}))
    (tmp_path / "runs").mkdir()
    with pytest.raises(ImportRefused, match="more than 1 lines"):
        confined_import.import_file(path, tmp_path / "runs", ImportOptions())
    assert [one for one in (tmp_path / "runs").rglob("*") if one.is_file()] == []
