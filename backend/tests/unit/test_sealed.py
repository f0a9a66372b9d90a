"""Sealed copies of a run's metrics, and when they are rebuilt."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlviz.domain.events import Stretch, Superseded
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sealed import SealedRows
from rlviz.sealer import seal
from rlviz.server.metrics.models import MetricCurve
from rlviz.server.metrics.service import CurveRequest, MetricsService, Snapshot
from rlviz.server.supervisor.sealing import sealed_metrics

PIECE = 400
"""Bytes of journal a piece here: some four rows."""

NAMES = ["episode/reward", "train/loss", "step", "time", "a.b", "a", "", "naïve \u2028 name"]

numbers = st.none() | st.integers(-(2**70), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
records = st.fixed_dictionaries(
    {
        "seq": st.integers(1, 10**6),
        "time": st.floats(0, 2e9),
        "step": st.integers(0, 2**60),
        "values": st.dictionaries(st.sampled_from(NAMES), numbers, max_size=5),
    }
)
no_records = st.sampled_from(
    [
        *(b"", b"garbage", b"[]", b"\xff", b'{"seq":1}', b'{"seq":3,"ti'),
        b'{"seq":2,"time":1,"step":1,"values":[]}',
        b'{"seq":4,"time":null,"step":1,"values":{}}',
        b'{"seq":5,"time":1,"step":1,"values":{"a":"1"}}',
    ]
)


def encoded(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode()


lines = st.lists(records.map(encoded) | no_records, max_size=60)


def contents(found: Snapshot) -> dict[str, list[list[float]]]:
    """Return the values for a bitwise comparison in which NaN equals itself."""
    return {
        name: [column.view(np.int64).tolist() for column in (series.step, series.time, series.value)]
        for name, series in found.series.items()
    }


def parsed(folder: RunFolder) -> Snapshot:
    """Return the content of the journal without its sealed copy."""
    with TemporaryDirectory() as root:
        copy = RunFolder(Path(root), folder.run_id)
        copy.path.mkdir()
        shutil.copy(folder.metrics_path, copy.metrics_path)
        if folder.events_path.exists():
            shutil.copy(folder.events_path, copy.events_path)
        return MetricsService().read(copy)


def assert_says_what_the_journal_says(folder: RunFolder) -> None:
    found, expected = MetricsService().read(folder), parsed(folder)
    assert list(found.series) == list(expected.series)
    assert contents(found) == contents(expected)
    assert (found.offset, found.broken_lines) == (expected.offset, expected.broken_lines)


@settings(max_examples=60, deadline=None)
@given(before=lines, after=lines, torn=st.sampled_from([b"", b'{"seq":9,"time":1', b"\n", b"x"]))
def test_sealed_and_parsed_journals_have_the_same_content(before: list[bytes], after: list[bytes], torn: bytes) -> None:
    with TemporaryDirectory() as root:
        folder = RunFolder(Path(root), "a")
        folder.path.mkdir()
        for part in (before, after):  # sealed, grown, sealed again from where it was sealed
            with folder.metrics_path.open("ab") as journal:
                journal.writelines(line + b"\n" for line in part)
            seal(sealed_metrics(folder), least_bytes=PIECE // 2, piece_bytes=PIECE)
            assert_says_what_the_journal_says(folder)
        with folder.metrics_path.open("ab") as journal:
            journal.write(torn)
        assert_says_what_the_journal_says(folder)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A sealed run of a thousand rows in several pieces, with a few unsealed rows."""
    return make_sealed(tmp_path, "a", first_time=1.7e9)


def make_sealed(root: Path, run_id: str, first_time: float) -> RunFolder:
    folder = RunFolder(root, run_id)
    folder.path.mkdir()
    write_rows(folder, first_time)
    seal(sealed_metrics(folder), least_bytes=10_000, piece_bytes=20_000)
    assert len(sealed_metrics(folder).pieces()) >= 3
    return folder


def write_rows(folder: RunFolder, first_time: float) -> None:
    with folder.metrics_path.open("wb") as journal:
        for seq in range(1, 1_001):
            values = {"episode/reward": seq / 7, **({"train/loss": None if seq % 20 else 0.5} if seq % 10 == 0 else {})}
            record = {"seq": seq, "time": first_time + seq, "step": seq * 9, "values": values}
            journal.write(encoded(record) + b"\n")


