"""A guard lets training go on, and says once what failed."""

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


def test_each_watcher_is_warned_of_once_with_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_a_warning_that_cannot_be_given_is_no_reason_to_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_message: str) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("sys.stderr", None)
    with Guard(refuse)("The film"):
        raise ValueError


def test_generators_are_restored_where_a_watcher_that_draws_has_failed() -> None:
    def draw() -> tuple[float, float, float]:
        return random.random(), float(np.random.random()), float(torch.rand(1))

    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    expected = draw()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    with Guard(lambda _: None)("An evaluation", may_draw=True):
        draw()
        raise ValueError
    assert draw() == expected


def test_what_failed_can_be_left_out_from_then_on() -> None:
    left_out: list[str] = []
    guard = Guard(lambda _: None)
    for _ in range(2):
        with guard("The film", on_failure=lambda: left_out.append("film")):
            raise ValueError
    with guard("The film", on_failure=lambda: left_out.append("nothing failed")):
        pass
    assert left_out == ["film", "film"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), LeavesTraining(), BoundaryReached()])
def test_what_ends_training_on_purpose_passes(error: BaseException) -> None:
    with pytest.raises(type(error)), Guard(lambda _: None)("The film"):
        raise error


def test_everything_that_leaves_training_is_known_as_such() -> None:
    assert all(
        issubclass(kind, LeavesTraining) for kind in (GoBack, TrainingPaused, UpdateInterrupted, BoundaryReached)
    )
