"""Waiting for a run from the command line."""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.cli import waiting


def test_a_long_run_is_asked_for_less_often_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def requests_of_a_run_of(seconds: float) -> int:
        clock, requests = 0.0, 0

        def sleep(pause: float) -> None:
            nonlocal clock
            clock += pause

        class Service:
            def get(self, path: str) -> dict[str, Any]:
                nonlocal requests
                requests += 1
                return {"status": "completed" if clock >= seconds else "running", "step": 0, "end_step": 0}

        monkeypatch.setattr("rlviz.cli.waiting.time.sleep", sleep)
        waiting.wait_while_it_trains(Service(), "run", "Training run")  # type: ignore[arg-type]
        return requests

    assert 5 <= requests_of_a_run_of(1.0) <= 7
    assert 3_600 <= requests_of_a_run_of(3_600.0) <= 3_800
