"""Stage: what a session plays; Outlet: the connection to the person who watches; Sink: a receiver of every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.session_messages import ClientMessage, Line, ServerMessage, SessionMode
from rlviz.domain.step_record import StepRecord
from rlviz.environments.base import Environment
from rlviz.evaluation.seen import Seen
from rlviz.rollout.episode import Env, Episode, Step
from rlviz.sessions.packets import Presence, Recording
from rlviz.sessions.policies import PolicySource

SessionInput = ClientMessage | Presence | Recording
"""What arrives at a session: messages of the person who watches, and two that the service sends itself."""

Sink = Callable[[Episode, Step, StepRecord, NDArray[np.uint8]], None]
"""Called with every step of an episode as it happens, with its record and its frame (height, width, 3). If a step has a
lower number than the one before, somebody went back. The frame may be overwritten after the call: copy what is kept."""


@dataclass(frozen=True)
class Stage:
    """What is played, where, and from which seed on. ``make_env`` makes another environment of the same kind."""

    mode: SessionMode
    environment: Environment
    env: Env
    make_env: Callable[[], Env]
    policies: PolicySource
    run_id: str | None
    seed: int
    greedy: bool


class Outlet(Protocol):
    """The connection to the person who watches."""

    def send(self, message: ServerMessage) -> None: ...

    def show(
        self, record: StepRecord, frame: NDArray[np.uint8], seen: Seen | None = None, line: Line = Line.PLAYED
    ) -> None: ...

    def wait(self, seconds: float) -> SessionInput | None:
        """The next thing that they want; None if nothing came within ``seconds``."""
