"""When the metrics of long runs are sealed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sealed import PIECE_BYTES
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.server.metrics.service import LONG_BYTES, MetricsService
from rlviz.server.supervisor.sealing import LEAST_BYTES, Sealer, sealed_metrics
from tests.support.run_folders import make_run
from tests.support.waiting import eventually

LINE = b'{"seq":%9d,"time":1700000000.123,"step":%9d,"values":{"episode/reward":%5d}}\n'


@pytest.fixture
def sealer(tmp_path: Path) -> Iterator[Sealer]:
    sealer = Sealer(tmp_path)
    sealer.start()
    yield sealer
    sealer.close()


def make_long(root: Path, run_id: str, size: int) -> RunFolder:
    folder = make_run(root, run_id)
    count = size // len(LINE % (1, 1, 1)) + 1
    folder.metrics_path.write_bytes(b"".join(LINE % (seq, seq * 9, seq % 500) for seq in range(1, count + 1)))
    return folder


def row_of(folder: RunFolder, status: RunStatus) -> RunRow:
    row = row_of_config(folder.read_config())
    row.status = status.value
    return row


def test_an_ended_run_is_sealed_to_its_last_row(tmp_path: Path, sealer: Sealer) -> None:
    folder = make_long(tmp_path, "a", LEAST_BYTES)
    sealer.queue_if_due(row_of(folder, RunStatus.COMPLETED))
    eventually(lambda: sealed_metrics(folder).end() == folder.metrics_path.stat().st_size, "the sealed copy")
    assert MetricsService().read(folder).series["episode/reward"].value[-1] > 0


def test_a_training_run_is_sealed_as_it_grows_unless_it_is_short(tmp_path: Path, sealer: Sealer) -> None:
    short, long = make_long(tmp_path, "short", LEAST_BYTES), make_long(tmp_path, "long", PIECE_BYTES + LEAST_BYTES)
    for folder in (short, long):
        sealer.queue_if_due(row_of(folder, RunStatus.RUNNING))
    eventually(lambda: sealed_metrics(long).end() > 0, "the first piece")
    assert PIECE_BYTES <= sealed_metrics(long).end() < long.metrics_path.stat().st_size
    assert not short.sealed.exists()


def test_opening_a_long_run_without_a_sealed_copy_creates_one(tmp_path: Path, sealer: Sealer) -> None:
    folder = make_long(tmp_path, "a", LONG_BYTES)
    service, rows = MetricsService(sealer), folder.metrics_path.read_bytes().count(b"\n")
    found = service.read(folder)
    assert len(found.series["episode/reward"]) == rows
    size = folder.metrics_path.stat().st_size
    eventually(lambda: sealed_metrics(folder).end() == size == found.offset, "the sealed copy")
    assert not found.series.is_sealed, "the request does not wait for it"
    again = service.read(folder)
    assert again.series.is_sealed
    assert len(again.series["episode/reward"]) == rows


def test_a_very_long_run_is_sealed_before_it_is_read(
    tmp_path: Path, sealer: Sealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlviz.server.metrics.service.MOST_PARSED_BYTES", LONG_BYTES)
    folder = make_long(tmp_path, "a", LONG_BYTES + 1)
    found = MetricsService(sealer).read(folder)
    assert found.series.is_sealed
    assert sealed_metrics(folder).end() == folder.metrics_path.stat().st_size == found.offset


def test_a_journal_that_cannot_be_sealed_is_parsed(tmp_path: Path, sealer: Sealer) -> None:
    folder = make_long(tmp_path, "a", LONG_BYTES)
    folder.sealed.write_bytes(b"in the way")
    found = MetricsService(sealer).read(folder)
    assert len(found.series["episode/reward"]) == folder.metrics_path.read_bytes().count(b"\n")


def test_a_run_that_grows_long_while_it_is_watched_is_read_from_its_copy(tmp_path: Path) -> None:
    folder = make_long(tmp_path, "a", LONG_BYTES)
    service, sealer = MetricsService(), Sealer(tmp_path)
    before = service.read(folder)
    sealer.seal_now(folder)
    with folder.metrics_path.open("ab") as journal:
        journal.write(LINE % (10**8, 10**8, 7))
    after = service.read(folder)
    assert len(after.series["episode/reward"]) == len(before.series["episode/reward"]) + 1
    assert not before.series.is_sealed
    assert after.series.is_sealed
