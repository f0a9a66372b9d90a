"""Rows of step records: what a step is in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from rlviz.algorithms.reading import Reading
from rlviz.domain.space_layout import MOST_NUMBERS, SpaceLayout
from rlviz.domain.step_record import Actor
from rlviz.records.writer import Row
from rlviz.rollout.episode import Step
from rlviz.rollout.numbers import hash_of, numbers_of_each

_OF_ACTIONS = ("probabilities", "q_values", "quantiles")
_READING_FIELDS = tuple(field.name for field in fields(Reading) if field.name != "squashed")


def rows_of(
    steps: Sequence[Step],
    observation: SpaceLayout,
    action: SpaceLayout,
    *,
    actor: Actor,
    elapsed_ms: Sequence[float],
    frame_hashes: Sequence[bytes | None],
) -> list[Row]:
    """The row of each of ``steps``, which ``actor`` took, but for its reading."""
    seen = numbers_of_each(observation, [step.observation for step in steps])
    taken = iter(numbers_of_each(action, [step.action for step in steps if step.number > 0]))
    return [
        Row(
            episode=step.episode,
            index=step.number,
            observation=numbers,
            observation_hash=hash_of(observation, step.observation),
            action=None if step.number == 0 else next(taken),
            actor=None if step.number == 0 else actor,
            reward=None if step.number == 0 else step.reward,
            episode_return=step.episode_return,
            terminated=step.terminated,
            truncated=step.truncated,
            elapsed_ms=elapsed,
            frame_hash=frame_hash,
        )
        for step, numbers, elapsed, frame_hash in zip(steps, seen, elapsed_ms, frame_hashes, strict=True)
    ]


def reading_columns(reading: Reading) -> dict[str, Any]:
    """What ``reading`` has, by field, as arrays; ``squashed`` stands in the metadata.

    Of more than MOST_NUMBERS actions the numbers of each are left out: a step would take more room than a picture.
    """
    found = {name: np.asarray(value) for name in _READING_FIELDS if (value := getattr(reading, name)) is not None}
    return {name: value for name, value in found.items() if name not in _OF_ACTIONS or value.shape[-1] <= MOST_NUMBERS}
