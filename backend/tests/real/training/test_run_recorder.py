"""Recording of episodes during real, short training."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import EvaluationPlan, RunActor
from rlviz.domain.evaluation import EvaluationRecord, Origin, VerificationStatus
from rlviz.domain.events import EventKind, RecordingChangedData
from rlviz.domain.recording import Detail
from rlviz.domain.storage_profile import RecordingChoice, StorageProfile
from rlviz.learning.playing.film import verify
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.run_recorder import RunRecorder
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import curves, events, make_run

PLAN = EvaluationPlan(every_steps=256, episodes=3)


def recorded(folder: RunFolder) -> list[EvaluationRecord]:
    return [folder.evaluations.read(one) for one in folder.evaluations.ids()]


def choose(folder: RunFolder, detail: Detail, **profile: Any) -> None:
    """Set the recording detail, with no limit on its cost, so that the load of the machine does not matter."""
    free = StorageProfile(most_cost=1_000, most_cost_in_training=1_000, **profile)
    folder.write_recording(RecordingChoice(detail=detail, profile=free))


def test_one_episode_of_each_evaluation_during_training_is_recorded_and_reproducible(tmp_path: Path) -> None:
    folder = make_run(tmp_path, evaluation=PLAN)
    choose(folder, Detail.STANDARD)
    assert train_run(folder)
    found = recorded(folder)
    assert [one.checkpoint_step for one in found] == [256, 512]
    for one in found:
        assert (one.origin, one.deterministic, one.video, one.episodes) == (Origin.RUN, True, False, 1)
        assert one.summary is not None
        assert one.summary.steps is not None
        assert one.summary.steps.rows == one.summary.episodes[0].episode_length + 1
        verification = verify(folder, one.id)
        assert (verification.status, verification.identical) == (VerificationStatus.COMPLETED, True)
    with StepFile(folder.evaluations.steps_path(found[0].id), folder.path) as file:
        assert "reading.value" in file.names
    told = events(folder, EventKind.RECORDED)
    assert [event.data.evaluation for event in told] == [one.id for one in found]


def test_recording_does_not_change_training(tmp_path: Path) -> None:
    rows = []
    for name, detail in (("with", Detail.FULL), ("without", Detail.OFF)):
        folder = make_run(tmp_path, name, evaluation=PLAN)
        choose(folder, detail)
        assert train_run(folder)
        assert bool(folder.evaluations.ids()) == (detail is Detail.FULL)
        rows.append([(step, values) for step, values in curves(folder) if "eval/mean_reward" in values])
        rows[-1] += [(step, values) for step, values in curves(folder) if "train/loss" in values]
    clock = ("time/",)
    cleaned = [[(s, {k: v for k, v in row.items() if not k.startswith(clock)}) for s, row in one] for one in rows]
    assert cleaned[0] == cleaned[1]


def recorder_of(folder: RunFolder, **times: Any) -> tuple[RunRecorder, RunJournals]:
    journals = RunJournals(folder)
    return RunRecorder(folder, journals, folder.read_config(), **times), journals


def test_another_detail_takes_effect_during_training(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    recorder, journals = recorder_of(folder)
    assert recorder.level.detail is Detail.STANDARD
    choose(folder, Detail.OFF)
    recorder.read_choice()
    env: Any = None
    assert recorder.record(100, env, None, None) is None  # type: ignore[arg-type]
    choose(folder, Detail.FULL)
    os.utime(folder.recording_path, ns=(1, 1))  # however coarse the disk's clock is
    recorder.read_choice()
    recorder.read_choice()
    recorder._apply_choice()
    assert recorder.level.detail is Detail.FULL
    recorder.close()
    journals.close()
    changed = [event.data for event in events(folder) if isinstance(event.data, RecordingChangedData)]
    assert [(one.detail, one.lowered) for one in changed] == [(Detail.OFF, None), (Detail.FULL, None)]


def test_a_detail_that_slows_training_too_much_is_lowered_with_an_explaining_event(tmp_path: Path) -> None:
    folder, now = make_run(tmp_path), [0.0]
    recorder, journals = recorder_of(folder, monotonic=lambda: now[0])
    with recorder.level:
        now[0] += 1
    now[0] += 20  # of training: one in twenty is more than two in a hundred
    recorder._apply_choice()
    assert recorder.level.detail is Detail.MINIMAL
    recorder.close()
    journals.close()
    [event] = events(folder)
    assert isinstance(event.data, RecordingChangedData)
    assert event.data.lowered is not None
    assert (event.data.lowered.cost, event.data.lowered.most) == (0.05, 0.02)


@pytest.mark.parametrize(("detail", "every"), [(Detail.STANDARD, 10), (Detail.FULL, 1), (Detail.OFF, None)])
def test_as_many_random_episodes_are_recorded_as_the_detail_says(
    tmp_path: Path, detail: Detail, every: int | None
) -> None:
    config = make_run(tmp_path / "like").read_config()
    folder = RunFolder(tmp_path, "random-cartpole")
    actor = {"algo": "random", "actor": RunActor.RANDOM, "hyperparameters": {}, "total_timesteps": 700}
    folder.create(config.model_copy(update={"run_id": folder.run_id, **actor}))
    choose(folder, detail)
    assert train_run(folder)
    if every is None:
        assert recorded(folder) == []
        return
    [found] = recorded(folder)
    assert found.summary is not None
    played = sum("episode/reward" in values for _, values in curves(folder))
    assert [one.seed for one in found.summary.episodes] == [config.seed + place for place in range(0, played, every)]
    assert (found.origin, found.deterministic, found.checkpoint_step) == (Origin.RUN, False, None)
    returns = [values["episode/reward"] for _, values in curves(folder) if "episode/reward" in values]
    assert [one.episode_return for one in found.summary.episodes] == returns[::every]
    assert verify(folder, found.id).identical
