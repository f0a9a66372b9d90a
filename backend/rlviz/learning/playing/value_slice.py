"""Computes a value slice of a trained policy, as one batch of 4,096 observations without an environment."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rlviz.domain.clips import MOST_COMPONENTS, RESOLUTION, SlicePlan, SliceRange, ValueSlice
from rlviz.domain.errors import NotSliceable, RunFolderError
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.algorithms.reading import Numbers, Reading
from rlviz.learning.records.reader import StepFile
from rlviz.rundir.folder import RunFolder

REACH = 3.0
"""Range on either side of the held value for a component without bounds and without recorded values."""

MARGIN = 0.05
"""Margin beyond each end of the recorded range, as a share of it."""

UNBOUNDED = 1e6
"""Larger bounds are ignored: some environments use the largest representable number."""

Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Smallest and largest value of each component."""


def ranges_seen(folder: RunFolder, evaluation_id: str) -> Ranges | None:
    """Return the ranges in the step records of an evaluation; None if there are none, or if they cannot be read."""
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    readable = suppress(FileNotFoundError, RunFolderError, ValueError)
    with readable, StepFile(folder.evaluations.steps_path(evaluation_id), folder.path) as file:
        for columns in file.by_group(["observation"]):
            column = columns["observation"]
            numbers = column.numbers[column.present].astype(np.float64)
            numbers = numbers[np.isfinite(numbers).all(axis=1)]
            if len(numbers):
                least, most = numbers.min(axis=0), numbers.max(axis=0)
                low = least if low is None else np.minimum(low, least)
                high = most if high is None else np.maximum(high, most)
    return None if low is None or high is None else (low, high)


def value_slice(policy: TrainedPolicy, plan: SlicePlan, seen: Ranges | None) -> ValueSlice:
    """Compute V(s) if the policy has it, else the largest Q(s, a), or Q of the action without noise if continuous.

    ``seen`` are the recorded ranges of the components. Raises NotSliceable.
    """
    space = policy.model.observation_space
    if not isinstance(space, spaces.Box) or max(plan.x, plan.y) >= (size := math.prod(space.shape)):
        raise NotSliceable(f"Components {plan.x} and {plan.y} cannot be varied: the policy sees {space}.")
    if plan.x == plan.y or size > MOST_COMPONENTS:
        raise NotSliceable(f"Choose two different components, of at most {MOST_COMPONENTS:,}.")
    at = _middle(space) if plan.at is None else np.array(plan.at, np.float64)
    if at.shape != (size,):
        raise NotSliceable(f"The policy sees {size} numbers; {at.size} were given for at.")
    x, y = (_range(space, place, at, seen) for place in (plan.x, plan.y))
    observations = np.tile(at, (RESOLUTION * RESOLUTION, 1))
    observations[:, plan.x] = np.tile(np.linspace(x.low, x.high, RESOLUTION), RESOLUTION)
    observations[:, plan.y] = np.repeat(np.linspace(y.low, y.high, RESOLUTION), RESOLUTION)
    asked = observations.reshape(-1, *space.shape).astype(space.dtype)
    actions, _ = policy.predict(asked, deterministic=True)
    reading = policy.read(asked, actions)
    expected = np.asarray(_expected(reading), np.float64)
    finite = expected[np.isfinite(expected)]
    if not finite.size:
        raise NotSliceable("The policy's values are not finite: its training has diverged.")
    rows = [[_number(value) for value in row] for row in expected.reshape(RESOLUTION, RESOLUTION)]
    return ValueSlice(
        kind="value" if reading.value is not None else "q",
        x=x,
        y=y,
        at=at.tolist(),
        values=rows,
        low=float(finite.min()),
        high=float(finite.max()),
    )


def _expected(reading: Reading) -> Numbers:
    if reading.value is not None:
        return reading.value
    if reading.q_values is not None:
        return np.asarray(reading.q_values.max(axis=1))
    if reading.action_value is not None:
        return reading.action_value
    raise NotSliceable("The policy's algorithm learns no values.")


def _number(value: float) -> float | None:
    """Round to seven significant digits, the precision of the networks."""
    return float(f"{value:.7g}") if math.isfinite(value) else None


def _middle(space: spaces.Box) -> NDArray[np.float64]:
    """Return the midpoint of the bounds of each component; 0 without bounds."""
    low, high = space.low.astype(np.float64).reshape(-1), space.high.astype(np.float64).reshape(-1)
    bounded = (np.abs(low) < UNBOUNDED) & (np.abs(high) < UNBOUNDED)
    return np.where(bounded, np.where(bounded, low, 0) / 2 + np.where(bounded, high, 0) / 2, 0.0)


def _range(space: spaces.Box, place: int, at: NDArray[np.float64], seen: Ranges | None) -> SliceRange:
    low, high = float(space.low.flat[place]), float(space.high.flat[place])
    if abs(low) < UNBOUNDED and abs(high) < UNBOUNDED and low < high:
        return SliceRange(low=low, high=high)
    if seen is not None and seen[0].shape == at.shape and seen[0][place] < seen[1][place]:
        least, most = float(seen[0][place]), float(seen[1][place])
        margin = MARGIN * (most - least)
        return SliceRange(low=max(low, least - margin), high=min(high, most + margin))
    return SliceRange(low=max(low, float(at[place]) - REACH), high=min(high, float(at[place]) + REACH))
