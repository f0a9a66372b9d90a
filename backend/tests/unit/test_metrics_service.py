"""Curves of a growing journal, read by several threads."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from rlviz.rundir.journal import JournalWriter
from rlviz.server.metrics import service as module
from rlviz.server.metrics.service import CACHED_RUNS, EVERYWHERE, Axis, CurveRequest, Curves, MetricsService, Window
from tests.support.run_folders import journal, make_run
from tests.support.waiting import eventually

REWARD = "episode/reward"


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Make threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_a_cursor_points_just_after_its_points_with_concurrent_readers(tmp_path: Path) -> None:
    folder, names = make_run(tmp_path, "a"), [f"metric/{number}" for number in range(40)]
    service = MetricsService()

    def read() -> list[Curves]:
        return [service.curves(folder, None, CurveRequest(100, "step")) for _ in range(30)]

    with ThreadPoolExecutor() as pool, journal(folder.metrics_path) as writer:
        readers = [pool.submit(read) for _ in range(3)]
        while not all(reader.done() for reader in readers):
            writer.append({"step": 1, "values": dict.fromkeys(names, 1.0)})
            writer.flush()
            time.sleep(0)
        answers = [answer for reader in readers for answer in reader.result()]
    whole = folder.metrics_path.read_bytes()
    for answer in answers:
        offset = int(answer.cursor.removeprefix("a:"))
        assert {curve.count for curve in answer.curves.values()} <= {whole[:offset].count(b"\n")}


def test_a_metric_that_was_never_logged_has_an_empty_series(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=2)
    reward, other = MetricsService().series(folder, REWARD, "train/loss")
    assert reward.value.tolist() == [1.0, 2.0]
    assert len(other) == 0


def test_a_long_journal_is_read_ahead_and_then_reads_quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, short = make_run(tmp_path, "a", rows=50), make_run(tmp_path, "b")
    monkeypatch.setattr(module, "LONG_BYTES", 100)
    service = MetricsService()
    assert service.reads_quickly(short)
    assert not service.reads_quickly(folder)
    service.read_ahead(folder)
    service.read_ahead(folder)
    eventually(lambda: service.reads_quickly(folder), "the run is read", 30)
    assert len(service.series(folder, REWARD)[0].value) == 50


def test_a_forgotten_run_is_read_again(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=2)
    service = MetricsService()
    service.curves(folder, None, CurveRequest(10, "step"))
    folder.metrics_path.unlink()
    service.forget_run("a")
    assert service.curves(folder, None, CurveRequest(10, "step")) == Curves({}, 0, "a:0")


LOGGED = [
    (90.0, 8, {"episode/index": 1, REWARD: 1.0}),
    (91.0, 8, {"episode/index": 2, REWARD: 2.0}),  # parallel environments: two ends at one step
    (92.0, 10, {"train/loss": 0.5}),
    (89.0, 20, {"episode/index": 3, REWARD: 3.0}),  # the clock was set back
    (93.0, 30, {"train/loss": 0.4}),
]


@pytest.mark.parametrize(
    ("axis", "name", "x"),
    [
        ("step", REWARD, [8, 8, 20]),
        ("step", "train/loss", [10, 30]),
        ("time", REWARD, [90, 91, 91]),
        ("episode", REWARD, [1, 2, 3]),
        ("episode", "train/loss", [2, 3]),
    ],
)
def test_each_axis_shows_where_a_point_was_logged(tmp_path: Path, axis: Axis, name: str, x: list[float]) -> None:
    folder, now = make_run(tmp_path, "a"), iter([time for time, _, _ in LOGGED])
    with closing(JournalWriter(folder.metrics_path, clock=lambda: next(now))) as writer:
        for _, step, values in LOGGED:
            writer.append({"step": step, "values": values})
    service = MetricsService()
    assert service.curves(folder, None, CurveRequest(100, axis)).curves[name].x == x
    middle = service.curves(folder, [name], CurveRequest(100, axis, Window(x[0], x[0]))).curves[name]
    assert middle.x == [value for value in x if value == x[0]]


def test_a_window_is_thinned_on_its_own_down_to_raw_points(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=5_000)
    service = MetricsService()
    whole = service.curves(folder, [REWARD], CurveRequest(10, "step")).curves[REWARD]
    part = service.curves(folder, [REWARD], CurveRequest(10, "step", Window(20_000, 20_070))).curves[REWARD]
    assert len(whole.x) <= 10
    assert part.x == [20_000 + 10 * n for n in range(8)]
    assert (whole.count, part.count) == (5_000, 8)
    assert service.curves(folder, [REWARD], CurveRequest(10, "step", Window(1e9, 2e9))).curves[REWARD].x == []


def test_a_smoothed_value_depends_neither_on_thinning_nor_on_the_window(tmp_path: Path) -> None:
    folder, random = make_run(tmp_path, "a"), Random(1)
    with journal(folder.metrics_path) as writer:
        for step in range(5_000):
            writer.append({"step": step, "values": {REWARD: random.gauss(0, 1)}}, flush=False)
    service = MetricsService()

    def smoothed(max_points: int, window: Window = EVERYWHERE) -> dict[float, float]:
        request = CurveRequest(max_points, window=window, smoothing=0.9)
        curve = service.curves(folder, [REWARD], request).curves[REWARD]
        assert curve.smoothed is not None
        return dict(zip(curve.x, curve.smoothed.y, strict=True))

    fine, coarse, zoomed = smoothed(4_999), smoothed(50), smoothed(5_000, Window(3_000, 3_100))
    assert len(coarse) <= 50
    assert len(zoomed) == 101
    assert {x: fine[x] for x in coarse if x in fine} == {x: coarse[x] for x in coarse if x in fine}
    assert {x: fine[x] for x in zoomed if x in fine} == {x: zoomed[x] for x in zoomed if x in fine}
    whole = service.curves(folder, [REWARD], CurveRequest(5_000, smoothing=0.9)).curves[REWARD]
    assert whole.smoothed is None  # nothing was left out


def test_the_newest_points_are_at_the_end_of_the_window(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=50)
    service = MetricsService()
    newest = service.curves(folder, [REWARD], CurveRequest(100, newest=3)).curves[REWARD]
    assert newest.y == [48.0, 49.0, 50.0]
    early = service.curves(folder, [REWARD], CurveRequest(100, window=Window(0, 100), newest=2)).curves[REWARD]
    assert early.y == [9.0, 10.0]


@pytest.mark.parametrize("runs", [CACHED_RUNS + 3])
def test_more_runs_than_the_cache_holds_are_still_answered(tmp_path: Path, runs: int) -> None:
    service = MetricsService()
    folders = [make_run(tmp_path, f"r{number}", rows=number + 1) for number in range(runs)]
    for _ in range(2):
        for number, folder in enumerate(folders):
            assert service.curves(folder, [REWARD], CurveRequest(100, "time")).curves[REWARD].count == number + 1
