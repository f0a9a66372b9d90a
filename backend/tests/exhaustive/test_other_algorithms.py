"""Training tests that ``make test`` runs with one or two algorithms, with the others.

In ``make test``, ``real/test_every_algorithm.py`` trains, pauses and resumes each of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from tests.real.test_algorithms_train import compare_with_a_run_without_evaluations
from tests.real.test_pausing import pause_and_resume
from tests.real.test_scripted_matches_real import SETTINGS, compare_scripted_with_real
from tests.real.test_supervised_processes import stop_in_the_middle_of_an_update
from tests.real.training.test_anatomy import look_into_training
from tests.real.training.test_filmstrip import train_with_film
from tests.real.training.test_interruption import REPLAY, ROLLOUT, stop_within_an_update
from tests.support.service import service

TRIED = {"ppo", "dqn"}


@pytest.mark.parametrize("algo", sorted({*ALGORITHMS.names()} - {"ppo"}))
def test_evaluations_do_not_change_training(tmp_path: Path, algo: str) -> None:
    compare_with_a_run_without_evaluations(algo, tmp_path)


@pytest.mark.parametrize("algo", ["a2c", "dqn", "q-learning"])
def test_a_resumed_run_continues_as_if_it_had_not_paused(tmp_path: Path, at: Any, algo: str) -> None:
    pause_and_resume(tmp_path, at, algo)


@pytest.mark.parametrize("algo", sorted({*REPLAY, *ROLLOUT} - TRIED))
def test_a_run_stopped_within_an_update_ends_stopped_with_a_usable_policy(
    tmp_path: Path, algo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_within_an_update(tmp_path, algo, monkeypatch)


def test_a_service_stops_a_run_in_the_middle_of_a_long_update_from_a_buffer(tmp_path: Path) -> None:
    with service(tmp_path, max_concurrent_runs=1) as app:
        stop_in_the_middle_of_an_update(app, "dqn")


@pytest.mark.parametrize("algo", sorted({*ALGORITHMS.names()} - {"ppo"}))
def test_reading_the_anatomy_does_not_change_training(tmp_path: Path, algo: str) -> None:
    look_into_training(tmp_path, algo)


def test_training_leaves_a_film_from_the_first_policy_to_the_last(tmp_path: Path) -> None:
    train_with_film(tmp_path, "dqn")


@pytest.mark.parametrize("algo", sorted({*SETTINGS} - TRIED))
def test_a_scripted_worker_writes_the_events_rows_and_files_of_a_real_one(tmp_path: Path, algo: str) -> None:
    compare_scripted_with_real(algo, tmp_path)
