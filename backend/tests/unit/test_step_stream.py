"""``rlviz actions RUN --follow``: steps of evaluations and of training."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rlviz.cli.commands import evaluations as step_stream
from rlviz.cli.commands.evaluations import find_evaluation


def evaluation(number: int, *, status: str = "completed") -> dict[str, Any]:
    return {
        "id": f"eval-{number}",
        "status": status,
        "has_steps": True,
        "created_at": f"2026-11-21T04:41:{number:02d}Z",
        "checkpoint_step": number,
        "summary": None,
    }


class Scripted:
    """Returns the next of the given lists at each status request; with the last one, the run is inactive."""

    def __init__(self, asked: list[list[int]], recorded: list[list[int]]) -> None:
        self.lists = {False: asked, True: recorded}
        self.time = -1
        self.read: list[str] = []

    def get(self, path: str, **query: Any) -> Any:
        last = len(self.lists[False]) - 1
        if path == "/runs/run":
            self.time += 1
            return {"status": "completed" if self.time >= last else "running"}
        assert path == "/runs/run/evaluations"
        now = max(0, min(self.time, last))
        return [evaluation(number) for number in self.lists[bool(query.get("by_run"))][now]]

    @contextmanager
    def lines(self, path: str, **_query: Any) -> Iterator[Iterator[str]]:
        name = path.split("/")[-2]
        self.read.append(name)
        yield iter([json.dumps({"episode": 0, "index": 0, "action": 1, "reward": 1.0})])


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_stream, "POLL_SECONDS", 0.0)


def test_steps_recorded_during_training_are_followed(capsys: pytest.CaptureFixture[str]) -> None:
    connection = Scripted(asked=[[], [], [], []], recorded=[[], [1], [1, 2], [1, 2, 3]])
    step_stream.stream_steps(connection, "run", columns=None, as_json=True)  # type: ignore[arg-type]
    assert connection.read == ["eval-1", "eval-2", "eval-3"]
    assert [json.loads(line)["evaluation"] for line in capsys.readouterr().out.splitlines()] == connection.read


def test_both_kinds_of_records_are_in_order_of_time_from_the_newest_on(capsys: pytest.CaptureFixture[str]) -> None:
    connection = Scripted(asked=[[2], [2, 5]], recorded=[[1, 3], [1, 3, 4]])
    step_stream.stream_steps(connection, "run", columns="action", as_json=False)  # type: ignore[arg-type]
    assert connection.read == ["eval-3", "eval-4", "eval-5"]
    assert capsys.readouterr().out == "action 1\n" * 3


def test_last_selects_training_records_if_there_are_no_evaluations() -> None:
    recorded = Scripted(asked=[[]], recorded=[[1, 2]])
    assert find_evaluation(recorded, "run", "last") == "eval-2"  # type: ignore[arg-type]
    both = Scripted(asked=[[1]], recorded=[[2]])
    assert find_evaluation(both, "run", "last") == "eval-1"  # type: ignore[arg-type]
