"""Training time over several attempts."""

from __future__ import annotations

import numpy as np

from rlviz.stats.returns import TrainingClock

PAUSED_ONCE = TrainingClock(((100.0, 110.0), (500.0, None)))


def test_a_pause_takes_no_training_time() -> None:
    found = PAUSED_ONCE.seconds(np.array([100.0, 104.0, 110.0, 300.0, 500.0, 507.0]))
    assert found.tolist() == [0, 4, 10, 10, 10, 17]


def test_times_before_the_first_or_after_the_last_attempt_are_clamped() -> None:
    ended = TrainingClock(((100.0, 110.0), (500.0, 520.0)))
    assert [ended.at(time) for time in (0.0, 700.0)] == [0, 30]


def test_training_time_stands_still_while_the_clock_was_set_back() -> None:
    assert PAUSED_ONCE.seconds(np.array([100.0, 104.0, 90.0, 105.0])).tolist() == [0, 4, 4, 5]
    overlapping = TrainingClock(((100.0, 110.0), (105.0, 112.0)))
    assert overlapping.seconds(np.array([110.0, 112.0])).tolist() == [10, 12]


def test_without_an_attempt_the_first_row_is_the_start() -> None:
    assert TrainingClock().seconds(np.array([7.0, 9.0])).tolist() == [0, 2]
    assert len(TrainingClock().seconds(np.empty(0))) == 0
