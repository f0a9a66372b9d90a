"""Converts steps of an environment into StepRecords: numbers, lists and text that JSON can represent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from rlviz.algorithms.reading import Reading
from rlviz.analysis.pictures import is_picture
from rlviz.domain.space_layout import MOST_NUMBERS
from rlviz.domain.step_record import Actor, PolicyReading, StepRecord
from rlviz.rollout.episode import Step
from rlviz.rollout.numbers import digest_of


def record_of(
    step: Step,
    *,
    actor: Actor | None = None,
    elapsed_ms: float = 0.0,
    frame: NDArray[np.uint8] | None = None,
    most_actions: int | None = None,
) -> StepRecord:
    """The record of ``step``, which ``actor`` took; ``frame`` shows what it led to. Of more than ``most_actions``
    actions, which are those of a Discrete space, it tells what the policy makes of so many, the best."""
    is_large = isinstance(step.observation, np.ndarray) and _is_large(step.observation)
    is_reset = step.number == 0
    return StepRecord(
        episode=step.episode,
        index=step.number,
        observation=None if is_large else as_json(step.observation),
        observation_hash=hash_of(step.observation) if is_large else None,
        action=None if is_reset else as_json(step.action),
        actor=None if is_reset else actor,
        reward=None if is_reset else _finite(step.reward),
        episode_return=_finite(step.episode_return),
        terminated=step.terminated,
        truncated=step.truncated,
        elapsed_ms=elapsed_ms,
        frame_hash=None if frame is None else hash_of(frame),
        reading=None if step.reading is None else _in_numbers(step.reading, most_actions),
    )


def hash_of(array: NDArray[Any]) -> str:
    """BLAKE2b hash of the bytes of ``array`` in C order, as 32 hexadecimal digits."""
    return digest_of(array).hex()


def as_json(value: Any) -> JsonValue:
    """An observation or an action as numbers, lists of them, and text. Null where a value is not finite or has another
    type."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, dict):
        return {str(key): as_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    return None


def _is_large(observation: NDArray[Any]) -> bool:
    return is_picture(observation.shape, observation.dtype) or observation.size > MOST_NUMBERS


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _in_numbers(reading: Reading, most_actions: int | None) -> PolicyReading:
    """Quantiles by action; the networks have actions by quantile."""
    quantiles = None if reading.quantiles is None else reading.quantiles.T
    places = _best(reading, most_actions)

    def of_actions(values: NDArray[Any] | None) -> JsonValue:
        return _known(values if values is None or places is None else values[places])

    return PolicyReading.model_validate(
        {
            "value": as_json(reading.value),
            "probabilities": of_actions(reading.probabilities),
            "mean": _known(reading.mean),
            "deviation": _known(reading.deviation),
            "squashed": reading.squashed,
            "q_values": of_actions(reading.q_values),
            "action_value": as_json(reading.action_value),
            "quantiles": of_actions(quantiles),
            "places": None if places is None else places.tolist(),
        }
    )


def _best(reading: Reading, most: int | None) -> NDArray[np.intp] | None:
    """The places of the best actions, if there are more than ``most``: the most probable, or of the highest value."""
    values = reading.probabilities if reading.probabilities is not None else reading.q_values
    if values is None and reading.quantiles is not None:
        values = reading.quantiles.mean(axis=0)
    if most is None or values is None or len(values) <= most:
        return None
    return np.argsort(-values, kind="stable")[:most]


def _known(values: NDArray[Any] | None) -> JsonValue:
    """None for a policy whose weights are no numbers: it makes nothing of what it sees."""
    return None if values is None or not np.isfinite(values).all() else as_json(values)
