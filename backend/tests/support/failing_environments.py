"""Custom environments that fail. A service gets a copy of this file (``SOURCE``) and their names."""

from __future__ import annotations

import os
import time
from ctypes import PyDLL
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

SOURCE = __file__
KINDS = (
    *("Good", "Raises", "Hangs", "HangsInNativeCode", "Nonsense", "RaisesLater", "ShowsNothing", "Leaves", "Prints"),
    "GoesWrongLater",
)


class Good(gymnasium.Env[Any, Any]):
    """Works. Each subclass fails in its own way at its fifth step."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012  (as Gymnasium wants it)
    observation_space: spaces.Space[Any] = spaces.Box(-1, 1, (1,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(2)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.steps = render_mode, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        if self.steps == 5:
            return self.go_wrong()
        return np.zeros(1, np.float32), 1.0, False, False, {}

    def go_wrong(self) -> Any:
        return np.zeros(1, np.float32), 1.0, False, False, {}

    def render(self) -> Any:
        return np.zeros((20, 20, 3), np.uint8)


class Raises(Good):
    def go_wrong(self) -> Any:
        raise RuntimeError("the pole snapped")


class Hangs(Good):
    def go_wrong(self) -> Any:
        time.sleep(3_600)


class HangsInNativeCode(Good):
    """Hangs while it holds the interpreter lock, so that no other Python thread runs."""

    def go_wrong(self) -> Any:
        PyDLL(None).sleep(3_600)


class Nonsense(Good):
    def go_wrong(self) -> Any:
        return "nonsense"


class RaisesLater(Good):
    """Raises an error in the reset of its second episode."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if self.steps:
            raise RuntimeError("no pole is left")
        return super().reset()

    def go_wrong(self) -> Any:
        return np.zeros(1, np.float32), 1.0, True, False, {}


class ShowsNothing(Good):
    def render(self) -> Any:
        return super().render() if self.steps < 5 else None


class GoesWrongLater(Good):
    """Works while the service probes it. Afterwards it fails in the way that the file beside it says."""

    said = Path(__file__).with_name("goes-wrong")
    where, how = said.read_text().split() if said.exists() else ("", "")

    def __init__(self, render_mode: str | None = None) -> None:
        self.come_to("made")
        super().__init__(render_mode)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.come_to("reset")
        return super().reset()

    def render(self) -> Any:
        self.come_to("drawn")
        return super().render()

    def come_to(self, place: str) -> None:
        if place == self.where and self.how == "raises":
            raise RuntimeError(f"not to be {place}")
        if place == self.where and self.how == "hangs":
            time.sleep(3_600)


class Leaves(Good):
    def go_wrong(self) -> Any:
        os._exit(3)


class Prints(Good):
    def go_wrong(self) -> Any:
        for _ in range(200):
            print("x" * 100_000)
        return super().go_wrong()
