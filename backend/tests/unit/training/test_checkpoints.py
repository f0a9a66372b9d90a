"""Checkpoints: by step, by time and on request, with retention."""

from __future__ import annotations

import errno

import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import CheckpointPlan
from rlviz.domain.events import EventKind
from rlviz.learning.training.checkpoint import Checkpoints, save_policy
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.folder import RunFolder
from tests.support.training import column, events, leftovers, messages


class Clock:
    def __init__(self) -> None:
        self.now = 5000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def advance(checkpoints: Checkpoints, model: BaseAlgorithm, *steps: int) -> None:
    """Advance the step to each of ``steps``, as training does for checkpoints."""
    for step in steps:
        model.num_timesteps = step
        checkpoints.check_clock()
        if step >= checkpoints.next_step:
            checkpoints.save_due(model)


def saved(folder: RunFolder) -> list[int]:
    """Return the steps of all checkpoints that were ever saved, including deleted ones."""
    return [event.step for event in events(folder, EventKind.CHECKPOINT)]


def kept(folder: RunFolder) -> list[int]:
    return [step for step, _ in folder.checkpoint_files()]


def test_a_checkpoint_is_saved_every_n_steps(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100, keep=9), journals, monotonic=clock)
    advance(checkpoints, model, *range(1, 351))
    assert saved(folder) == kept(folder) == [100, 200, 300]


def test_parallel_environments_overshoot_the_interval_and_are_saved_at_their_step(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100), journals, monotonic=clock)
    advance(checkpoints, model, *range(0, 300, 8))
    assert saved(folder) == [104, 208]


def test_a_checkpoint_is_saved_every_m_seconds(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    plan = CheckpointPlan(every_steps=1_000_000, every_seconds=30, keep=9)
    checkpoints = Checkpoints(folder, plan, journals, monotonic=clock)
    for step in range(1, 71):  # a step a second
        clock.now += 1
        advance(checkpoints, model, step)
    assert saved(folder) == [30, 60]


def test_the_first_interval_to_elapse_restarts_both(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    plan = CheckpointPlan(every_steps=100, every_seconds=30, keep=9)
    checkpoints = Checkpoints(folder, plan, journals, monotonic=clock)
    for seconds, step in [(29, 99), (0, 100), (29, 150), (1, 151), (0, 250), (0, 251)]:
        clock.now += seconds
        advance(checkpoints, model, step)
    assert saved(folder) == [100, 151, 251]


def test_only_the_newest_checkpoints_are_kept(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100, keep=2), journals, monotonic=clock)
    advance(checkpoints, model, 900, 1_000, 1_100, 10_000)
    assert saved(folder) == [900, 1_000, 1_100, 10_000]
    assert kept(folder) == [1_100, 10_000]


def test_a_request_is_answered_once_at_the_next_step(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(), journals, monotonic=clock)
    advance(checkpoints, model, 1)
    for _ in range(3):  # control.json is read again and again
        checkpoints.request(1)
        advance(checkpoints, model, 2, 3)
    checkpoints.request(2)
    advance(checkpoints, model, 4, 5)
    found = events(folder, EventKind.CHECKPOINT)
    assert [(event.step, event.data.request) for event in found] == [(2, 1), (4, 2)]


def test_a_request_that_arrives_during_a_save_is_answered_by_the_next_one(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(
        folder, CheckpointPlan(), journals, monotonic=clock, export=lambda _model: checkpoints.request(2)
    )
    checkpoints.request(1)
    advance(checkpoints, model, 2, 3, 4)
    found = events(folder, EventKind.CHECKPOINT)
    assert [(event.step, event.data.request) for event in found] == [(2, 1), (3, 2)]


def test_the_published_policy_is_updated_every_second_without_a_checkpoint(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    pictured: list[int] = []
    checkpoints = Checkpoints(
        folder,
        CheckpointPlan(every_steps=100),
        journals,
        monotonic=clock,
        export=lambda model: pictured.append(model.num_timesteps),
    )
    for step in range(1, 121):  # twenty steps a second
        clock.now += 0.05
        advance(checkpoints, model, step)
    assert pictured[:3] == [1, 21, 41]
    assert 100 in pictured, "a checkpoint renews it too"
    assert saved(folder) == [100]


def test_an_unwritable_published_policy_does_not_end_training(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    def refuse(_model: BaseAlgorithm) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    checkpoints = Checkpoints(folder, CheckpointPlan(), journals, monotonic=clock, export=refuse)
    advance(checkpoints, model, 1, 2)
    assert saved(folder) == []


def test_a_late_older_request_is_not_answered_again(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(), journals, monotonic=clock)
    checkpoints.request(4)
    advance(checkpoints, model, 1)
    checkpoints.request(3)
    advance(checkpoints, model, 2)
    assert saved(folder) == [1]


def test_a_regular_checkpoint_also_answers_the_request(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100), journals, monotonic=clock)
    checkpoints.request(1)
    advance(checkpoints, model, 100, 101)
    assert [(event.step, event.data.request) for event in events(folder)] == [(100, 1)]


def test_the_event_names_an_existing_file_and_follows_the_earlier_metrics(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100), journals, monotonic=clock)
    journals.metrics(99, {"train/loss": 0.5})
    advance(checkpoints, model, 100)
    [event] = events(folder)
    assert event.data.path == "checkpoints/step_100.zip"
    assert (folder.path / "checkpoints/step_100.zip").is_file()
    assert column(folder, "train/loss") == [0.5]


def test_a_policy_that_cannot_be_saved_leaves_the_previous_one_and_no_partial_file(
    folder: RunFolder, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_policy(model, folder.model_path)
    before = folder.model_path.read_bytes()

    def fill_the_disk(_self: BaseAlgorithm, file: object) -> None:
        file.write(b"PK half a")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(PPO, "save", fill_the_disk)
    with pytest.raises(OSError, match="No space left"):
        save_policy(model, folder.model_path)
    assert folder.model_path.read_bytes() == before
    assert leftovers(folder) == []


def test_a_checkpoint_that_cannot_be_saved_raises_a_warning_and_the_next_one_is_tried(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100), journals)

    def fill_the_disk(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(PPO, "save", fill_the_disk)
        advance(checkpoints, model, 100, 150)
    advance(checkpoints, model, 200)
    [problem] = messages(folder)
    assert "step 100" in problem
    assert "No space left on device" in problem
    assert [event.step for event in events(folder, EventKind.CHECKPOINT)] == [200]


@pytest.mark.parametrize("requests", [0, 1])
def test_after_a_resume_the_next_checkpoint_keeps_its_schedule_or_follows_a_request(
    folder: RunFolder, journals: RunJournals, model: BaseAlgorithm, clock: Clock, requests: int
) -> None:
    checkpoints = Checkpoints(folder, CheckpointPlan(every_steps=100, keep=9), journals, monotonic=clock)
    checkpoints.request(requests)
    checkpoints.restore({"save_step": 400})
    advance(checkpoints, model, *range(350, 410))
    assert saved(folder) == ([350] if requests else [400])
