"""The contract of launchers, for the kinds that ``make test`` does not start."""

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
    test_a_stop_requested_before_the_launch_takes_effect,
    test_a_worker_that_cannot_start_is_a_launcher_error_or_an_exit,
    test_a_worker_trains_to_the_end,
    test_an_error_in_training_is_in_the_journal_and_the_exit_status,
    test_an_evaluation_is_played_to_its_end,
    test_an_unknown_identity_adopts_no_worker,
    test_close_leaves_workers_that_outlive_it_running_and_stops_others,
    test_killing_a_worker_ends_it_as_far_as_its_launcher_can,
    test_launch_returns_while_the_worker_trains_alone_in_its_folder_until_it_is_stopped,
)

__all__ = [
    "forks",
    "rig",
    "test_a_run_that_has_ended_is_never_trained_again",
    "test_a_stop_requested_before_the_launch_takes_effect",
    "test_a_worker_that_cannot_start_is_a_launcher_error_or_an_exit",
    "test_a_worker_trains_to_the_end",
    "test_an_error_in_training_is_in_the_journal_and_the_exit_status",
    "test_an_evaluation_is_played_to_its_end",
    "test_an_unknown_identity_adopts_no_worker",
    "test_close_leaves_workers_that_outlive_it_running_and_stops_others",
    "test_killing_a_worker_ends_it_as_far_as_its_launcher_can",
    "test_launch_returns_while_the_worker_trains_alone_in_its_folder_until_it_is_stopped",
]


@pytest.fixture(params=[kind for kind in KINDS if kind not in HERE])
def new_rig(request: pytest.FixtureRequest) -> Iterator[Callable[[], Rig]]:
    yield from rigs_of(request.param)
