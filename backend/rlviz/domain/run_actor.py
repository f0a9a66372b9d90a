"""RunActor: who plays the episodes of a run."""

from __future__ import annotations

from enum import StrEnum


class RunActor(StrEnum):
    POLICY = "policy"  # one that learns meanwhile: the run has an algorithm
    RANDOM = "random"  # chance: each action is drawn from the action space
    HUMAN = "human"  # a person at the keys, on the Play page


def actor_of(algo: str) -> RunActor:
    """Who plays the runs of an ``algo``: runs in which nothing learns have their actor in its place."""
    return RunActor(algo) if algo in (RunActor.RANDOM, RunActor.HUMAN) else RunActor.POLICY
