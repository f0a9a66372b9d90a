"""Reading a journal that grows, from several threads."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rlviz.services.metrics import CACHED_RUNS, Curves, MetricsService
from tests.support.http import journal, make_run

REWARD = "episode/reward"


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_a_cursor_stands_just_after_the_points_it_comes_with_whoever_else_reads(tmp_path: Path) -> None:
    folder, names = make_run(tmp_path, "a"), [f"metric/{number}" for number in range(40)]
    service = MetricsService()

    def read() -> list[Curves]:
        return [service.curves(folder, None, 100, "step") for _ in range(30)]

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


def test_a_series_that_was_never_logged_is_empty(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=2)
    reward, other = MetricsService().series(folder, REWARD, "train/loss")
    assert reward.value.tolist() == [1.0, 2.0]
    assert len(other) == 0


def test_a_run_that_was_forgotten_is_read_again(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=2)
    service = MetricsService()
    service.curves(folder, None, 10, "step")
    folder.metrics_path.unlink()
    service.forget("a")
    assert service.curves(folder, None, 10, "step") == Curves({}, 0, "a:0")


@pytest.mark.parametrize("runs", [CACHED_RUNS + 3])
def test_more_runs_than_are_kept_in_memory_are_still_answered(tmp_path: Path, runs: int) -> None:
    service = MetricsService()
    folders = [make_run(tmp_path, f"r{number}", rows=number + 1) for number in range(runs)]
    for _ in range(2):
        for number, folder in enumerate(folders):
            assert service.curves(folder, [REWARD], 100, "time").curves[REWARD].count == number + 1
