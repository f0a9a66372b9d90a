"""Periodic tasks: failing steps, and closing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from threading import Event

import pytest

from rlviz.domain.errors import NotEnoughDisk
from rlviz.server.periodic_task import PeriodicTask
from tests.support.waiting import eventually


@pytest.mark.parametrize(
    ("error", "has_traceback"),
    [(NotEnoughDisk("The disk is full."), False), (OSError("gone"), False), (KeyError("x"), True)],
)
def test_a_failing_step_is_reported_and_blocks_no_other(
    error: Exception, has_traceback: bool, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def fails() -> None:
        done.append("failed")
        raise error

    task = PeriodicTask("measuring", fails, lambda: done.append("next"), every=60)
    task.run_once()
    task.run_once()
    assert done == ["failed", "next"] * 2
    assert [record.levelno for record in caplog.records] == [logging.WARNING], "the same is not told twice"
    assert caplog.records[0].getMessage().startswith("Measuring (fails) is tried again in 60 seconds")
    assert (caplog.records[0].exc_info is not None) is has_traceback


def test_turns_are_repeated_until_the_task_is_closed() -> None:
    turns: list[int] = []
    task = PeriodicTask("counting", lambda: turns.append(1), every=0.001)
    task.start()
    eventually(lambda: len(turns) >= 3, "three turns")
    task.close()
    after = len(turns)
    task.run_once()
    assert len(turns) == after, "a task that is closed does nothing more"


def test_a_step_with_items_can_end_between_two_of_them() -> None:
    begun: list[int] = []

    def looks_through() -> Iterator[None]:
        for item in range(100_000):
            begun.append(item)
            yield

    task = PeriodicTask("looking through", looks_through, every=60)
    task.start()
    eventually(lambda: len(begun) >= 3, "three items")
    task.close()
    assert len(begun) < 100_000


def test_the_first_turn_can_wait() -> None:
    began = Event()
    task = PeriodicTask("waiting", began.set, every=60, at_start=False)
    task.start()
    assert not began.wait(0.05)
    task.close()
    assert not began.is_set()


def test_a_task_that_never_started_can_be_closed() -> None:
    PeriodicTask("nothing", every=60).close()
