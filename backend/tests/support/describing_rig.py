"""A game that is described without a process: Lamplighter, a viewer, and a clock that moves when the player sleeps."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from rlviz.domain.recording import StepRecord
from rlviz.domain.sessions import CLIENT_MESSAGE, GameValuesMessage, SearchMessage, ServerMessage
from rlviz.learning.environments.gameboy.game_file import BUTTONS
from rlviz.learning.environments.gameboy.lamplighter import CARTRIDGE
from rlviz.learning.sessions.describing import GameDescriber
from rlviz.learning.sessions.packets import Presence

Kind = TypeVar("Kind", bound=BaseModel)

WALK = 8
"""Frames of a walk from square to square."""


class DescribingRig:
    def __init__(self, folder: Path, start: str | None = "start.state") -> None:
        self.now = 1_000.0
        self._wants: deque[Any] = deque([Presence(looks=True)])
        self.sent: list[ServerMessage] = []
        self.shown: list[StepRecord] = []
        self.frames: list[Any] = []
        self.describer = GameDescriber(CARTRIDGE, folder, "GameBoy/Island-v0", start, self, monotonic=lambda: self.now)
        self.settle()

    def send(self, message: ServerMessage) -> None:
        self.sent.append(message)

    def show(self, record: StepRecord, frame: Any, *_: Any, **__: Any) -> None:
        self.shown.append(record)
        self.frames.append(frame)

    def wait(self, seconds: float) -> Any:
        if self._wants:
            return self._wants.popleft()
        self.now += seconds
        return None

    def want(self, type: str, **message: Any) -> None:  # noqa: A002
        """Send a message, and play until it has had its effect."""
        self._wants.append(CLIENT_MESSAGE.validate_python({"type": type, **message}))
        self.settle()

    def settle(self) -> None:
        while self._wants:
            self.describer.run_once()

    def run(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.describer.run_once()

    def step(self, *buttons: str, count: int = 1) -> None:
        """Take steps while the game is paused, with these buttons held."""
        for _ in range(count):
            self.want("action", value=[int(button in buttons) for button in BUTTONS] if buttons else None)
            before = len(self.shown)
            self.want("step")
            while len(self.shown) == before:
                self.describer.run_once()

    def walk(self, button: str) -> None:
        """Walk one square, and stand there."""
        self.step(button)
        self.step(count=2)

    def newest(self, kind: type[Kind]) -> Kind:
        return next(message for message in reversed(self.sent) if isinstance(message, kind))

    def said(self, kind: type[Kind]) -> list[Kind]:
        return [message for message in self.sent if isinstance(message, kind)]

    @property
    def candidates(self) -> list[int]:
        return [one.address for one in self.newest(SearchMessage).candidates]

    @property
    def values(self) -> GameValuesMessage:
        return self.newest(GameValuesMessage)
