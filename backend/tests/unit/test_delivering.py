"""How a serving command handles pending deliveries when it ends."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rlviz.cli import delivering
from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure

DELIVERED = {
    "live": True,
    "label": "MLflow",
    "state": "delivered",
    "under_way": False,
    "problem": None,
}
UNDER_WAY = {**DELIVERED, "state": "delivering", "under_way": True}
FAILING = {**DELIVERED, "state": "failing", "problem": "It answers 500."}


class Answers:
    """The command's own service with one sink of one run, whose state changes with each response."""

    def __init__(self, *sinks: dict[str, Any], is_own: bool = True) -> None:
        self.is_own, self._sinks = is_own, list(sinks)

    def get(self, path: str) -> dict[str, Any]:
        if path != "/runs/run-a/sinks":
            raise Failure(Exit.NOT_FOUND, "There is no such run.")
        return {"sinks": [self._sinks.pop(0) if len(self._sinks) > 1 else self._sinks[0]]}


@pytest.fixture(autouse=True)
def _no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "POLL_SECONDS", 0.0)


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (Answers(UNDER_WAY, UNDER_WAY, DELIVERED), ""),
        (Answers({**FAILING, "under_way": True}, FAILING), "run-a: not delivered to MLflow. It answers 500.\n"),
        (Answers({**UNDER_WAY, "live": False}), ""),
        (Answers(FAILING, is_own=False), ""),
    ],
)
def test_deliveries_are_waited_for_and_pending_ones_are_reported(
    answers: Answers, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    delivering.wait_for_deliveries(cast("Connection", answers), ["run-a", "run-that-is-gone"])
    said = capsys.readouterr().err
    assert said.startswith(says)
    assert ("rlviz sync" in said) == bool(says)


def test_ctrl_c_leaves_pending_deliveries(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(delivering.time, "sleep", interrupted)
    delivering.wait_for_deliveries(cast("Connection", Answers(UNDER_WAY)), ["run-a"])
    assert "rlviz sync" in capsys.readouterr().err
