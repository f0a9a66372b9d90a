"""The filmstrip: which policies are stored and when, and failures to store one."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms import policy as weights
from rlviz.learning.algorithms.policy import read_policy
from rlviz.learning.training import checkpoint as filmstrip
from rlviz.learning.training.checkpoint import FEWEST, MAX_SHARE, NEVER, Filmstrip, plan_film_moments
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import checkpoints, leftovers, make_run, messages


def no_time() -> float:
    """A clock that never advances."""
    return 0.0


def kept(folder: RunFolder) -> list[int]:
    return [step for step, _ in folder.film_files()]


def advance(strip: Filmstrip, model: BaseAlgorithm, *steps: int) -> None:
    """Advance the step to each of ``steps``, as training does for a filmstrip."""
    for step in steps:
        model.num_timesteps = step
        if step >= strip.next_step:
            strip.copy_policy(model)
        strip.write()


def begun(strip: Filmstrip, model: BaseAlgorithm, step: int = 0) -> Filmstrip:
    model.num_timesteps = step
    strip.begin(model)
    return strip


@given(
    end=st.integers(100, 10_000_000),
    count=st.integers(1, 1_000),
    first_update=st.integers(0, 100_000),
    every=st.integers(1, 50_000),
)
def test_moments_increase_from_the_first_policy_and_match_policy_changes(
    end: int, count: int, first_update: int, every: int
) -> None:
    moments = plan_film_moments(end, count, first_update=first_update, every=every)
    assert moments[0] == 0
    assert len(moments) <= count
    assert list(moments) == sorted(set(moments))
    assert all(moment % every == 0 and first_update <= moment <= end for moment in moments[1:])


@pytest.mark.parametrize("every", [1, 256, 2_048])
def test_moments_are_log_spaced_and_as_many_as_requested(every: int) -> None:
    moments = np.array(plan_film_moments(1_000_000, 40, first_update=0, every=every)[1:])
    assert len(moments) == 39
    assert moments[-1] >= 1_000_000 - every
    gaps = np.diff(moments)
    ratios = moments[1:] / moments[:-1]
    assert all((ratios < 1.3) | (gaps <= 2 * every))
    assert moments[19] < 250_000


def test_a_run_with_fewer_policies_than_requested_keeps_all() -> None:
    assert plan_film_moments(1_000, 40, first_update=0, every=256) == [0, 256, 512, 768]


def test_the_policy_of_each_moment_is_kept_after_the_update_that_produced_it(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    strip = begun(
        Filmstrip(folder, journals, end=10_000, count=4, every=100, monotonic=no_time, processor_time=no_time), model
    )
    moments = plan_film_moments(10_000, 4, first_update=0, every=100)
    advance(strip, model, *range(1, 10_001))
    assert kept(folder) == [0, *(moment + 1 for moment in moments[1:-1])]
    strip.finish(model)
    assert kept(folder)[-1] == 10_000
    assert strip.next_step == NEVER
    assert leftovers(folder) == []


def test_the_policy_kept_is_that_of_its_moment(folder: RunFolder, journals: RunJournals, model: BaseAlgorithm) -> None:
    strip = begun(Filmstrip(folder, journals, end=1_000, count=9, monotonic=no_time, processor_time=no_time), model)
    before = [tensor.clone() for tensor in model.policy.parameters()]
    with torch.no_grad():
        next(model.policy.parameters()).add_(1)
    strip.finish(model)  # writes what was taken before the change
    with folder.film_path(0).open("rb") as file:
        policy = read_policy(ALGORITHMS.get("ppo"), file)
    assert all(map(torch.equal, before, policy.model.policy.parameters()))
    assert policy.step == 0


def test_no_film_is_kept_if_none_is_requested(folder: RunFolder, journals: RunJournals, model: BaseAlgorithm) -> None:
    strip = begun(Filmstrip(folder, journals, end=1_000, count=0, monotonic=no_time, processor_time=no_time), model)
    advance(strip, model, 1, 1_000)
    strip.finish(model)
    assert kept(folder) == []
    assert not folder.film.exists()


def test_large_policies_are_kept_less_often(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filmstrip, "MAX_BYTES", 100_000)
    strip = begun(Filmstrip(folder, journals, end=1_000, count=40, monotonic=no_time, processor_time=no_time), model)
    advance(strip, model, *range(1, 1_001))
    assert len(kept(folder)) in (FEWEST - 1, FEWEST)
    few = begun(
        Filmstrip(
            make_run(folder.path.parent, "few"), journals, end=1_000, count=3, monotonic=no_time, processor_time=no_time
        ),
        model,
    )
    assert len(few._moments) + 2 == 3  # the one that was taken, and the next


def test_policies_slow_to_save_are_skipped_until_enough_training_time_has_passed(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, save = [0.0], weights.save_weights

    def slowly(*arguments: Any) -> None:
        now[0] += 0.05
        save(*arguments)

    monkeypatch.setattr(weights, "save_weights", slowly)

    def clock() -> float:
        return now[0]

    strip = begun(Filmstrip(folder, journals, end=1_000, count=1_000, monotonic=clock, processor_time=clock), model)
    for step in range(1, 1_001):
        now[0] += 0.1
        advance(strip, model, step)
    assert len(kept(folder)) == pytest.approx(1 + 1_000 * 0.1 * MAX_SHARE / 0.05, abs=2)


def test_waiting_for_a_core_does_not_count_as_saving_time(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    now = [0.0]

    def late() -> float:
        now[0] += 10
        return now[0]

    undisturbed = make_run(folder.path.parent, "undisturbed")
    for place, clock in ((folder, late), (undisturbed, no_time)):
        strip = Filmstrip(place, journals, end=1_000, count=20, monotonic=clock, processor_time=no_time)
        begun(strip, model)
        for step in range(1, 1_001):
            advance(strip, model, step)
        model.num_timesteps = 0
    assert kept(folder) == kept(undisturbed)


def test_a_full_disk_raises_one_warning_and_the_filmstrip_continues(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    strip = begun(Filmstrip(folder, journals, end=1_000, count=40, monotonic=no_time, processor_time=no_time), model)
    write, full = filmstrip.write_atomically, [True]

    def refuse(*arguments: Any) -> None:
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(*arguments)

    monkeypatch.setattr(filmstrip, "write_atomically", refuse)
    advance(strip, model, *range(1, 501))
    full[0] = False
    advance(strip, model, *range(501, 1_001))
    assert kept(folder)
    assert min(kept(folder)) > 500
    assert len(messages(folder)) == 1
    assert "for the filmstrip: [Errno 28] No space left on device" in messages(folder)[0]


def test_a_foreign_entry_in_place_of_the_folder_raises_a_warning(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    folder.film.symlink_to(folder.path.parent)
    strip = begun(Filmstrip(folder, journals, end=1_000, count=40, monotonic=no_time, processor_time=no_time), model)
    strip.finish(model)
    assert "It is a link" in messages(folder)[0]
    assert not (folder.path.parent / "step_0.zip").exists()


def test_a_second_attempt_continues_the_filmstrip_and_replaces_recomputed_moments(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm
) -> None:
    strip = begun(Filmstrip(folder, journals, end=1_000, count=20, monotonic=no_time, processor_time=no_time), model)
    advance(strip, model, *range(1, 801))
    first = kept(folder)
    again = begun(
        Filmstrip(folder, journals, end=1_000, count=12, monotonic=no_time, processor_time=no_time), model, 400
    )
    advance(again, model, *range(401, 601))
    assert [step for step in kept(folder) if step < 400] == [step for step in first if step < 400]
    latest = max(step for step in kept(folder) if step <= 601)
    assert [step for step in kept(folder) if step > latest] == [step for step in first if step > latest]
    between = {step for step in kept(folder) if 400 <= step <= latest}
    assert 400 in between
    assert between - {400} <= {moment + 1 for moment in plan_film_moments(1_000, 12, first_update=0, every=1)}


@pytest.mark.parametrize("algo", ["ppo", "q-learning"])
def test_training_leaves_a_film_from_the_first_policy_to_the_last(tmp_path: Path, algo: str) -> None:
    train_with_film(tmp_path, algo)


def train_with_film(tmp_path: Path, algo: str) -> None:
    folder = make_run(tmp_path, algo=algo, total_timesteps=2_000, checkpoints=checkpoints(film=10))
    assert train_run(folder)
    steps = kept(folder)
    assert steps[0] == 0
    assert 3 <= len(steps) <= 11
    weights = []
    for _, path in folder.film_files():
        with path.open("rb") as file:
            policy = read_policy(ALGORITHMS.get(algo), file)
        weights.append(b"".join(tensor.numpy().tobytes() for tensor in policy.model.policy.state_dict().values()))
    assert len(set(weights)) >= len(steps) - 1
    with folder.model_path.open("rb") as file:
        last = read_policy(ALGORITHMS.get(algo), file)
    assert steps[-1] == last.step
