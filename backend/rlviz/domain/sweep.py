"""Sweep: what a search varies, how values are proposed, and when a trial is given up."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_SWEEP_TRIALS, LIMITS

MOST_SEARCHED = 30
MOST_CHOICES = 50


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
        seen: list[str] = []
        for choice in self.choices:
            if repr(choice) in seen:
                raise ValueError(f"{choice!r} is among the choices twice.")
            seen.append(repr(choice))
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


def grid_values(parameter: Parameter) -> list[JsonValue]:
    """All values of a parameter, ascending or in the order of its choices. Raises ValueError for an endless one."""
    match parameter:
        case Choice():
            return parameter.choices
        case IntRange(log=False):
            return list(range(parameter.low, parameter.high + 1, parameter.step))
        case FloatRange(step=step) if step is not None:
            count = int((parameter.high - parameter.low) / step + 1e-9)
            return [parameter.low + place * step for place in range(count + 1)]
    raise ValueError("A grid needs values that can be counted: choices, or a range with a step and no log scale.")


def _check_range(low: float, high: float, log: bool, stepped: bool) -> None:
    if low >= high:
        raise ValueError(f"low has to be less than high, not {low:g} and {high:g}.")
    if log and low <= 0:
        raise ValueError(f"A logarithmic scale begins above 0, not at {low:g}.")
    if log and stepped:
        raise ValueError("Either a logarithmic scale or a step: one of the two.")


def _check_conditions(space: Mapping[str, Parameter]) -> None:
    """A condition names a choice that stands before it, and values of that choice."""
    before: dict[str, Parameter] = {}
    for name, parameter in space.items():
        for other, wanted in parameter.when.items():
            found = before.get(other)
            if not isinstance(found, Choice):
                message = f"{name} depends on {other}, which has to be a choice that stands before it."
                raise ValueError(message)  # noqa: TRY004 - pydantic reports a ValueError
            missing = [value for value in wanted if value not in found.choices]
            if missing or not wanted:
                raise ValueError(f"{name} depends on values of {other} that are not among its choices: {missing}.")
        before[name] = parameter


def _check_grid(space: Mapping[str, Parameter]) -> None:
    combinations = 1
    for name, parameter in space.items():
        if parameter.when:
            raise ValueError(f"A grid has no conditions: {name} has one. Choose another sampler.")
        try:
            combinations *= len(grid_values(parameter))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    most = LIMITS.sweep_trials.maximum
    if combinations > most:
        raise ValueError(f"The grid has {combinations:,} combinations; {most:,} are the most.")


def applies(parameter: Parameter, values: Mapping[str, JsonValue]) -> bool:
    """Whether the condition of ``parameter`` holds among the ``values`` chosen before it."""
    return all(name in values and values[name] in wanted for name, wanted in parameter.when.items())


def label_of(choice: JsonValue) -> str | float | bool | None:
    """A choice as it can be stored in one cell: lists and objects as text."""
    return json.dumps(choice) if isinstance(choice, list | dict) else choice
