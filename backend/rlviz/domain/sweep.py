"""Sweep: what a search varies, how values are proposed, and when a trial is given up."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_SWEEP_TRIALS, LIMITS
from rlviz.domain.placed_error import placed_error

MOST_SEARCHED = 30
MOST_CHOICES = 50

_UNCOUNTED = 1e15
"""Values of a range: of more, how many does not matter, and a float does not tell."""


class SamplerName(StrEnum):
    """How values are proposed.

    *tpe*: from where earlier trials did well (tree-structured Parzen estimator). *cma-es*: an evolution strategy for
    numbers; what is chosen from a list is drawn at random. *gaussian-process*: where a model of the objective expects
    the most; for few, costly trials. *random*: independent draws. *grid*: every combination once.
    """

    TPE = "tpe"
    CMA_ES = "cma-es"
    GAUSSIAN_PROCESS = "gaussian-process"
    RANDOM = "random"
    GRID = "grid"


class PrunerName(StrEnum):
    """When a trial is given up, judged by the greedy evaluations while it trains.

    *median*: below the median of earlier trials at the same step. *successive-halving*: not among the best third at
    each of a few rungs. *hyperband*: the same for several first rungs at once.
    """

    NONE = "none"
    MEDIAN = "median"
    SUCCESSIVE_HALVING = "successive-halving"
    HYPERBAND = "hyperband"


class _Parameter(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    when: dict[str, list[JsonValue]] = Field(
        default_factory=dict,
        description="Searched only where each of these parameters has one of these values; {}: always.",
    )


class FloatRange(_Parameter):
    kind: Literal["float"] = "float"
    low: float
    high: float
    log: bool = Field(default=False, strict=True, description="Search on a logarithmic scale.")
    step: float | None = Field(None, gt=0, description="Only low, low + step, …; null: any number between.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_range(self.low, self.high, self.log, self.step is not None)
        return self


class IntRange(_Parameter):
    kind: Literal["int"] = "int"
    low: int = Field(strict=True)
    high: int = Field(strict=True)
    log: bool = Field(default=False, strict=True, description="Search on a logarithmic scale.")
    step: int = Field(1, ge=1, strict=True, description="Only low, low + step, ….")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_range(self.low, self.high, self.log, self.step != 1)
        return self


class Choice(_Parameter):
    kind: Literal["choice"] = "choice"
    choices: list[JsonValue] = Field(min_length=1, max_length=MOST_CHOICES)

    @model_validator(mode="after")
    def _check(self) -> Self:
        seen: set[str] = set()
        for place, choice in enumerate(self.choices):
            if (key := identity(choice)) in seen:
                raise placed_error(f"{choice!r} is among the choices twice.", "choices", place)
            seen.add(key)
        return self


Parameter = Annotated[FloatRange | IntRange | Choice, Field(discriminator="kind")]
SearchSpace = Annotated[dict[str, Parameter], Field(min_length=1, max_length=MOST_SEARCHED)]


@dataclass(frozen=True)
class Suggested:
    """What a search varies of a hyperparameter unless told otherwise. ``source``: where the range comes from."""

    parameter: FloatRange | IntRange | Choice
    source: str


Suggestions = Mapping[str, Suggested]


class Sweep(LazyModel):
    """A search for hyperparameters. The objective is the interquartile mean of the scores of a trial's seeds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    space: SearchSpace = Field(description="By the name of a hyperparameter, what is searched.")
    sampler: SamplerName = SamplerName.TPE
    pruner: PrunerName = PrunerName.NONE
    trials: int = Field(DEFAULT_SWEEP_TRIALS, ge=1, le=LIMITS.sweep_trials.maximum, strict=True)
    seeds_per_trial: int = Field(
        1, ge=1, le=LIMITS.sweep_seeds.maximum, strict=True, description="Runs of each trial, one for each seed."
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, strict=True, description="Seed of the sampler.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_conditions(self.space)
        if self.sampler is SamplerName.GRID:
            _check_grid(self.space)
        return self

    @property
    def wanted(self) -> int:
        """Number of trials. No two are the same, so a space of few combinations has fewer than were asked for."""
        return min(self.trials, len(list(itertools.islice(combinations_of(self.space), self.trials))))


def grid_values(parameter: Parameter) -> list[JsonValue]:
    """All values of a parameter, ascending or in the order of its choices. Raises ValueError for an endless one."""
    _value_count(parameter)
    return list(values_of(parameter))


def combinations(space: Mapping[str, Parameter]) -> int:
    """Number of combinations of the values of all parameters. Raises ValueError for a range that is not counted."""
    return prod(map(_value_count, space.values()))


def combinations_of(space: Mapping[str, Parameter]) -> Iterator[dict[str, JsonValue]]:
    """Every combination of values that a search may propose, each once. Parameters whose condition does not hold are
    left out. Endless where a parameter has more values than can be listed: those are then numbered, which is enough to
    count with."""
    names = list(space)

    def extend(place: int, values: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
        if place == len(names):
            yield dict(values)
            return
        name = names[place]
        if not applies(space[name], values):
            yield from extend(place + 1, values)
            return
        for value in values_of(space[name]):
            yield from extend(place + 1, {**values, name: value})

    return extend(0, {})


def values_of(parameter: Parameter) -> Iterator[JsonValue]:
    """Every value of a parameter, ascending or in the order of its choices; of a range of any number, endlessly many
    numbers that only stand for its values."""
    match parameter:
        case Choice(choices=choices):
            yield from choices
        case IntRange():
            yield from range(parameter.low, parameter.high + 1, parameter.step)
        case FloatRange(step=step) if step is not None:
            yield from (parameter.low + place * step for place in range(_value_count(parameter)))
        case _:
            yield from itertools.count()


def _value_count(parameter: Parameter) -> int:
    match parameter:
        case Choice(choices=choices):
            return len(choices)
        case IntRange(log=False):
            return (parameter.high - parameter.low) // parameter.step + 1
        case FloatRange(step=step) if step is not None:
            return int(min((parameter.high - parameter.low) / step + 1e-9, _UNCOUNTED)) + 1
    raise ValueError("A grid needs values that can be counted: choices, or a range with a step and no log scale.")


def _check_range(low: float, high: float, log: bool, stepped: bool) -> None:
    if low >= high:
        raise placed_error(f"low has to be less than high, not {low:g} and {high:g}.", "high")
    if log and low <= 0:
        raise placed_error(f"A logarithmic scale begins above 0, not at {low:g}.", "low")
    if log and stepped:
        raise placed_error("Either a logarithmic scale or a step: one of the two.", "step")


def _check_conditions(space: Mapping[str, Parameter]) -> None:
    """A condition names a choice that stands before it, and values of that choice."""
    before: dict[str, Parameter] = {}
    for name, parameter in space.items():
        for other, wanted in parameter.when.items():
            found, at = before.get(other), ("space", name, "when", other)
            if not isinstance(found, Choice):
                raise placed_error(f"{name} depends on {other}, which has to be a choice that stands before it.", *at)
            missing = [value for value in wanted if value not in found.choices]
            if missing or not wanted:
                problem = f"{name} depends on values of {other} that are not among its choices: {missing}."
                raise placed_error(problem, *at)
        before[name] = parameter


def _check_grid(space: Mapping[str, Parameter]) -> None:
    for name, parameter in space.items():
        if parameter.when:
            problem = f"A grid has no conditions: {name} has one. Choose another sampler."
            raise placed_error(problem, "space", name, "when")
        try:
            _value_count(parameter)
        except ValueError as error:
            raise placed_error(f"{name}: {error}", "space", name) from error
    found, most = combinations(space), LIMITS.sweep_trials.maximum
    if found > most:
        raise placed_error(f"The grid has {found:,} combinations; {most:,} are the most.", "space")


def applies(parameter: Parameter, values: Mapping[str, JsonValue]) -> bool:
    """Whether the condition of ``parameter`` holds among the ``values`` chosen before it."""
    return all(name in values and values[name] in wanted for name, wanted in parameter.when.items())


def identity(value: JsonValue) -> str:
    """The same text for values that train the same: 1 and 1.0, but not 1 and true; of objects in any order of keys."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: JsonValue) -> JsonValue:
    match value:
        case float():  # 0.1 + 0.2 and 0.3 are the same step of a range
            rounded = float(f"{value:.12g}")
            return int(rounded) if rounded.is_integer() else rounded
        case list():
            return [_plain(one) for one in value]
        case dict():
            return {name: _plain(one) for name, one in value.items()}
    return value


def label_of(choice: JsonValue) -> str | float | bool | None:
    """A choice as it can be stored in one cell: lists and objects as text."""
    return json.dumps(choice) if isinstance(choice, list | dict) else choice
