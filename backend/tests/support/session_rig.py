"""A session player in this process, with simple policies on a line and a fake clock."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pydantic import BaseModel

from rlviz.domain.environment import Controls
from rlviz.domain.recording import StepRecord
from rlviz.domain.sessions import CLIENT_MESSAGE, ServerMessage, SessionMode
from rlviz.domain.sessions import Line as FutureLine
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.environments.base import Environment, Family, Space
from rlviz.learning.sessions.packets import Presence
from rlviz.learning.sessions.player import SessionPlayer
from rlviz.learning.sessions.stage import Stage

LENGTH = 6


LINE = Environment(
    id="Line",
    name="Line",
    family=Family("test", "Test"),
    summary="Walk to the end of a line.",
    observation_space=Space("Box", shape=(1,)),
    action_space=Space("Discrete", n=3),
    reward_threshold=None,
    max_episode_steps=None,
    render_fps=50,
    controls=Controls((), neutral=(1,)),
)


class Line(gymnasium.Env[Any, Any]):
    """A line with actions −1, 0 and +1 and a wind that depends on the seed. Episodes end ``LENGTH`` from the middle."""

    observation_space = spaces.Box(-100, 100, (1,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0.0
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at += int(action) - 1 + 0.01 * self.np_random.random()
        return self._seen(), self.at, abs(self.at) >= LENGTH, False, {}

    def render(self) -> Any:
        return np.full((4, 4, 3), round(self.at * 1_000) % 256, np.uint8)

    def _seen(self) -> Any:
        return np.array([self.at], np.float32)


class Walker:
    """A policy that always moves in one direction; exploring, it stands still."""

    model = SimpleNamespace(observation_space=Line.observation_space)

    def __init__(self, step: int, action: int) -> None:
        self.step, self.action = step, action
        self.action_space = Line.action_space

    def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> tuple[Any, Any]:
        return np.array([self.action if deterministic else 1]), None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=observations[:, 0] * 10, action_value=actions.astype(float))


class Policies:
    """Returns the policies that a test put in."""

    def __init__(self, *policies: Walker) -> None:
        self.waiting = deque(policies)

    def find_newer(self) -> Any:
        return self.waiting.popleft() if self.waiting else None

    def close(self) -> None: ...


class Rig:
    """A player, a viewer, and a clock that advances when the player sleeps."""

    def __init__(self, mode: SessionMode = SessionMode.WATCH, *policies: Walker, **changes: Any) -> None:
        self.now = 1_000.0
        self.policies = Policies(*policies)
        environment = changes.pop("environment", LINE)
        stage = Stage(
            mode=mode,
            environment=environment,
            env=changes.pop("env", Line()),
            make_env=changes.pop("make_env", Line),
            policies=self.policies,
            run_id=changes.pop("run_id", "a-run" if policies else None),
            seed=changes.pop("seed", 7),
            start=changes.pop("start", None),
            greedy=changes.pop("greedy", True),
        )
        self._wants: deque[Any] = deque()
        self.sent: list[ServerMessage] = []
        self.shown: list[tuple[float, StepRecord, Any]] = []
        self.other: list[tuple[StepRecord, Any]] = []
        self.sunk: list[StepRecord] = []
        self.player = SessionPlayer(
            stage,
            self,
            sinks=[lambda _episode, _step, record, _frame: self.sunk.append(record)],
            monotonic=lambda: self.now,
        )

    def send(self, message: ServerMessage) -> None:
        self.sent.append(message)

    def show(self, record: StepRecord, frame: Any, seen: Any = None, line: FutureLine = FutureLine.PLAYED) -> None:
        if line is FutureLine.PLAYED:
            self.shown.append((self.now, record, frame))
            self.seen = seen
        else:
            self.other.append((record, frame))

    def wait(self, seconds: float) -> Any:
        if self._wants:
            return self._wants.popleft()
        self.now += seconds
        return None

    def want(self, **message: Any) -> None:
        self._wants.append(CLIENT_MESSAGE.validate_python(message))

    def look(self, looks: bool = True) -> None:
        self._wants.append(Presence(looks=looks))

    def run(self, seconds: float) -> list[StepRecord]:
        """Return the records of the given time."""
        before, until = len(self.shown), self.now + seconds
        while self.now < until or self._wants:
            self.player.run_once()
        return [record for _, record, _ in self.shown[before:]]

    def steps(self, count: int) -> list[StepRecord]:
        """Return the records of the given number of steps."""
        before = len(self.shown)
        while len(self.shown) < before + count:
            self.player.run_once()
        return [record for _, record, _ in self.shown[before:]]

    def said(self, kind: type[BaseModel]) -> list[Any]:
        return [message for message in self.sent if isinstance(message, kind)]
