"""Updates that a stop can end between two gradient steps."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.training.guard import LeavesTraining


class UpdateInterrupted(LeavesTraining):
    """A stop was asked for during an update. The model is whole: as it was after the last gradient step."""


def make_interruptible(model: BaseAlgorithm, stop: Event) -> None:
    """Have updates of ``model`` raise UpdateInterrupted once ``stop`` is set.

    The library calls nobody back during an update, but whatever the algorithm, each gradient step begins by taking a
    minibatch from a buffer. By then all that the step before had to change is changed: networks, targets, optimizers.
    """
    if (replay := getattr(model, "replay_buffer", None)) is not None:
        sample = replay.sample

        def sample_unless_stopped(*arguments: Any, **keywords: Any) -> Any:
            if stop.is_set():
                raise UpdateInterrupted
            return sample(*arguments, **keywords)

        replay.sample = sample_unless_stopped
    if (rollout := getattr(model, "rollout_buffer", None)) is not None:
        get = rollout.get

        def get_until_stopped(*arguments: Any, **keywords: Any) -> Iterator[Any]:
            for minibatch in get(*arguments, **keywords):
                if stop.is_set():
                    raise UpdateInterrupted
                yield minibatch

        rollout.get = get_until_stopped
