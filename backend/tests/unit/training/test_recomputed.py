"""Recomputed rows of a resumed attempt are not written again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import EventKind
from rlviz.learning.training.journals import Recomputed, RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.training import events, make_run, rows

BEFORE = [
    (64, {"time/iterations": 1}),
    (64, {"train/loss": 0.5}),
    (128, {"time/iterations": 2}),
]
"""As of a run in which no episode has ended yet, whose worker died within its second update."""


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


def write(folder: RunFolder, written: list[tuple[int, dict[str, Any]]]) -> None:
    journals = RunJournals(folder)
    for step, values in written:
        journals.metrics(step, values)
    journals.close()


def again(folder: RunFolder, after: int) -> RunJournals:
    """Return the journals of an attempt that continues from a snapshot after the given number of rows."""
    journals = RunJournals(folder)
    beyond = [row for row in rows(folder) if row["seq"] > after]
    journals.expect(
        Recomputed("0", 0, beyond, last=3, attempt=2, leave_behind=lambda _step: pytest.fail("it diverged"))
    )
    return journals


@pytest.mark.parametrize("after", [0, 2])
def test_a_last_row_with_only_times_is_not_written_again(folder: RunFolder, after: int) -> None:
    write(folder, BEFORE)
    journals = again(folder, after)
    for step, values in [*BEFORE[after:], (128, {"train/loss": 0.4}), (192, {"time/iterations": 3})]:
        journals.metrics(step, values)
    journals.close()
    assert [(row["step"], *row["values"]) for row in rows(folder)] == [
        (64, "time/iterations"),
        (64, "train/loss"),
        (128, "time/iterations"),
        (128, "train/loss"),
        (192, "time/iterations"),
    ]
    [resumed] = events(folder, EventKind.RESUMED)
    assert (resumed.data.verified, resumed.data.left) == (1 if after == 0 else 0, 0)  # type: ignore[union-attr]


def test_a_snapshot_names_the_last_row_before_it_and_not_a_row_that_will_be_repeated(folder: RunFolder) -> None:
    write(folder, BEFORE)
    journals = again(folder, after=1)
    assert journals.last_row() == 1
    journals.metrics(64, {"train/loss": 0.5})
    assert (journals.last_row(), journals.is_repeating) == (2, True)
    journals.metrics(128, {"time/iterations": 2})
    assert (journals.last_row(), journals.is_repeating) == (3, False)
    journals.close()


def test_rows_with_only_times_may_differ(folder: RunFolder) -> None:
    write(folder, [(64, {"time/fps": 1.0}), (100, {"train/loss": 0.5}), (128, {"time/fps": 1.0})])
    journals = again(folder, after=0)
    for step, values in [(32, {"time/fps": 2.0}), (100, {"train/loss": 0.5}), (192, {"time/fps": 2.0})]:
        journals.metrics(step, values)
    assert not journals.is_repeating
    journals.close()
    assert [row["step"] for row in rows(folder)] == [64, 100, 128, 192]


def test_rows_of_a_version_without_reward_components_count_as_identical(folder: RunFolder) -> None:
    write(folder, [(10, {"episode/reward": 1.5})])
    journals = again(folder, after=0)
    journals.metrics(10, {"episode/reward": 1.5, "reward/goal": 2.0, "reward/fuel": -0.5})
    journals.close()
    [resumed] = events(folder, EventKind.RESUMED)
    assert (resumed.data.verified, len(rows(folder))) == (1, 1)  # type: ignore[union-attr]
