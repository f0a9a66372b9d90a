"""The trainer's journals: non-finite values, buffering, order and full disks."""

from __future__ import annotations

import math
import resource
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Figure, HParam, Logger

from rlviz.domain.events import CheckpointData, EventKind, FinishedData
from rlviz.learning.training.callback import JournalOutput, RunLogger
from rlviz.learning.training.journals import MAX_WAITING_ROWS, RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.training import column, events, messages, rows
from tests.support.waiting import PATIENCE


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journals(folder: RunFolder, clock: Clock) -> Iterator[RunJournals]:
    journals = RunJournals(folder, clock=clock, monotonic=clock)
    yield journals
    journals.close()


@pytest.fixture
def logger(journals: RunJournals) -> Logger:
    return Logger(folder=None, output_formats=[JournalOutput(journals)])


def log(logger: Logger, step: int, **values: Any) -> None:
    for name, value in values.items():
        logger.record(name, value)
    logger.dump(step)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_non_finite_value_becomes_null_beside_the_finite_values(
    folder: RunFolder, journals: RunJournals, bad: float
) -> None:
    journals.metrics(7, {"train/loss": bad, "train/n_updates": 3})
    journals.close()
    assert [(row["step"], row["values"]) for row in rows(folder)] == [(7, {"train/loss": None, "train/n_updates": 3})]
    [message] = messages(folder)
    assert message.startswith(f"train/loss is {bad} at step 7.")


@pytest.mark.parametrize(
    ("value", "written"), [(2**53 - 1, 2**53 - 1), (2**63 - 1, float(2**63)), (2**64, float(2**64)), (-(10**400), None)]
)
def test_integers_too_large_for_a_journal_do_not_end_training(
    folder: RunFolder, journals: RunJournals, logger: Logger, value: int, written: float | None
) -> None:
    log(logger, 1, mine=value)
    log(logger, 2, mine=3)
    journals.close()
    assert column(folder, "mine") == [written, 3]


def test_an_unwritable_row_raises_a_warning(folder: RunFolder, journals: RunJournals) -> None:
    journals.metrics(1, {"mine": 2**64})
    journals.metrics(2, {"mine": 3})
    journals.close()
    assert column(folder, "mine") == [3]
    assert messages(folder) == ["mine could not be recorded at step 1: Integer exceeds 64-bit range."]


def test_rates_are_not_affected_by_a_clock_that_is_set_back(
    folder: RunFolder, journals: RunJournals, clock: Clock
) -> None:
    logger = RunLogger(JournalOutput(journals), monotonic=clock)
    logger.begin(100)
    clock.now += 2.0
    log(logger, 1_100, **{"time/fps": 10**20, "time/time_elapsed": 0})
    journals.close()
    assert (column(folder, "time/fps"), column(folder, "time/time_elapsed")) == ([500], [2])


def test_each_streak_of_bad_values_raises_one_warning_for_each_metric(folder: RunFolder, journals: RunJournals) -> None:
    for step, (loss, kl) in enumerate([(1, 1), (math.nan, 1), (math.inf, 1), (math.nan, math.nan), (2, 2)]):
        journals.metrics(step, {"loss": loss, "kl": kl})
    journals.metrics(5, {"loss": math.nan})
    journals.metrics(6, {"kl": 1.0})
    journals.metrics(7, {"loss": math.nan})
    journals.close()
    assert [(event.step, str(event.data.message).split()[0]) for event in events(folder, EventKind.WARNING)] == [
        (1, "loss"),
        (3, "kl"),
        (5, "loss"),
    ]
    assert column(folder, "loss") == [1, None, None, None, 2, None, None]


@pytest.mark.parametrize("name", ["episode/reward", "rollout/ep_rew_mean", "eval/mean_reward", "eval/std_reward"])
def test_a_return_that_is_no_number_is_attributed_to_the_environment(
    folder: RunFolder, journals: RunJournals, name: str
) -> None:
    journals.metrics(7, {name: math.nan})
    journals.close()
    assert messages(folder) == [
        f"{name} is nan at step 7: a reward of the environment, or the sum of its rewards, is not a finite number."
    ]


