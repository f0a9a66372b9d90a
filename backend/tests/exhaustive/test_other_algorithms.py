"""What the tests of training show with one algorithm that learns from rollouts and one with a replay buffer, with the
others. ``real/test_every_algorithm.py`` trains, pauses and resumes each of them in ``make test``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.algorithms import ALGORITHMS
from tests.real.test_pausing import pause_and_resume
from tests.real.test_scripted_like_real import SETTINGS, compare_scripted_with_real
from tests.real.training.test_anatomy import look_into_training
from tests.real.training.test_interruption import REPLAY, ROLLOUT, stop_within_an_update

TRIED = {"ppo", "dqn"}


@pytest.mark.parametrize("algo", ["a2c", "q-learning"])
def test_a_run_that_paused_goes_on_as_if_nothing_had_happened(tmp_path: Path, at: Any, algo: str) -> None:
    pause_and_resume(tmp_path, at, algo)


@pytest.mark.parametrize("algo", sorted({*REPLAY, *ROLLOUT} - TRIED))
def test_a_run_stopped_within_its_update_ends_stopped_with_a_policy_that_plays(
    tmp_path: Path, algo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_within_an_update(tmp_path, algo, monkeypatch)


@pytest.mark.parametrize("algo", sorted({*ALGORITHMS.names()} - TRIED))
def test_training_does_not_notice_that_it_is_looked_into(tmp_path: Path, algo: str) -> None:
    look_into_training(tmp_path, algo)


@pytest.mark.parametrize("algo", sorted({*SETTINGS} - TRIED))
def test_a_scripted_worker_writes_the_events_rows_and_files_of_a_real_one(tmp_path: Path, algo: str) -> None:
    compare_scripted_with_real(algo, tmp_path)
