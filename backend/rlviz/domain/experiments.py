"""Experiments: what is compared, with which seeds, and what has become of each trial.

The trials of an experiment: the lines of ``trials.jsonl``, and what they add up to.

Sweep: what a search varies, how values are proposed, and when a trial is given up.

ExperimentSpec: what an experiment trains, how often, how it is scored, and when it gives up.
"""

from __future__ import annotations

import itertools
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import prod
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, field_validator, model_validator

from rlviz.domain.config import EvaluationPlan, SnapshotPlan
from rlviz.domain.errors import placed_error
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import (
    DEFAULT_EXPERIMENT_SEEDS,
    DEFAULT_RETRIES,
    DEFAULT_SCORED_EPISODES,
    DEFAULT_SWEEP_TRIALS,
    LIMITS,
)
from rlviz.domain.presets import NO_PRESET, PresetChoice, without_none
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.rules import Rules
from rlviz.domain.sinks import SinkKind

_EXPERIMENT_ID = re.compile(r"exp-[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class ExperimentStatus(StrEnum):
    """*stopped* by hand, and can be resumed; *failed*: a trial failed and ``fast-fail`` was asked for."""

    RUNNING = "running"
    STOPPED = "stopped"
    COMPLETED = "completed"
    FAILED = "failed"


class TrialState(StrEnum):
    """What a line says. *begun*: it is about to have that run. *retried*, *lost*: that attempt failed, or was cut off
    from outside, and the trial begins anew. The others are final."""

    BEGUN = "begun"
    SCORED = "scored"
    FAILED = "failed"
    PRUNED = "pruned"
    RETRIED = "retried"
    LOST = "lost"

    @property
    def is_final(self) -> bool:
        return self in (TrialState.SCORED, TrialState.FAILED, TrialState.PRUNED)


class CellStatus(StrEnum):
    """What a trial does now."""

    WAITING = "waiting"
    TRAINING = "training"
    PAUSED = "paused"
    SCORING = "scoring"
    SCORED = "scored"
    FAILED = "failed"
    PRUNED = "pruned"
    SKIPPED = "skipped"


class TrialLine(LazyModel):
    """One line of ``trials.jsonl``; ``seq`` and ``time`` come from the journal."""

    model_config = ConfigDict(frozen=True)

    seq: int = 0
    time: float = 0.0
    trial: int = Field(ge=0)
    variant: str
    label: str = ""
    seed: int
    run_id: str
    attempt: int = Field(ge=1)
    state: TrialState
    score: float | None = None
    policy: PolicyChoice | None = None
    """Which policy of its run the score is of; None: there is no score, or an older version wrote the line."""
    cause: str | None = None


class ExperimentControl(LazyModel):
    """What an experiment shall do: replaced as a whole."""

    model_config = ConfigDict(frozen=True)

    desired: Literal["run", "stop", "end"] = "run"
    cause: str | None = None
    """Why it failed, or was stopped."""
    skipped: str | None = None
    """Why trials that were never begun were left out."""


def new_experiment_id(now: datetime) -> str:
    """For instance ``exp-20261121-014312-7f3a1b``: sorts by time."""
    return f"exp-{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def is_experiment_id(text: str) -> bool:
    return _EXPERIMENT_ID.fullmatch(text) is not None


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


MOST_CELLS = 10_000
"""Trials of one experiment."""

MOST_UNCONFIRMED = 1_000
"""Trials that are begun without asking back."""

MOST_VARIANTS = 1_000

Seed = Annotated[int, Field(ge=0, le=LIMITS.seed.maximum, strict=True)]


class _Strict(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class FailMode(StrEnum):
    """What a trial that fails means. *continue*: the others go on, and it has no score. *fast-fail*: the experiment
    ends. *retry*: it is trained anew, ``retries`` times at most, and then as *continue*."""

    CONTINUE = "continue"
    FAST_FAIL = "fast-fail"
    RETRY = "retry"


class RunSpec(_Strict):
    """What every run of the experiment is created with, as in ``POST /runs``."""

    algo: str = Field("ppo", max_length=LIMITS.choice.maximum)
    env_id: str = Field("CartPole-v1", max_length=LIMITS.choice.maximum)
    preset: PresetChoice = RECOMMENDED
    total_timesteps: int | None = Field(None, ge=1, strict=True, description="null: the preset's.")
    env_options: dict[str, JsonValue] = Field(default={})
    hyperparameters: dict[str, JsonValue] = Field(default={})
    evaluation: EvaluationPlan | None = Field(None, description="While it trains; null: the preset's.")
    snapshots: SnapshotPlan | None = Field(
        None, description="When snapshots are taken and how many are kept; null: one every 60 seconds, the newest 3."
    )
    rules: Rules = ()


class VariantChanges(_Strict):
    """What a variant has in the place of the base's; null: the base's. Options and hyperparameters are merged, one by
    one."""

    algo: str | None = Field(None, max_length=LIMITS.choice.maximum)
    env_id: str | None = Field(None, max_length=LIMITS.choice.maximum)
    preset: str | None = Field(
        None, max_length=LIMITS.choice.maximum, description=f"`{NO_PRESET}`: the algorithm's defaults."
    )
    total_timesteps: int | None = Field(None, ge=1, strict=True)
    env_options: dict[str, JsonValue] = Field(default={})
    hyperparameters: dict[str, JsonValue] = Field(default={})


class Variant(_Strict):
    name: str = Field(min_length=1, max_length=LIMITS.variant_name.maximum, pattern=r"\S")
    changes: VariantChanges = VariantChanges()

    @field_validator("changes")
    @classmethod
    def _check_changes(cls, changes: VariantChanges) -> VariantChanges:
        for name in sorted({"algo", "env_id"} & changes.model_fields_set):
            if getattr(changes, name) is None:
                raise ValueError(f"{name} cannot be null. Leave it out to keep that of the base.")
        return changes

    def run_spec(self, base: RunSpec) -> RunSpec:
        """The base with these changes."""
        given = self.changes.model_dump(exclude_none=True)
        if "preset" in given and without_none(given["preset"]) is None:
            given["preset"] = None
        for merged in ("env_options", "hyperparameters"):
            given[merged] = {**getattr(base, merged), **given.get(merged, {})}
        return base.model_copy(update=given)


class ScorePlan(_Strict):
    """A trial's score: the mean return of its policy on fresh episodes, without a video."""

    episodes: int = Field(DEFAULT_SCORED_EPISODES, ge=1, le=LIMITS.scored_episodes.maximum, strict=True)
    policy: PolicyChoice = Field(PolicyChoice.BEST, description="`best`, where one was kept, or `latest`.")


class ExperimentLimits(_Strict):
    """Beyond them no trial is begun; those that train are finished."""

    seconds: float | None = Field(
        None, gt=0, description="In which any of its runs trained; while it is stopped, none."
    )
    core_seconds: float | None = Field(None, gt=0, description="Processor time of all runs together.")
    steps: int | None = Field(None, ge=1, strict=True, description="Of all runs together.")


def _each_once(values: list[JsonValue]) -> list[JsonValue]:
    if not values:
        raise ValueError("There are no values. Give at least one, or leave it out.")
    if any(_same(one, other) for one, other in itertools.combinations(values[: MOST_VARIANTS + 1], 2)):
        raise ValueError("A value is there twice.")
    return values


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both are the same value: 1 is 1.0, but not true."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


class ExperimentSpec(_Strict):
    """One of ``variants``, ``grid`` and ``sweep`` says what is varied; each variant is trained with every seed."""

    name: str | None = Field(None, max_length=LIMITS.run_name.maximum, description="null: made from what is compared.")
    base: RunSpec = RunSpec()
    variants: list[Variant] = Field(default=[], max_length=MOST_VARIANTS)
    grid: dict[str, Annotated[list[JsonValue], AfterValidator(_each_once)]] = Field(
        default={}, description="By the name of a hyperparameter, its values; every combination is a variant."
    )
    sweep: Sweep | None = None
    seeds: (
        Annotated[list[Seed], Field(max_length=LIMITS.experiment_seeds.maximum)]
        | Annotated[int, Field(ge=1, le=LIMITS.experiment_seeds.maximum, strict=True)]
    ) = Field(
        DEFAULT_EXPERIMENT_SEEDS,
        description="A list, or how many: 0, 1, 2, …. A search takes as many as it has seeds a trial.",
    )
    parallel: int | None = Field(
        None,
        ge=1,
        le=LIMITS.experiment_parallel.maximum,
        strict=True,
        description="null: as many as may train at once.",
    )
    retries: int | None = Field(
        None,
        ge=1,
        le=LIMITS.experiment_retries.maximum,
        strict=True,
        description=f"Of a trial that failed; null: {DEFAULT_RETRIES} with `retry`.",
    )
    fail_mode: FailMode = FailMode.RETRY
    memory_per_worker: int | None = Field(
        None,
        ge=10**6,
        strict=True,
        description="Bytes for the buffers of each run, by an estimate before it begins; libraries, networks and "
        "environments come on top, about 20 MB on Linux with the warm worker, else about 240 MB.",
    )
    limits: ExperimentLimits = ExperimentLimits()
    score: ScorePlan = ScorePlan()
    sinks: tuple[SinkKind, ...] = Field(
        (), max_length=len(SinkKind), description="Other programs that its runs are delivered to as they train."
    )
    confirm: bool = Field(False, description=f"Needed for more than {MOST_UNCONFIRMED:,} trials.")

    @field_validator("seeds")
    @classmethod
    def _check_seeds(cls, seeds: list[int] | int) -> list[int] | int:
        if isinstance(seeds, list):
            if not seeds:
                raise ValueError("Give at least one seed, or how many there shall be.")
            twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
            if twice:
                raise ValueError(f"Each seed once: {', '.join(map(str, twice))} is there twice.")
        return seeds

    @field_validator("variants")
    @classmethod
    def _check_names(cls, variants: list[Variant]) -> list[Variant]:
        names = [variant.name.strip().lower() for variant in variants]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Names tell variants apart: {twice[0]!r} is there twice.")
        return variants

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        kinds = ("variants", "grid", "sweep")
        given = [name for name in kinds if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            at = given[1:2] or [name for name in kinds if name in self.model_fields_set][:1]
            raise placed_error(f"Give one of variants, grid (not empty) and sweep: there is {found}.", *at)
        return self

    @model_validator(mode="after")
    def _check_seeds_of_search(self) -> Self:
        if self.sweep is not None and isinstance(self.seeds, list) and len(self.seeds) != self.sweep.seeds_per_trial:
            wanted = self.sweep.seeds_per_trial
            raise placed_error(
                f"A trial of this search has {wanted} seeds; {len(self.seeds)} are listed. Make them agree.", "seeds"
            )
        return self

    @model_validator(mode="after")
    def _check_retries(self) -> Self:
        if self.retries is not None and self.fail_mode is not FailMode.RETRY:
            problem = f"Nothing is retried with fail_mode {self.fail_mode.value!r}: leave retries out."
            raise placed_error(problem, "retries")
        return self

    @property
    def most_retries(self) -> int:
        """Of one trial."""
        return DEFAULT_RETRIES if self.retries is None else self.retries

    @property
    def seed_list(self) -> Sequence[int]:
        if self.sweep is not None:
            wanted = self.sweep.seeds_per_trial
            return list(self.seeds)[:wanted] if isinstance(self.seeds, list) else list(range(wanted))
        return self.seeds if isinstance(self.seeds, list) else list(range(self.seeds))

    @property
    def cells(self) -> int:
        """Number of trials."""
        variants = self.sweep.wanted if self.sweep is not None else len(self.variants) or grid_size(self.grid)
        return variants * len(self.seed_list)

    def fixed_variants(self) -> list[Variant]:
        """Those that are known from the start; none of a search."""
        if self.grid:
            axes = list(self.grid)
            combinations = [dict(zip(axes, values, strict=True)) for values in itertools.product(*self.grid.values())]
            names = _grid_names(self.grid, combinations)
            return [
                Variant(name=name, changes=VariantChanges(hyperparameters=values))
                for name, values in zip(names, combinations, strict=True)
            ]
        return self.variants


def grid_size(grid: Mapping[str, Sequence[JsonValue]]) -> int:
    size = 1
    for values in grid.values():
        size *= len(values)
    return size


def _grid_names(grid: Mapping[str, Sequence[JsonValue]], combinations: Sequence[Mapping[str, JsonValue]]) -> list[str]:
    """A name for each combination, unlike all others. Where one would be too long, only what varies is named; where
    that is too long still, the names are cut and numbered."""
    longest = LIMITS.variant_name.maximum
    varied = [axis for axis, values in grid.items() if len(values) > 1]
    for axes in (list(grid), varied or list(grid)):
        names = [", ".join(f"{axis} {values[axis]}" for axis in axes) for values in combinations]
        if all(len(name) <= longest for name in names) and len(set(names)) == len(names):
            return names
    numbers = [f" … #{place}" for place in range(1, len(names) + 1)]
    return [name[: longest - len(number)] + number for name, number in zip(names, numbers, strict=True)]
