"""What the tests of a trainer share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rlviz.training.callback import RunCallback


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[RunCallback], None]], None]:
    """Has something done in the training thread, once, at the first step that is not before the one given."""
    original = RunCallback._on_step

    def arrange(step: int, act: Callable[[RunCallback], None]) -> None:
        waiting = [step]

        def on_step(self: RunCallback) -> bool:
            if waiting and self.num_timesteps >= waiting[0]:
                waiting.clear()
                act(self)
            return original(self)

        monkeypatch.setattr(RunCallback, "_on_step", on_step)

    return arrange
