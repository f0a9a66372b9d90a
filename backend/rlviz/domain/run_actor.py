"""RunActor: who plays the episodes of a run."""

from __future__ import annotations

from enum import StrEnum


class RunActor(StrEnum):
    POLICY = "policy"  # one that learns meanwhile: the run has an algorithm
    RANDOM = "random"  # chance: each action is drawn from the action space
    HUMAN = "human"  # a person at the keys, on the Play page
    FOREIGN = "foreign"  # a program that is not this one: it tells what it does, and takes no orders

    @property
    def is_guest(self) -> bool:
        """Whether its runs are written by somebody whom the service did not launch to train, and does not steer."""
        return self in (RunActor.HUMAN, RunActor.FOREIGN)


def actor_of(algo: str) -> RunActor:
    """Who plays the runs of an ``algo`` that this program trains: where nothing learns, the actor is in its place."""
    return RunActor(algo) if algo in (RunActor.RANDOM, RunActor.HUMAN) else RunActor.POLICY
