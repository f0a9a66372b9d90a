"""Knobs are the hyperparameters that can be adjusted during training. This module lists those of each algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotated_types import Ge, Gt, Le, Lt
from pydantic import JsonValue

from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.rules import Override, ScaleKnob, SetKnob, knob_label

if TYPE_CHECKING:
    from rlviz.learning.algorithms.base import Algorithm


@dataclass(frozen=True)
class Knob:
    """A value that can be adjusted during training, with the names of the hyperparameters that define it.

    Args:
        hyperparameter: The hyperparameter whose bounds apply.
        control: Reference to the class in ``rlviz.learning.algorithms.knob_controls`` that reads and writes the value.
        schedule: The hyperparameter that selects its schedule, if it can have one.
        metric: The metric that logs its value, if there is one.
        start: The hyperparameter with its first value, if it falls during training.
        fraction: The hyperparameter with the share of training over which it falls.
    """

    name: str
    hyperparameter: str
    control: str
    schedule: str | None = None
    metric: str | None = None
    start: str | None = None
    fraction: str | None = None

    @property
    def label(self) -> str:
        return knob_label(self.name)

    @property
    def hyperparameters(self) -> frozenset[str]:
        """Names of all hyperparameters that define its value."""
        return frozenset(filter(None, (self.hyperparameter, self.schedule, self.start, self.fraction)))


_CONTROLS = "rlviz.learning.algorithms.knob_controls"

LEARNING_RATE = Knob(
    "learning_rate",
    "learning_rate",
    f"{_CONTROLS}:LearningRate",
    schedule="learning_rate_schedule",
    metric="train/learning_rate",
)
CLIP_RANGE = Knob(
    "clip_range", "clip_range", f"{_CONTROLS}:ClipRange", schedule="clip_range_schedule", metric="train/clip_range"
)
ENTROPY = Knob("ent_coef", "ent_coef", f"{_CONTROLS}:EntropyWeight")
FIXED_TEMPERATURE = Knob("ent_coef", "ent_coef", f"{_CONTROLS}:FixedTemperature", metric="train/ent_coef")
EXPLORATION_RATE = Knob(
    "exploration_rate",
    "exploration_final_eps",
    f"{_CONTROLS}:ExplorationRate",
    metric="rollout/exploration_rate",
    start="exploration_initial_eps",
    fraction="exploration_fraction",
)


@dataclass(frozen=True)
class Range:
    """The values that a knob may have."""

    minimum: float
    maximum: float
    excludes_minimum: bool

    def __contains__(self, value: float) -> bool:
        return (self.minimum < value if self.excludes_minimum else self.minimum <= value) and value <= self.maximum

    def __str__(self) -> str:
        return f"{'more than' if self.excludes_minimum else 'at least'} {self.minimum:g}, at most {self.maximum:g}"


def allowed_range(knob: Knob, algorithm: Algorithm) -> Range:
    """Return the values that ``knob`` may have: the bounds of its hyperparameter."""
    minimum, maximum, excludes = 0.0, float("inf"), False
    for bound in algorithm.hyperparameters.model_fields[knob.hyperparameter].metadata:
        match bound:
            case Ge(ge=value):
                minimum, excludes = float(value), False  # type: ignore[arg-type]
            case Gt(gt=value):
                minimum, excludes = float(value), True  # type: ignore[arg-type]
            case Le(le=value) | Lt(lt=value):
                maximum = float(value)  # type: ignore[arg-type]
    return Range(minimum, maximum, excludes)


def find_knobs(algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]) -> dict[str, Knob]:
    """Return the knobs of a run by name. A value that the algorithm tunes itself (null) is not a knob."""
    values = _with_defaults(algorithm, hyperparameters)
    return {knob.name: knob for knob in algorithm.knobs if values[knob.hyperparameter] is not None}


def is_scheduled(knob: Knob, hyperparameters: Mapping[str, JsonValue]) -> bool:
    """Return whether a schedule changes the value of ``knob`` during training."""
    if knob.name == EXPLORATION_RATE.name:
        return True
    return knob.schedule is not None and hyperparameters.get(knob.schedule, "constant") != "constant"


def apply_override(
    knob: Knob, algorithm: Algorithm, values: Mapping[str, JsonValue], override: Override
) -> dict[str, JsonValue]:
    """Return the knob's hyperparameters for a run that continues as one with ``override`` does, within their bounds.

    ``values`` are the hyperparameters that the run was configured with.
    """
    allowed, values = allowed_range(knob, algorithm), _with_defaults(algorithm, values)
    found: dict[str, JsonValue] = {}
    for name in (knob.hyperparameter, knob.start):
        if name is not None and isinstance(configured := values.get(name), int | float):
            value = override.value if override.value is not None else configured * override.factor
            found[name] = min(max(value, allowed.minimum), allowed.maximum)
    if knob.schedule is not None and knob.schedule in values and override.value is not None:
        found[knob.schedule] = "constant"
    return found


def check_changes(
    algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue], changes: Iterable[tuple[str, SetKnob | ScaleKnob]]
) -> None:
    """Raise UnknownName or InvalidRequest if a change is not possible. Each change has its JSON pointer."""
    known = find_knobs(algorithm, hyperparameters)
    for pointer, change in changes:
        if change.knob not in known:
            raise UnknownName(f"adjustable hyperparameter of {algorithm.name}", change.knob, known, f"{pointer}/knob")
        if isinstance(change, SetKnob):
            allowed = allowed_range(known[change.knob], algorithm)
            if change.value not in allowed:
                label = knob_label(change.knob)
                raise InvalidRequest.field(f"{pointer}/value", f"The {label} must be {allowed}; got {change.value:g}.")


def _with_defaults(algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    fields = algorithm.hyperparameters.model_fields
    return {name: field.default for name, field in fields.items()} | dict(hyperparameters)
