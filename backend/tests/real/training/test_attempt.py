"""Numbering and counters of attempts in the trainer."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import IllegalTransition
from rlviz.domain.events import CheckpointData, Ending, FinishedData, InterruptedData, SnapshotData, StartedData
from rlviz.domain.snapshots import Trigger
from rlviz.learning.training.attempt import FIRST, begin_attempt
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.watched import train_run
from rlviz.rundir.folder import RunFolder
from tests.support.training import checkpoints, column, events, kinds, make_run, rows

EVALUATED = {"every_steps": 256, "episodes": 1}


def write_attempt(folder: RunFolder, number: int, ending: Ending | None) -> None:
    journals = RunJournals(folder)
    journals.event(0, StartedData(attempt=number))
    journals.metrics(20, {"episode/reward": 1.0, "episode/length": 10, "episode/index": 2})
    journals.metrics(20, {"eval/mean_reward": 1.0})
    journals.event(20, CheckpointData(path="checkpoints/step_20.zip", request=4))
    for name, request in (("mine", 7), ("20", 0)):
        journals.event(20, SnapshotData(name=name, trigger=Trigger.REQUESTED, bytes=1, capture_ms=1.0, request=request))
    if ending is not None:
        journals.event(20, ending)
    journals.close()


def test_an_untrained_run_starts_from_scratch(tmp_path: Path) -> None:
    assert begin_attempt(make_run(tmp_path)) == FIRST


@pytest.mark.parametrize("ending", [InterruptedData(cause="killed"), InterruptedData(attempt=1, cause="killed")])
def test_the_next_attempt_continues_the_numbering(tmp_path: Path, ending: Ending) -> None:
    folder = make_run(tmp_path)
    write_attempt(folder, 1, ending)
    with pytest.raises(IllegalTransition):
        begin_attempt(folder)
    folder.change_control(attempt=2, resume_from="20")
    attempt = begin_attempt(folder)
    assert (attempt.number, attempt.episodes, attempt.evaluations, attempt.answered_request) == (2, 2, 1, 4)
    assert (attempt.answered_snapshot, attempt.is_repeated) == (7, False)


def test_an_attempt_without_a_snapshot_counts_from_the_start(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    write_attempt(folder, 1, InterruptedData(cause="killed"))
    folder.change_control(attempt=2)
    attempt = begin_attempt(folder)
    assert (attempt.episodes, attempt.evaluations, attempt.is_repeated) == (0, 0, True)
    assert (attempt.answered_request, attempt.answered_snapshot) == (4, 7), "what was answered is not answered again"


@pytest.mark.parametrize(
    ("number", "ending"),
    [(2, FinishedData(attempt=2)), (3, FinishedData()), (1, InterruptedData(attempt=2, cause="it never began"))],
)
def test_an_ended_attempt_is_not_started_again(tmp_path: Path, number: int, ending: Ending) -> None:
    folder = make_run(tmp_path)
    folder.change_control(attempt=2)
    write_attempt(folder, number, ending)
    with pytest.raises(IllegalTransition):
        begin_attempt(folder)


def test_a_second_attempt_of_a_real_trainer_reuses_no_number(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=256, checkpoints=checkpoints(), evaluation=EVALUATED)
    assert train_run(folder)
    first = folder.best_policy()
    assert first is not None
    folder.change_control(attempt=2, checkpoint_request=1)
    assert train_run(folder)
    told = events(folder)
    assert [event.seq for event in told] == list(range(1, len(told) + 1))
    assert [event.data.attempt for event in told if event.event in ("started", "finished")] == [1, 1, 2, 2]
    assert [row["seq"] for row in rows(folder)] == list(range(1, len(rows(folder)) + 1))
    index = column(folder, "episode/index")
    assert index == list(range(1, len(index) + 1))
    best = folder.best_policy()
    assert best is not None
    assert best.mean_return >= first.mean_return
    assert kinds(folder).count("checkpoint") == 1
