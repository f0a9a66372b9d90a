"""Everything that training is, copied in the training thread."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.training.snapshot.environments import capture_environments
from rlviz.training.snapshot.generators import capture_generators
from rlviz.training.snapshot.model import Tensors, are_finite, capture_attributes, capture_tensors
from rlviz.training.snapshot.replay import ReplayPiece, ReplayState, ReplayTape

Point = Literal["rollout", "end"]
"""Where training may be captured: at the start of a rollout, or behind its last update."""


class Counter(Protocol):
    """A part of this product that counts while it trains."""

    def state(self) -> dict[str, Any]:
        """What it has counted, in plain values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Count on from there."""


@dataclass(frozen=True)
class Captured:
    """``state`` is pickled; ``pieces`` hold the replay buffer."""

    step: int
    point: Point
    last_row: int
    state: bytes
    tensors: Tensors
    pieces: tuple[ReplayPiece, ...]
    problem: str | None = None
    """Why training does not go on exactly from it."""

    @property
    def is_finite(self) -> bool:
        """Whether no weight is NaN or infinite."""
        return are_finite(self.tensors)


def capture(
    model: BaseAlgorithm, counters: Mapping[str, Counter], tape: ReplayTape, *, point: Point, last_row: int
) -> Captured:
    """Nothing of it changes any more when training goes on."""
    replay: ReplayState | None = tape.follow(model)
    environments = capture_environments(model)
    state = {
        "model": capture_attributes(model),
        "environments": environments,
        "generators": capture_generators(model),
        "counters": {name: counter.state() for name, counter in counters.items()},
        "replay": replay,
    }
    return Captured(
        model.num_timesteps,
        point,
        last_row,
        pickle.dumps(state, pickle.HIGHEST_PROTOCOL),
        capture_tensors(model),
        tuple(tape.pieces),
        environments["problem"],
    )
