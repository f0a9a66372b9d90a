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
    """``hyperparameter`` is the one whose bounds hold; ``schedule`` that which names its schedule, if it may have one;
    ``start`` and ``fraction`` those that say where it begins, and how soon it is there, if it falls. ``control`` refers
    to the class of ``rlviz.learning.algorithms.knob_controls`` that reads and writes it in a model. ``metric`` is the
    metric that logs its value, if one does.
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
        """All that its value follows from."""
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
    """What a knob may be set to."""

    minimum: float
    maximum: float
    excludes_minimum: bool

    def __contains__(self, value: float) -> bool:
        return (self.minimum < value if self.excludes_minimum else self.minimum <= value) and value <= self.maximum

    def __str__(self) -> str:
        return f"{'more than' if self.excludes_minimum else 'at least'} {self.minimum:g}, at most {self.maximum:g}"


def range_of(knob: Knob, algorithm: Algorithm) -> Range:
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


def knobs_of(algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]) -> dict[str, Knob]:
    """Those of a run, by name. One that the algorithm tunes by itself (its value is null) is none."""
    values = _with_defaults(algorithm, hyperparameters)
    return {knob.name: knob for knob in algorithm.knobs if values[knob.hyperparameter] is not None}


def is_scheduled(knob: Knob, hyperparameters: Mapping[str, JsonValue]) -> bool:
    """Whether its value changes by itself while the run trains."""
    if knob.name == EXPLORATION_RATE.name:
        return True
    return knob.schedule is not None and hyperparameters.get(knob.schedule, "constant") != "constant"


def in_force(
    knob: Knob, algorithm: Algorithm, values: Mapping[str, JsonValue], override: Override
) -> dict[str, JsonValue]:
    """The hyperparameters of the knob with which a run would be configured to go on as it does with ``override``, as
    far as their bounds allow. ``values``: those that it is configured with."""
    allowed, values = range_of(knob, algorithm), _with_defaults(algorithm, values)
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
    """``changes`` come with the JSON pointer of each. Raises UnknownName or InvalidRequest."""
    known = knobs_of(algorithm, hyperparameters)
    for pointer, change in changes:
        if change.knob not in known:
            raise UnknownName(f"adjustable hyperparameter of {algorithm.name}", change.knob, known, f"{pointer}/knob")
        if isinstance(change, SetKnob):
            allowed = range_of(known[change.knob], algorithm)
            if change.value not in allowed:
                label = knob_label(change.knob)
                raise InvalidRequest.field(f"{pointer}/value", f"The {label} must be {allowed}; got {change.value:g}.")


def _with_defaults(algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    fields = algorithm.hyperparameters.model_fields
    return {name: field.default for name, field in fields.items()} | dict(hyperparameters)
