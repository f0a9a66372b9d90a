"""The guard: training continues after a failing watcher, with one warning."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from rlviz.learning.training.builder import UpdateInterrupted
from rlviz.learning.training.callback import BoundaryReached
from rlviz.learning.training.guard import Guard, LeavesTraining
from rlviz.learning.training.pausing import TrainingPaused
from rlviz.learning.training.rollback import GoBack


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even that")


def test_each_failing_watcher_raises_one_warning_with_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    warnings: list[str] = []
    guard = Guard(warnings.append)
    for _ in range(3):
        with guard("The film"):
            raise ValueError("no room\nat all")
        with guard("The anatomy"):
            raise Unprintable
    assert [warning.split(" (")[0] for warning in warnings] == ["The film failed", "The anatomy failed"]
    assert "ValueError: no room" in warnings[0]
    assert capsys.readouterr().err.count("Traceback") >= 2


def test_a_failing_warning_raises_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_message: str) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("sys.stderr", None)
    with Guard(refuse)("The film"):
        raise ValueError


def test_generators_are_restored_after_a_watcher_that_draws_has_failed() -> None:
    def draw() -> tuple[float, float, float]:
        return random.random(), float(np.random.random()), float(torch.rand(1))

    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    expected = draw()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    with Guard(lambda _: None)("An evaluation", may_draw=True):
        draw()
        raise ValueError
    assert draw() == expected


def test_a_failed_watcher_can_be_disabled() -> None:
    left_out: list[str] = []
    guard = Guard(lambda _: None)
    for _ in range(2):
        with guard("The film", on_failure=lambda: left_out.append("film")):
            raise ValueError
    with guard("The film", on_failure=lambda: left_out.append("nothing failed")):
        pass
    assert left_out == ["film", "film"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), LeavesTraining(), BoundaryReached()])
def test_an_intentional_end_of_training_is_not_caught(error: BaseException) -> None:
    with pytest.raises(type(error)), Guard(lambda _: None)("The film"):
        raise error


def test_every_exception_that_ends_training_is_recognised() -> None:
    assert all(
        issubclass(kind, LeavesTraining) for kind in (GoBack, TrainingPaused, UpdateInterrupted, BoundaryReached)
    )
