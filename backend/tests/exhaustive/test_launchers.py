"""The contract of launchers, for the kinds that `make test` does not start."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.real.test_launchers import (
    HERE,
    KINDS,
    Rig,
    forks,
    rig,
    rigs_of,
    test_a_run_that_has_ended_is_never_trained_again,
    test_a_stop_that_was_asked_for_before_the_launch_counts,
    test_a_worker_that_cannot_be_started_is_a_launcher_error_or_an_exit,
    test_a_worker_that_is_killed_or_a_thread_that_cannot_be_ends,
    test_a_worker_trains_to_the_end,
    test_an_error_in_training_is_in_the_journal_and_in_the_exit,
    test_an_evaluation_is_played_to_its_end,
    test_close_leaves_workers_alone_that_outlive_it_and_ends_others_as_a_stop_would,
    test_launch_returns_while_it_trains_alone_in_its_folder_until_told_to_stop,
    test_nobody_is_adopted_by_an_identity_that_nobody_has,
)

__all__ = [
    "forks",
    "rig",
    "test_a_run_that_has_ended_is_never_trained_again",
    "test_a_stop_that_was_asked_for_before_the_launch_counts",
    "test_a_worker_that_cannot_be_started_is_a_launcher_error_or_an_exit",
    "test_a_worker_that_is_killed_or_a_thread_that_cannot_be_ends",
    "test_a_worker_trains_to_the_end",
    "test_an_error_in_training_is_in_the_journal_and_in_the_exit",
    "test_an_evaluation_is_played_to_its_end",
    "test_close_leaves_workers_alone_that_outlive_it_and_ends_others_as_a_stop_would",
    "test_launch_returns_while_it_trains_alone_in_its_folder_until_told_to_stop",
    "test_nobody_is_adopted_by_an_identity_that_nobody_has",
]


@pytest.fixture(params=[kind for kind in KINDS if kind not in HERE])
def new_rig(request: pytest.FixtureRequest) -> Iterator[Callable[[], Rig]]:
    yield from rigs_of(request.param)
