"""Reads and writes knobs in a model, between two rollouts. Imports torch, so only workers may import it.

A knob's value over time is a schedule of the library itself, so that a saved model loads without this package. The
library reads the schedules again in each update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from stable_baselines3.common.utils import ConstantSchedule, FloatSchedule, LinearSchedule

Schedule = Callable[[float], float]
"""Returns the value for the share of training that is left, which falls from 1 to 0."""


class Control(Protocol):
    """One knob of a model."""

    def read(self, model: Any) -> Schedule:
        """Return the schedule of the knob."""

    def write(self, model: Any, schedule: Schedule) -> None:
        """Replace the schedule; the model uses it from the next update or step on."""


class LearningRate:
    def read(self, model: Any) -> Schedule:
        schedule: Schedule = model.lr_schedule
        return schedule

    def write(self, model: Any, schedule: Schedule) -> None:
        model.learning_rate, model.lr_schedule = schedule, FloatSchedule(schedule)


class ClipRange:
    def read(self, model: Any) -> Schedule:
        schedule: Schedule = model.clip_range
        return schedule

    def write(self, model: Any, schedule: Schedule) -> None:
        model.clip_range = FloatSchedule(schedule)


class EntropyWeight:
    """The weight of the entropy bonus, which the library stores as a number without a schedule."""

    def read(self, model: Any) -> Schedule:
        return ConstantSchedule(float(model.ent_coef))

    def write(self, model: Any, schedule: Schedule) -> None:
        model.ent_coef = schedule(1.0)


class FixedTemperature:
    """SAC's entropy coefficient, if training does not tune it."""

    def read(self, model: Any) -> Schedule:
        return ConstantSchedule(float(model.ent_coef))  # not the tensor: a restored snapshot has changed it already

    def write(self, model: Any, schedule: Schedule) -> None:
        model.ent_coef = schedule(1.0)
        model.ent_coef_tensor = torch.tensor(model.ent_coef, device=model.device)


class ExplorationRate:
    """Epsilon. A change applies from the next step on."""

    def read(self, model: Any) -> Schedule:
        schedule: Schedule = model.exploration_schedule
        return schedule

    def write(self, model: Any, schedule: Schedule) -> None:
        model.exploration_schedule = schedule
        model.exploration_rate = schedule(model._current_progress_remaining)


def scale_schedule(schedule: Schedule, factor: float) -> Schedule:
    """Return ``schedule`` times ``factor``. Raises TypeError for a schedule that is not one of the library's."""
    match schedule:
        case FloatSchedule():
            return scale_schedule(schedule.value_schedule, factor)
        case ConstantSchedule():
            return ConstantSchedule(schedule.val * factor)
        case LinearSchedule():
            return LinearSchedule(schedule.start * factor, schedule.end * factor, schedule.end_fraction)
    raise TypeError(f"{schedule} cannot be scaled: it is not a schedule of Stable-Baselines3.")


def is_constant(schedule: Schedule) -> bool:
    """Return whether the value stays the same during the whole training."""
    plain = schedule.value_schedule if isinstance(schedule, FloatSchedule) else schedule
    return isinstance(plain, ConstantSchedule)
