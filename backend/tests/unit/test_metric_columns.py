"""Column-wise and row-wise reading of journals give the same values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlviz.domain.events import Stretch, Superseded
from rlviz.domain.metrics import is_metric
from rlviz.rundir import metric_columns
from rlviz.rundir.journal import JournalTail, parse_line
from rlviz.rundir.metric_columns import EVERY_ROW, WantedRows, read_tables
from rlviz.server.metrics.columns import Columns
from tests.support.cases import cases


def row_by_row(journal: bytes, wanted: WantedRows) -> tuple[dict[str, list[tuple[Any, ...]]], int]:
    """Parse each line individually, as a reference. Return the series by name in order of first rows, and the skipped
    lines.
    """
    series: dict[str, list[tuple[Any, ...]]] = {}
    left_out = 0
    for raw in journal.split(b"\n")[:-1]:
        record = parse_line(raw)
        if record is None:
            left_out += 1
            continue
        seq = record["seq"]
        if seq <= wanted.after or seq in wanted.superseded or (wanted.only_valid and not is_metric(record)):
            continue
        if wanted.last is None or seq <= wanted.last:
            points = points_of(record)
            left_out += points is None
            for name, point in (points or {}).items():
                series.setdefault(name, []).append(point)
    return series, left_out


def points_of(record: Mapping[str, Any]) -> dict[str, tuple[Any, ...]] | None:
    """Return step, time and values by name, or None if the record has anything but numbers."""
    values = record.get("values")
    if type(values) is not dict or None in (record.get("step"), record.get("time")):
        return None
    try:
        step, time = (number(record[name]) for name in ("step", "time"))
        return {name: (step, time, number(value)) for name, value in values.items()}
    except (TypeError, OverflowError):
        return None


def number(value: object) -> float:
    if isinstance(value, str | list | dict):
        raise TypeError
    return float("nan") if value is None else float(value)  # type: ignore[arg-type]


def in_columns(journal: bytes, wanted: WantedRows, block_bytes: int) -> tuple[dict[str, list[tuple[Any, ...]]], int]:
    columns, left_out = Columns(), 0
    with TemporaryDirectory() as folder:
        path = Path(folder) / "metrics.jsonl"
        path.write_bytes(journal)
        for found in read_tables(JournalTail(path), wanted, block_bytes=block_bytes):
            columns.extend(found.tables)
            left_out += found.left_out
    found_series = columns.all_series()
    return {
        name: list(zip(one.step.tolist(), one.time.tolist(), one.value.tolist(), strict=True))
        for name, one in found_series.items()
    }, left_out


NAMES = ["episode/reward", "episode/index", "train/loss", "q1", "q2", "e", "", "a:1", "a,b", "time", "seq", "naïve ✓"]
ODD_NAMES = ['"', "back\\slash", "new\nline", "\u2028", "\x7f", "}}", "},{"]
numbers = (
    st.none()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0, -0.0, 5e-324, 1.7976931348623157e308, 2**53 + 1, 1e-05, 10**25])
)
seqs = st.integers(1, 60) | st.sampled_from([2**53 - 1, 2**53, 2**64, 0, -1])
steps = st.integers(0, 1_000) | st.sampled_from([2**53 - 1, 2**60, -3])
times = st.floats(0, 2e9) | st.integers(0, 2**40) | st.sampled_from([-1.0, 1e300])


def encoded(record: object) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def lines_of(names: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[bytes]]:
    """Return lines with the same names, like those from one place in the training code."""

    @st.composite
    def lines(draw: st.DrawFn) -> list[bytes]:
        logged = draw(names)
        rows = st.fixed_dictionaries(
            {
                "seq": seqs,
                "time": times,
                "step": steps,
                "values": st.fixed_dictionaries(dict.fromkeys(logged, numbers)),
            }
        )
        return [encoded(row) for row in draw(st.lists(rows, min_size=1, max_size=20))]

    return lines()


usual = lines_of(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
unusual = lines_of(st.lists(st.sampled_from(NAMES + ODD_NAMES), max_size=4, unique=True))
ODD_LINES = [
    *(b"", b" ", b"garbage", b"[]", b"null", b"\xff", b"{", b"}}", b'{"seq":1}', b'{"seq":3,"ti', b":" * 7),
    b'{"seq":2,"time":1,"step":1,"values":[]}',
    b'{"seq":2,"time":1,"step":1,"values":{}}',
    b'{"seq":2,"time":1,"step":1,"values":{"a":{}}}',
    b'{"seq":2,"time":null,"step":1,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":null,"values":{"e":1}}',
    b'{"seq":null,"time":1,"step":1,"values":{"e":1}}',
    b'{"seq":2.0,"time":1,"step":1,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":1.5,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":true,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":true}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":"1"}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":[1]}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1,"e":2}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1,"q1":2,"e":3}}',
    b'{"seq":2,"time":1,"step":1,"values":{"\\u0065":1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":NaN}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":Infinity}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":01}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":+1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1e400}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1,2}}',
    b'{"seq":2,"time":,"step":1,2,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":[1,"values":{"e":2]}}',
    b'{"seq":2,"time":1,"step":1,"values":{"\xff":1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e\x00":1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1}}\r',
    b'{"seq":2, "time":1, "step":1, "values":{"e": 1}}',
    b'{"time":1,"seq":2,"step":1,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1},"more":1}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1}}{"seq":3,"time":1,"step":1,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":1,"values":{"e":1}},{"seq":3,"time":1,"step":1,"values":{"e":1}}',
    b'{"s1eq":2,"time":1,"step":1,"values":{"e":1}}',
    b'{"seq":2,"time":1,"step":1,"values":5{"e":}}',
]
stretches = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), max_size=3).map(
    lambda found: Superseded(Stretch(first=first, last=last) for first, last in found)
)
wanted_rows = st.just(EVERY_ROW) | st.builds(
    WantedRows, superseded=stretches, after=st.integers(0, 30), only_valid=st.booleans()
)


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(usual | usual | usual | unusual | st.sampled_from(ODD_LINES).map(lambda line: [line]), max_size=6),
    shuffle=st.none() | st.randoms(use_true_random=False),
    torn=st.sampled_from([b"", b'{"seq":9,"time":1', b"\n", b"x"]),
    wanted=wanted_rows,
    block_bytes=st.sampled_from([1, 300, 2_000, 1 << 19]),
)
def test_columns_match_the_rows(
    parts: list[list[bytes]], shuffle: Any, torn: bytes, wanted: WantedRows, block_bytes: int
) -> None:
    lines = [line for part in parts for line in part]
    if shuffle is not None:
        shuffle.shuffle(lines)
    journal = b"".join(line + b"\n" for line in lines) + torn
    with patch.multiple(metric_columns, FEW_BYTES=0, LEAST_LINES=1):
        found = in_columns(journal, wanted, block_bytes)
    expected = row_by_row(journal, wanted)
    assert list(found[0]) == list(expected[0])
    assert repr(found) == repr(expected)  # NaN and -0.0 equal themselves and nothing else


@cases("odd", ODD_LINES)
def test_an_unusual_line_among_usual_ones_changes_no_other_row(odd: bytes) -> None:
    usual_line = b'{"seq":%d,"time":1.5,"step":%d,"values":{"e":%d}}'
    lines = [usual_line % (seq, 10 * seq, seq) for seq in range(1, 40)]
    for place in (0, 1, 20, 39):
        journal = b"".join(line + b"\n" for line in [*lines[:place], odd, *lines[place:]])
        with patch.multiple(metric_columns, FEW_BYTES=0, LEAST_LINES=1):
            assert repr(in_columns(journal, EVERY_ROW, 1 << 19)) == repr(row_by_row(journal, EVERY_ROW))


def test_usual_lines_of_several_kinds_are_never_parsed_individually(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("A block was parsed line by line.")

    def line(seq: int) -> bytes:
        values: dict[str, float | None] = {"episode/reward": seq / 7, "episode/index": seq}
        if seq % 5 == 0:
            values = {"train/loss": 1e-7 * seq, "train/value": None if seq % 10 else -1.5, "episode/index": seq}
        return encoded({"seq": seq, "time": 1.7e9 + seq / 8, "step": 9 * seq, "values": values})

    journal = b"".join(line(seq) + b"\n" for seq in range(1, 2_001))
    same = b"".join(line(5 * seq + 1) + b"\n" for seq in range(400, 2_000))
    expected = row_by_row(journal + same, EVERY_ROW)
    monkeypatch.setattr("rlviz.rundir.metric_columns._read_by_line", refuse)
    assert repr(in_columns(journal + same, EVERY_ROW, 20_000)) == repr(expected)


@pytest.mark.parametrize(("after", "last"), [(0, 2_000), (0, 1_999), (500, 1_200), (1_999, 1_999), (1_500, 5_000)])
def test_reading_ends_after_the_block_with_the_last_requested_row(after: int, last: int) -> None:
    line = b'{"seq":%d,"time":1.5,"step":%d,"values":{"e":%d}}\n'
    journal = b"".join(line % (seq, 10 * seq, seq) for seq in range(1, 2_001)) + b"broken\n" * 5_000
    wanted = WantedRows(Superseded([Stretch(first=600, last=700)]), after=after, last=last, only_valid=True)
    found, left_out = in_columns(journal, wanted, 10_000)
    assert repr(found) == repr(row_by_row(journal, wanted)[0])
    assert (left_out == 5_000) == (last > 2_000)
