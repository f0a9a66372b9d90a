"""Stage: what a session plays and where; Outlet: who looks at it; Sink: who keeps it."""

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

Wish = ClientMessage | Presence | Recording
"""What comes from the one who looks, and from the service itself."""

Sink = Callable[[Episode, Step, StepRecord, NDArray[np.uint8]], None]
"""Gets every step of an episode, with its record and its frame (height, width, 3), as it happens: one of a lower number
than the one before follows a step back. The frame may change afterwards."""


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
    """To the one who looks, and from them."""

    def tell(self, message: ServerMessage) -> None: ...

    def show(
        self, record: StepRecord, frame: NDArray[np.uint8], seen: Seen | None = None, line: Line = Line.PLAYED
    ) -> None: ...

    def wait(self, seconds: float) -> Wish | None:
        """What they want next; None if that is nothing for so long."""