def test_a_warning_caused_by_the_environment_does_not_suggest_a_lower_learning_rate(
    folder: RunFolder, journals: RunJournals
) -> None:
    journals.metrics(1, {"train/loss": math.inf})
    journals.environment_fault = "At step 5, after action 2, the environment returned a reward of nan."
    journals.metrics(7, {"train/value_loss": math.nan})
    journals.close()
    assert messages(folder) == [
        "train/loss is inf at step 1. If this continues, lower the learning rate.",
        "train/value_loss is nan at step 7. This may follow from a fault of the environment: At step 5, after "
        "action 2, the environment returned a reward of nan.",
    ]


def test_an_event_and_the_metrics_before_it_are_on_disk_immediately(folder: RunFolder, journals: RunJournals) -> None:
    journals.metrics(1, {"train/loss": 0.5})
    assert rows(folder) == []
    journals.event(1, CheckpointData(path="checkpoints/step_1.zip", request=0))
    assert column(folder, "train/loss") == [0.5]
    assert [event.step for event in events(folder)] == [1]


def test_rows_refused_by_a_full_disk_do_not_stop_training_and_are_written_later(
    folder: RunFolder, journals: RunJournals, clock: Clock
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
    try:
        for step in range(3):
            clock.now += 1
            journals.metrics(step, {"train/loss": 0.5})
            journals.warn(step, "The disk is full.")
        with pytest.raises(OSError, match="File too large"):
            journals.event(3, FinishedData(path="model.zip"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    clock.now += 1
    journals.flush_if_due()
    assert column(folder, "train/loss") == [0.5] * 3
    assert [event.step for event in events(folder)] == [0, 1, 2, 3]


def test_metrics_are_buffered_only_for_a_short_time(folder: RunFolder, journals: RunJournals, clock: Clock) -> None:
    journals.metrics(1, {"train/loss": 0.5})
    journals.flush_if_due()
    assert rows(folder) == []
    clock.now += 0.25
    journals.flush_if_due()
    assert column(folder, "train/loss") == [0.5]


def test_frequent_rows_are_written_together_in_order_with_their_own_times(
    folder: RunFolder, journals: RunJournals, clock: Clock
) -> None:
    for step in (1, 2):
        journals.metrics_soon(step, {"episode/reward": step})
        clock.now += 1
    journals.metrics(2, {"train/loss": 0.5})
    journals.metrics_soon(3, {"episode/reward": 3})
    journals.flush_if_due()
    journals.event(3, FinishedData(path="model.zip"))
    written = rows(folder)
    assert [list(row["values"].values()) for row in written] == [[1], [2], [0.5], [3]]
    assert [row["seq"] for row in written] == [1, 2, 3, 4]
    assert [row["time"] - written[0]["time"] for row in written] == [0, 1, 2, 2]


def test_a_warning_about_a_buffered_row_does_not_change_the_order(folder: RunFolder, journals: RunJournals) -> None:
    for step, value in enumerate([1.0, math.nan, 3.0]):
        journals.metrics_soon(step, {"episode/reward": value})
    journals.close()
    assert column(folder, "episode/reward") == [1.0, None, 3.0]
    assert [event.step for event in events(folder)] == [1]


def test_frequent_rows_are_not_buffered_indefinitely(folder: RunFolder, journals: RunJournals, clock: Clock) -> None:
    for step in range(MAX_WAITING_ROWS):
        assert rows(folder) == []
        journals.metrics_soon(step, {"episode/reward": 1.0})
        clock.now += 1
    journals.metrics_soon(MAX_WAITING_ROWS, {"episode/reward": 1.0})
    assert len(rows(folder)) == MAX_WAITING_ROWS


def test_rows_buffered_by_a_full_disk_are_written_once_when_there_is_room(
    folder: RunFolder, journals: RunJournals, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlviz.rundir.journal.MAX_WAITING_BYTES", 200)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
    try:
        for step in range(9):
            journals.metrics_soon(step, {"train/loss": 0.5})
        clock.now += 1
        for _ in range(2):
            with pytest.raises(OSError, match="File too large"):
                journals.flush_if_due()
            clock.now += 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    for _ in range(9):
        clock.now += 1
        with suppress(OSError):  # a part made room for the next
            journals.flush_if_due()
    assert [row["step"] for row in rows(folder)] == list(range(9))


def test_an_unwritable_row_is_reported_and_blocks_no_other(folder: RunFolder, journals: RunJournals) -> None:
    journals.metrics_soon(1, {"episode/length": 2**70})
    journals.metrics_soon(2, {"episode/length": 3})
    journals.close()
    assert column(folder, "episode/length") == [3]
    [problem] = messages(folder)
    assert problem.startswith("episode/length could not be recorded at step 1: ")


def test_a_row_waits_while_another_thread_writes_earlier_ones(
    folder: RunFolder, journals: RunJournals, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()
    write = journals._metrics.append

    def slowly(record: dict[str, Any], **wishes: Any) -> int:
        if record["step"] == 1:
            begun.set()
            go_on.wait(PATIENCE)
        return write(record, **wishes)

    monkeypatch.setattr(journals._metrics, "append", slowly)
    for step in (1, 2):
        journals.metrics_soon(step, {"episode/index": step})
    watcher = Thread(target=journals.flush_if_due)
    watcher.start()
    assert begun.wait(PATIENCE)
    trainer = Thread(target=journals.metrics, args=(3, {"episode/index": 3}))
    trainer.start()
    trainer.join(0.1)
    go_on.set()
    for thread in (watcher, trainer):
        thread.join(PATIENCE)
    journals.close()
    assert column(folder, "episode/index") == [1, 2, 3]


def test_closing_writes_the_buffered_rows(folder: RunFolder, journals: RunJournals) -> None:
    journals.metrics(1, {"train/loss": 0.5})
    journals.close()
    assert column(folder, "train/loss") == [0.5]


def test_numbers_of_every_kind_are_recorded_as_numbers_under_their_own_names(
    folder: RunFolder, journals: RunJournals, logger: Logger
) -> None:
    log(logger, 9, **{"a/int": 3, "a/float": 0.5, "a/float32": np.float32(0.25), "a/int64": np.int64(4), "a/yes": True})
    journals.close()
    [row] = rows(folder)
    assert (row["step"], row["values"]) == (
        9,
        {"a/int": 3, "a/float": 0.5, "a/float32": 0.25, "a/int64": 4, "a/yes": 1},
    )
    assert not any(isinstance(value, bool) for value in row["values"].values())


def test_averaged_values_are_recorded_as_their_mean(folder: RunFolder, journals: RunJournals, logger: Logger) -> None:
    for value in (1.0, 2.0):
        logger.record_mean("train/loss", value)
    logger.dump(3)
    journals.close()
    assert column(folder, "train/loss") == [1.5]


@pytest.mark.parametrize(
    "value",
    ["text", torch.zeros(3), Figure(None, close=False), HParam({"gamma": 0.9}, {"train/loss": 0}), np.zeros(2)],
    ids=lambda value: type(value).__name__,
)
def test_a_value_that_is_not_a_number_is_left_out_with_one_warning(
    folder: RunFolder, journals: RunJournals, logger: Logger, value: Any
) -> None:
    for step in (1, 2, 3):
        log(logger, step, **{"train/loss": 0.5, "train/odd": value})
    journals.close()
    assert [row["values"] for row in rows(folder)] == [{"train/loss": 0.5}] * 3
    assert messages(folder) == [f"train/odd is a {type(value).__name__}; only numbers are recorded."]


def test_a_dump_without_numbers_writes_nothing(folder: RunFolder, journals: RunJournals, logger: Logger) -> None:
    logger.dump(1)
    log(logger, 2, note="text")
    journals.close()
    assert rows(folder) == []


def test_a_value_excluded_from_this_output_is_left_out(
    folder: RunFolder, journals: RunJournals, logger: Logger
) -> None:
    logger.record("train/loss", 0.5)
    logger.record("train/secret", 1.0, exclude="journal")
    logger.record("train/shown", 2.0, exclude=("stdout", "tensorboard"))
    logger.dump(1)
    journals.close()
    assert [row["values"] for row in rows(folder)] == [{"train/loss": 0.5, "train/shown": 2.0}]
