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
"""A value by the share of training that is left, from 1 to 0."""


class Control(Protocol):
    """One knob of a model."""

    def read(self, model: Any) -> Schedule:
        """Its course."""

    def write(self, model: Any, schedule: Schedule) -> None:
        """Give it another, from the next update or step on."""


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
    """A plain number in the library."""

    def read(self, model: Any) -> Schedule:
        return ConstantSchedule(float(model.ent_coef))

    def write(self, model: Any, schedule: Schedule) -> None:
        model.ent_coef = schedule(1.0)


class FixedTemperature:
    """SAC's entropy coefficient where it is not tuned while it learns."""

    def read(self, model: Any) -> Schedule:
        return ConstantSchedule(float(model.ent_coef))  # the tensor of a snapshot has been changed already

    def write(self, model: Any, schedule: Schedule) -> None:
        model.ent_coef = schedule(1.0)
        model.ent_coef_tensor = torch.tensor(model.ent_coef, device=model.device)


class ExplorationRate:
    """Epsilon: it holds for the next step already."""

    def read(self, model: Any) -> Schedule:
        schedule: Schedule = model.exploration_schedule
        return schedule

    def write(self, model: Any, schedule: Schedule) -> None:
        model.exploration_schedule = schedule
        model.exploration_rate = schedule(model._current_progress_remaining)


def scaled(schedule: Schedule, factor: float) -> Schedule:
    """``schedule`` times ``factor``. Raises TypeError for a schedule that is not one of the library's."""
    match schedule:
        case FloatSchedule():
            return scaled(schedule.value_schedule, factor)
        case ConstantSchedule():
            return ConstantSchedule(schedule.val * factor)
        case LinearSchedule():
            return LinearSchedule(schedule.start * factor, schedule.end * factor, schedule.end_fraction)
    raise TypeError(f"{schedule} cannot be scaled: it is no schedule of the library.")


def is_constant(schedule: Schedule) -> bool:
    """Whether it has one value for the whole of training."""
    plain = schedule.value_schedule if isinstance(schedule, FloatSchedule) else schedule
    return isinstance(plain, ConstantSchedule)