def damage_first(change: Callable[[bytes], bytes]) -> Callable[[RunFolder], None]:
    def damage(folder: RunFolder) -> None:
        first = min(folder.sealed.iterdir())
        first.write_bytes(change(first.read_bytes()))

    return damage


def flip(content: bytes, place: float) -> bytes:
    at = int(place * (len(content) - 1))
    return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]


def take_other_run(folder: RunFolder) -> None:
    other = make_sealed(folder.path.parent, "other", first_time=1.8e9)
    shutil.rmtree(folder.sealed)
    shutil.copytree(other.sealed, folder.sealed)


def make_a_directory(folder: RunFolder) -> None:
    first = min(folder.sealed.iterdir())
    first.unlink()
    first.mkdir()


DAMAGE: dict[str, Callable[[RunFolder], None]] = {
    "empty": damage_first(lambda _: b""),
    "cut off": damage_first(lambda content: content[: len(content) // 2]),
    "without its end": damage_first(lambda content: content[:-1]),
    **{f"a bit flipped at {place}": damage_first(lambda c, p=place: flip(c, p)) for place in (0, 0.1, 0.5, 0.9, 1)},  # type: ignore[misc]
    "text": damage_first(lambda _: b"nonsense"),
    "gone": lambda folder: min(folder.sealed.iterdir()).unlink(),
    "all gone": lambda folder: shutil.rmtree(folder.sealed),
    "another run's": take_other_run,
    "a directory": make_a_directory,
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_copy_is_rejected_and_rebuilt(folder: RunFolder, kind: str) -> None:
    sealed = sealed_metrics(folder)
    whole = [piece.end for piece in sealed.pieces()]
    DAMAGE[kind](folder)
    assert_says_what_the_journal_says(folder)
    assert [piece.end for piece in sealed.pieces()] != whole
    seal(sealed, least_bytes=10_000, piece_bytes=20_000)
    assert_says_what_the_journal_says(folder)
    assert [piece.end for piece in sealed.pieces()] == whole


def test_a_damaged_piece_in_the_middle_keeps_earlier_pieces(folder: RunFolder) -> None:
    second = sorted(folder.sealed.iterdir())[1]
    second.write_bytes(flip(second.read_bytes(), 0.5))
    assert len(sealed_metrics(folder).pieces()) == 1
    assert_says_what_the_journal_says(folder)


def test_a_copy_of_a_replaced_journal_is_rejected(folder: RunFolder) -> None:
    write_rows(folder, first_time=1.8e9)
    assert sealed_metrics(folder).pieces() == []
    assert_says_what_the_journal_says(folder)


def test_a_copy_of_a_truncated_journal_is_valid_up_to_its_end(folder: RunFolder) -> None:
    ends = [piece.end for piece in sealed_metrics(folder).pieces()]
    with folder.metrics_path.open("ab") as journal:
        journal.truncate(ends[1])
    assert [piece.end for piece in sealed_metrics(folder).pieces()] == ends[:2]
    assert_says_what_the_journal_says(folder)


def test_discarded_rows_are_in_no_curve_however_many_of_them_are_sealed(folder: RunFolder) -> None:
    opened = MetricsService()
    assert opened.read(folder).series["episode/reward"].step.size == 1_000, "read from the copy before it went back"
    rollback = {"snapshot": "900", "superseded": {"first": 101, "last": 900, "attempt": 2}}
    event = {"seq": 1, "time": 1.7e9, "event": "rollback", "step": 900, "data": rollback}
    folder.events_path.write_bytes(encoded(event) + b"\n")
    expected = [9 * seq for seq in range(1, 1_001) if not 101 <= seq <= 900]
    for service in (opened, MetricsService()):
        assert service.read(folder).series["episode/reward"].step.tolist() == expected
    seal(sealed_metrics(folder), least_bytes=1, piece_bytes=20_000)
    assert_says_what_the_journal_says(folder)
    found = MetricsService().read(folder).series
    assert found.is_sealed, "what is left behind is left out of the copy's answer, not parsed anew"
    assert found["episode/reward"].step.tolist() == expected
    assert len(sealed_metrics(folder).pieces()) >= 3, "the copy is the journal's, and stays"


def test_a_metric_that_only_discarded_rows_have_does_not_belong_to_the_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, "gone-back")
    folder.path.mkdir()
    rows = [{"seq": seq, "time": seq, "step": seq, "values": {"kept": seq}} for seq in range(1, 11)]
    rows[4]["values"] = {"kept": 5, "gone": None}
    folder.metrics_path.write_bytes(b"".join(encoded(row) + b"\n" for row in rows))
    seal(sealed_metrics(folder), least_bytes=1)
    [piece] = sealed_metrics(folder).pieces()
    assert piece.counts == {"kept": 10, "gone": 1}
    rest = piece.without(Superseded([Stretch(first=4, last=6, attempt=2)]))
    assert rest.counts == {"kept": 7}
    assert rest.column("kept").value.tolist() == rest.axis("step").tolist() == [1, 2, 3, 7, 8, 9, 10]
    assert piece.without(Superseded([Stretch(first=11, last=20, attempt=2)])) is piece


def test_sealing_again_changes_nothing(folder: RunFolder) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.sealed.iterdir()}
    seal(sealed_metrics(folder), least_bytes=10_000, piece_bytes=20_000)
    assert {path.name: path.stat().st_mtime_ns for path in folder.sealed.iterdir()} == before


def test_files_left_by_a_killed_sealer_are_removed(folder: RunFolder) -> None:
    leftover = folder.sealed / ".half.parquet.1-1.tmp"
    leftover.write_bytes(b"half")
    seal(sealed_metrics(folder), least_bytes=10_000)
    assert not leftover.exists()


def test_a_folder_deleted_meanwhile_is_not_recreated(tmp_path: Path, folder: RunFolder) -> None:
    rows = SealedRows(np.zeros(1), np.zeros(1), np.zeros(1), {}, broken_lines=0)
    folder.path.rename(tmp_path / "trash")
    with pytest.raises(FileNotFoundError):
        sealed_metrics(folder).write(0, 10, rows)
    assert not folder.path.exists()


def test_a_curve_is_the_same_whichever_part_of_it_is_sealed(folder: RunFolder) -> None:
    sealed = MetricsService().curves(folder, ["train/loss", "episode/reward"], CurveRequest(50, "time"))
    shutil.rmtree(folder.sealed)
    assert MetricsService().curves(
        folder, ["train/loss", "episode/reward"], CurveRequest(50, "time")
    ).curves.keys() == {
        "train/loss",
        "episode/reward",
    }
    plain = MetricsService().curves(folder, ["train/loss", "episode/reward"], CurveRequest(50, "time"))
    for name, curve in sealed.curves.items():
        np.testing.assert_array_equal(curve.x, plain.curves[name].x)
        np.testing.assert_array_equal(curve.y, plain.curves[name].y)
        assert curve.count == plain.curves[name].count


def test_the_curve_of_a_long_run_is_recomputed_after_new_rows_a_rollback_or_a_forget(
    folder: RunFolder,
) -> None:
    service, request = MetricsService(), CurveRequest(50)

    def curve() -> MetricCurve:
        return service.curves(folder, ["episode/reward"], request).curves["episode/reward"]

    first = curve()
    assert curve() is first
    row = {"seq": 1_001, "time": 1.8e9, "step": 9_100, "values": {"episode/reward": 5_000.0}}
    with folder.metrics_path.open("ab") as journal:
        journal.write(encoded(row) + b"\n")
    gone_on = curve()
    assert (gone_on.x[-1], gone_on.y[-1], gone_on.count) == (9_100, 5_000, 1_001)
    service.forget_run(folder.run_id)
    assert curve() is not gone_on
    rollback = {"snapshot": "900", "superseded": {"first": 901, "last": 1_001, "attempt": 2}}
    event = {"seq": 1, "time": 1.7e9, "event": "rollback", "step": 900, "data": rollback}
    folder.events_path.write_bytes(encoded(event) + b"\n")
    assert curve().count == 900


def test_a_piece_is_read_by_one_thread_at_a_time_to_prevent_a_crash(folder: RunFolder) -> None:
    [piece, *_] = sealed_metrics(folder).pieces()
    reader, reading, together = piece._reader, Lock(), []

    class Watched:
        def read(self, **asked: Any) -> Any:
            together.append(not reading.acquire(blocking=False))
            time.sleep(0.002)
            found = reader.read(**asked)
            if not together[-1]:
                reading.release()
            return found

    piece._reader = Watched()
    rest = piece.without(Superseded([Stretch(first=1, last=2, attempt=2)]))
    with ThreadPoolExecutor(4) as threads:
        lengths = set(threads.map(lambda one: len(one.axis("step")), [piece, rest] * 10))
    assert len(lengths) == 2
    assert not any(together)
