"""Experiments: the specification of what is compared, and the state of each trial.

``ExperimentSpec`` says what to train, with which seeds, how to score it and when to give up; a ``Sweep`` in it
describes a hyperparameter search. ``TrialLine`` is a line of ``trials.jsonl``.
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

from rlviz.domain.config import EvaluationPlan, ExplorationPlan, SnapshotPlan
from rlviz.domain.errors import error_at
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
from rlviz.domain.reward_plan import RewardPlan
from rlviz.domain.rules import Rules
from rlviz.domain.sinks import SinkKind

_EXPERIMENT_ID = re.compile(r"exp-[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")


class ExperimentStatus(StrEnum):
    """Status of an experiment. *stopped*: by the user, and can be resumed. *failed*: a trial failed under
    ``fast-fail``."""

    RUNNING = "running"
    STOPPED = "stopped"
    COMPLETED = "completed"
    FAILED = "failed"


class TrialState(StrEnum):
    """What a line of ``trials.jsonl`` reports.

    *begun*: the trial is about to start that run. *retried*, *lost*: that attempt failed, or was cut off from
    outside, and the trial starts again. All others are final.
    """

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
    """Current state of a trial."""

    WAITING = "waiting"
    TRAINING = "training"
    PAUSED = "paused"
    SCORING = "scoring"
    SCORED = "scored"
    FAILED = "failed"
    PRUNED = "pruned"
    SKIPPED = "skipped"


class TrialLine(LazyModel):
    """One line of ``trials.jsonl``; the journal adds ``seq`` and ``time``."""

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
    """Which policy of the run the score belongs to; None: no score, or an older version wrote the line."""
    cause: str | None = None


class ExperimentControl(LazyModel):
    """The desired state of an experiment; the file is always replaced as a whole."""

    model_config = ConfigDict(frozen=True)

    desired: Literal["run", "stop", "end"] = "run"
    cause: str | None = None
    """Why it failed or was stopped."""
    skipped: str | None = None
    """Why trials that never started were skipped."""


def new_experiment_id(now: datetime) -> str:
    """Return an id such as ``exp-20261121-014312-7f3a1b``, which sorts by time."""
    return f"exp-{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def is_experiment_id(text: str) -> bool:
    return _EXPERIMENT_ID.fullmatch(text) is not None


MOST_SEARCHED = 30
MOST_CHOICES = 50

_UNCOUNTED = 1e15
"""Larger ranges count as endless, because a float cannot tell their values apart."""


class SamplerName(StrEnum):
    """How a search proposes values.

    *tpe*: near values that did well in earlier trials (tree-structured Parzen estimator). *cma-es*: an evolution
    strategy for numbers; choices are drawn at random. *gaussian-process*: where a model of the objective expects the
    best result; for few, expensive trials. *random*: independent draws. *grid*: every combination once.
    """

    TPE = "tpe"
    CMA_ES = "cma-es"
    GAUSSIAN_PROCESS = "gaussian-process"
    RANDOM = "random"
    GRID = "grid"


class PrunerName(StrEnum):
    """When a search stops a trial early, judged by the evaluations during training.

    *median*: below the median of earlier trials at the same step. *successive-halving*: not among the best third at
    each of a few rungs. *hyperband*: the same with several first rungs at once.
    """

    NONE = "none"
    MEDIAN = "median"
    SUCCESSIVE_HALVING = "successive-halving"
    HYPERBAND = "hyperband"


class _Parameter(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    when: dict[str, list[JsonValue]] = Field(
        default_factory=dict,
        description="Searched only if each of these parameters has one of the listed values; {}: always.",
    )


class FloatRange(_Parameter):
    kind: Literal["float"] = "float"
    low: float
    high: float
    log: bool = Field(default=False, strict=True, description="Search on a logarithmic scale.")
    step: float | None = Field(None, gt=0, description="Only low, low + step, …; null: any number in between.")

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
            if (key := value_identity(choice)) in seen:
                raise error_at(f"{choice!r} is listed twice.", "choices", place)
            seen.add(key)
        return self


Parameter = Annotated[FloatRange | IntRange | Choice, Field(discriminator="kind")]
SearchSpace = Annotated[dict[str, Parameter], Field(min_length=1, max_length=MOST_SEARCHED)]


@dataclass(frozen=True)
class Suggested:
    """The range that a search uses for a hyperparameter by default. ``source`` says where the range comes from."""

    parameter: FloatRange | IntRange | Choice
    source: str


Suggestions = Mapping[str, Suggested]


class Sweep(LazyModel):
    """A hyperparameter search. The objective is the interquartile mean of the scores of a trial's seeds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    space: SearchSpace = Field(description="Search range of each hyperparameter, by name.")
    sampler: SamplerName = SamplerName.TPE
    pruner: PrunerName = PrunerName.NONE
    trials: int = Field(DEFAULT_SWEEP_TRIALS, ge=1, le=LIMITS.sweep_trials.maximum, strict=True)
    seeds_per_trial: int = Field(
        1, ge=1, le=LIMITS.sweep_seeds.maximum, strict=True, description="Runs of each trial, one per seed."
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
        """Number of trials. No two trials are the same, so a small space may have fewer than requested."""
        return min(self.trials, len(list(itertools.islice(iterate_combinations(self.space), self.trials))))


def grid_values(parameter: Parameter) -> list[JsonValue]:
    """Return all values of a parameter, ascending or in the order of its choices. Raises ValueError for an endless
    range."""
    _value_count(parameter)
    return list(iterate_values(parameter))


def count_combinations(space: Mapping[str, Parameter]) -> int:
    """Return the number of combinations of all values. Raises ValueError for an endless range."""
    return prod(map(_value_count, space.values()))


def iterate_combinations(space: Mapping[str, Parameter]) -> Iterator[dict[str, JsonValue]]:
    """Yield every combination of values that a search may propose, each once.

    Parameters whose condition does not hold are left out. A parameter with more values than can be listed yields
    endlessly many placeholder numbers, which is enough for counting.
    """
    names = list(space)

    def extend(place: int, values: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
        if place == len(names):
            yield dict(values)
            return
        name = names[place]
        if not condition_holds(space[name], values):
            yield from extend(place + 1, values)
            return
        for value in iterate_values(space[name]):
            yield from extend(place + 1, {**values, name: value})

    return extend(0, {})


def iterate_values(parameter: Parameter) -> Iterator[JsonValue]:
    """Yield every value of a parameter, ascending or in the order of its choices; of a continuous range, endless
    placeholder numbers."""
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
    raise ValueError("A grid needs countable values: choices, or a range with a step and no log scale.")


def _check_range(low: float, high: float, log: bool, stepped: bool) -> None:
    if low >= high:
        raise error_at(f"low must be less than high, but they are {low:g} and {high:g}.", "high")
    if log and low <= 0:
        raise error_at(f"A logarithmic scale must start above 0, not at {low:g}.", "low")
    if log and stepped:
        raise error_at("Give either a logarithmic scale or a step, not both.", "step")


def _check_conditions(space: Mapping[str, Parameter]) -> None:
    """Check that each condition names an earlier choice, and values of that choice."""
    before: dict[str, Parameter] = {}
    for name, parameter in space.items():
        for other, wanted in parameter.when.items():
            found, at = before.get(other), ("space", name, "when", other)
            if not isinstance(found, Choice):
                raise error_at(f"{name} depends on {other}, which must be a choice listed before it.", *at)
            missing = [value for value in wanted if value not in found.choices]
            if missing or not wanted:
                problem = f"{name} depends on values of {other} that are not among its choices: {missing}."
                raise error_at(problem, *at)
        before[name] = parameter


def _check_grid(space: Mapping[str, Parameter]) -> None:
    for name, parameter in space.items():
        if parameter.when:
            problem = f"A grid cannot have conditions, but {name} has one. Choose another sampler."
            raise error_at(problem, "space", name, "when")
        try:
            _value_count(parameter)
        except ValueError as error:
            raise error_at(f"{name}: {error}", "space", name) from error
    found, most = count_combinations(space), LIMITS.sweep_trials.maximum
    if found > most:
        raise error_at(f"The grid has {found:,} combinations; at most {most:,} are allowed.", "space")


def condition_holds(parameter: Parameter, values: Mapping[str, JsonValue]) -> bool:
    """Whether the condition of ``parameter`` holds for the ``values`` chosen before it."""
    return all(name in values and values[name] in wanted for name, wanted in parameter.when.items())


def value_identity(value: JsonValue) -> str:
    """Return the same text for values that train the same: 1 equals 1.0 but not true; the order of keys does not
    matter."""
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


def choice_label(choice: JsonValue) -> str | float | bool | None:
    """Return a choice as a value for one table cell: lists and objects become text."""
    return json.dumps(choice) if isinstance(choice, list | dict) else choice


MOST_CELLS = 10_000
"""Maximum number of trials of one experiment."""

MOST_UNCONFIRMED = 1_000
"""Number of trials that start without a confirmation."""

MOST_VARIANTS = 1_000

Seed = Annotated[int, Field(ge=0, le=LIMITS.seed.maximum, strict=True)]


class _Strict(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class FailMode(StrEnum):
    """What happens when a trial fails.

    *continue*: the other trials continue, and the failed one has no score. *fast-fail*: the experiment ends.
    *retry*: the trial is repeated at most ``retries`` times, then as *continue*.
    """

    CONTINUE = "continue"
    FAST_FAIL = "fast-fail"
    RETRY = "retry"


class RunSpec(_Strict):
    """The settings that every run of the experiment starts from, as in ``POST /runs``."""

    algo: str = Field("ppo", max_length=LIMITS.choice.maximum)
    env_id: str = Field("CartPole-v1", max_length=LIMITS.choice.maximum)
    preset: PresetChoice = RECOMMENDED
    total_timesteps: int | None = Field(None, ge=1, strict=True, description="null: that of the preset.")
    env_options: dict[str, JsonValue] = Field(default={})
    hyperparameters: dict[str, JsonValue] = Field(default={})
    evaluation: EvaluationPlan | None = Field(None, description="Evaluation during training; null: that of the preset.")
    snapshots: SnapshotPlan | None = Field(
        None, description="When snapshots are taken and how many are kept; null: one every 60 seconds, the newest 3."
    )
    rules: Rules = ()
    exploration: ExplorationPlan | None = Field(
        None,
        exclude_if=lambda plan: plan is None,
        description="Rewards for exploration, and the map; null: that of the preset, `{}`: none.",
    )
    reward: RewardPlan | None = Field(
        None, exclude_if=lambda plan: plan is None, description="Weights and caps of the reward's components."
    )


class VariantChanges(_Strict):
    """What a variant changes in the base; null keeps the value of the base. Options and hyperparameters are merged key
    by key."""

    algo: str | None = Field(None, max_length=LIMITS.choice.maximum)
    env_id: str | None = Field(None, max_length=LIMITS.choice.maximum)
    preset: str | None = Field(
        None, max_length=LIMITS.choice.maximum, description=f"`{NO_PRESET}`: the algorithm's defaults."
    )
    total_timesteps: int | None = Field(None, ge=1, strict=True)
    env_options: dict[str, JsonValue] = Field(default={})
    hyperparameters: dict[str, JsonValue] = Field(default={})
    exploration: ExplorationPlan | None = Field(
        None, exclude_if=lambda plan: plan is None, description="Replaces that of the base; `{}`: none."
    )
    reward: RewardPlan | None = Field(
        None, exclude_if=lambda plan: plan is None, description="Replaces that of the base; `{}`: none."
    )


class Variant(_Strict):
    name: str = Field(min_length=1, max_length=LIMITS.variant_name.maximum, pattern=r"\S")
    changes: VariantChanges = VariantChanges()

    @field_validator("changes")
    @classmethod
    def _check_changes(cls, changes: VariantChanges) -> VariantChanges:
        for name in sorted({"algo", "env_id"} & changes.model_fields_set):
            if getattr(changes, name) is None:
                raise ValueError(f"{name} cannot be null. Leave it out to keep the value of the base.")
        return changes

    def run_spec(self, base: RunSpec) -> RunSpec:
        """Return the base with these changes."""
        given = self.changes.model_dump(exclude_none=True)
        if "preset" in given and without_none(given["preset"]) is None:
            given["preset"] = None
        for merged in ("env_options", "hyperparameters"):
            given[merged] = {**getattr(base, merged), **given.get(merged, {})}
        if self.changes.exploration is not None:
            given["exploration"] = self.changes.exploration
        if self.changes.reward is not None:
            given["reward"] = self.changes.reward
        return base.model_copy(update=given)


class ForkPoint(_Strict):
    """A snapshot of a run, at which every run of the experiment starts. Each trial then is a fork of that run."""

    run_id: str = Field(min_length=1, max_length=LIMITS.choice.maximum)
    snapshot: str = Field(min_length=1, max_length=LIMITS.choice.maximum, description="Name of the snapshot.")
    step: int = Field(ge=0, strict=True, description="Environment steps at the snapshot.")


class HintTest(_Strict):
    """The hint that an experiment tests: the two values of its grid are the current and the suggested one."""

    run_id: str = Field(min_length=1, max_length=LIMITS.choice.maximum, description="The run that shows the hint.")
    hint: str = Field(min_length=1, max_length=LIMITS.choice.maximum, description="Id of the hint.")
    title: str = Field(max_length=LIMITS.run_name.maximum, description="Headline of the hint.")


class ScorePlan(_Strict):
    """A trial's score: the mean return of its policy on fresh episodes, without a video."""

    episodes: int = Field(DEFAULT_SCORED_EPISODES, ge=1, le=LIMITS.scored_episodes.maximum, strict=True)
    policy: PolicyChoice = Field(PolicyChoice.BEST, description="`best`, if one was kept, else `latest`.")
    deterministic: bool | None = Field(
        None,
        strict=True,
        exclude_if=lambda deterministic: deterministic is None,
        description="Take the most likely action instead of sampling; null: sample if a variant does so in evaluations "
        "during training.",
    )

    @property
    def is_greedy(self) -> bool:
        """Whether policies take their most likely action. Experiments are stored with false if they sample."""
        return self.deterministic is not False


class ExperimentLimits(_Strict):
    """Limits beyond which no trial starts; trials that already train finish."""

    seconds: float | None = Field(None, gt=0, description="Time in which at least one of its runs trains.")
    core_seconds: float | None = Field(None, gt=0, description="Processor time of all runs together.")
    steps: int | None = Field(None, ge=1, strict=True, description="Environment steps of all runs together.")


def _each_once(values: list[JsonValue]) -> list[JsonValue]:
    if not values:
        raise ValueError("The list is empty. Give at least one value, or leave it out.")
    if any(_same(one, other) for one, other in itertools.combinations(values[: MOST_VARIANTS + 1], 2)):
        raise ValueError("A value is listed twice.")
    return values


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Whether both are the same value: 1 equals 1.0, but not true."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


class ExperimentSpec(_Strict):
    """Exactly one of ``variants``, ``grid`` and ``sweep`` says what varies; each variant is trained with every seed."""

    name: str | None = Field(
        None, max_length=LIMITS.run_name.maximum, description="null: generated from the comparison."
    )
    base: RunSpec = RunSpec()
    variants: list[Variant] = Field(default=[], max_length=MOST_VARIANTS)
    grid: dict[str, Annotated[list[JsonValue], AfterValidator(_each_once)]] = Field(
        default={}, description="Values of each hyperparameter, by name; every combination is a variant."
    )
    sweep: Sweep | None = None
    seeds: (
        Annotated[list[Seed], Field(max_length=LIMITS.experiment_seeds.maximum)]
        | Annotated[int, Field(ge=1, le=LIMITS.experiment_seeds.maximum, strict=True)]
    ) = Field(
        DEFAULT_EXPERIMENT_SEEDS,
        description="A list, or a count n for 0 to n − 1. A search uses as many as it has seeds per trial.",
    )
    parallel: int | None = Field(
        None,
        ge=1,
        le=LIMITS.experiment_parallel.maximum,
        strict=True,
        description="Runs that train at once; null: as many as the service allows.",
    )
    retries: int | None = Field(
        None,
        ge=1,
        le=LIMITS.experiment_retries.maximum,
        strict=True,
        description=f"Retries of a failed trial; null: {DEFAULT_RETRIES} with `retry`.",
    )
    fail_mode: FailMode = FailMode.RETRY
    memory_per_worker: int | None = Field(
        None,
        ge=10**6,
        strict=True,
        description="Estimated bytes for the buffers of each run, before it starts; libraries, networks and "
        "environments add about 20 MB on Linux with the warm worker, else about 240 MB.",
    )
    limits: ExperimentLimits = ExperimentLimits()
    score: ScorePlan = ScorePlan()
    sinks: tuple[SinkKind, ...] = Field(
        (), max_length=len(SinkKind), description="Other trackers that receive its runs during training."
    )
    fork: ForkPoint | None = Field(None, description="Where its runs start; null: at the beginning of training.")
    tests: HintTest | None = Field(None, description="The hint whose suggestion it tests; null: none.")
    confirm: bool = Field(False, description=f"Required for more than {MOST_UNCONFIRMED:,} trials.")

    @field_validator("seeds")
    @classmethod
    def _check_seeds(cls, seeds: list[int] | int) -> list[int] | int:
        if isinstance(seeds, list):
            if not seeds:
                raise ValueError("Give at least one seed, or the number of seeds.")
            twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
            if twice:
                raise ValueError(f"Seeds must be unique: {', '.join(map(str, twice))} is listed twice.")
        return seeds

    @field_validator("variants")
    @classmethod
    def _check_names(cls, variants: list[Variant]) -> list[Variant]:
        names = [variant.name.strip().lower() for variant in variants]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Names of variants must be unique: {twice[0]!r} is listed twice.")
        return variants

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        kinds = ("variants", "grid", "sweep")
        given = [name for name in kinds if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            at = given[1:2] or [name for name in kinds if name in self.model_fields_set][:1]
            raise error_at(f"Give exactly one of variants, grid (not empty) and sweep; you gave {found}.", *at)
        return self

    @model_validator(mode="after")
    def _check_test(self) -> Self:
        if self.tests is not None and [len(values) for values in self.grid.values()] != [2]:
            raise error_at("A test of a hint needs a grid of one hyperparameter with two values.", "grid")
        if self.fork is not None and self.sweep is not None:
            raise error_at("A search cannot fork a run. Leave fork or sweep out.", "fork")
        given = (self.base.exploration, *(variant.changes.exploration for variant in self.variants))
        if self.fork is not None and any(plan is not None for plan in given):
            raise error_at("A fork explores as its parent does. Leave fork or exploration out.", "fork")
        weighted = (self.base.reward, *(variant.changes.reward for variant in self.variants))
        if self.fork is not None and any(plan is not None for plan in weighted):
            raise error_at("A fork weights the reward as its parent does. Leave fork or reward out.", "fork")
        return self

    @model_validator(mode="after")
    def _check_seeds_of_search(self) -> Self:
        if self.sweep is not None and isinstance(self.seeds, list) and len(self.seeds) != self.sweep.seeds_per_trial:
            wanted = self.sweep.seeds_per_trial
            raise error_at(
                f"A trial of this search has {wanted} seeds, but {len(self.seeds)} are listed. Make them agree.",
                "seeds",
            )
        return self

    @model_validator(mode="after")
    def _check_retries(self) -> Self:
        if self.retries is not None and self.fail_mode is not FailMode.RETRY:
            problem = f"With fail_mode {self.fail_mode.value!r} there are no retries: leave retries out."
            raise error_at(problem, "retries")
        return self

    @property
    def most_retries(self) -> int:
        """Maximum number of retries of one trial."""
        return DEFAULT_RETRIES if self.retries is None else self.retries

    @property
    def seed_list(self) -> Sequence[int]:
        if self.sweep is not None:
            wanted = self.sweep.seeds_per_trial
            return list(self.seeds)[:wanted] if isinstance(self.seeds, list) else list(range(wanted))
        return self.seeds if isinstance(self.seeds, list) else list(range(self.seeds))

    @property
    def first_step(self) -> int:
        """Environment steps that its runs have done when they start."""
        return 0 if self.fork is None else self.fork.step

    @property
    def cells(self) -> int:
        """Number of trials."""
        variants = self.sweep.wanted if self.sweep is not None else len(self.variants) or grid_size(self.grid)
        return variants * len(self.seed_list)

    def fixed_variants(self) -> list[Variant]:
        """Return the variants known from the start; none for a search."""
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
    """Return a unique name for each combination. Names that would be too long only list what varies; if those are still
    too long, they are cut and numbered."""
    longest = LIMITS.variant_name.maximum
    varied = [axis for axis, values in grid.items() if len(values) > 1]
    for axes in (list(grid), varied or list(grid)):
        names = [", ".join(f"{axis} {values[axis]}" for axis in axes) for values in combinations]
        if all(len(name) <= longest for name in names) and len(set(names)) == len(names):
            return names
    numbers = [f" … #{place}" for place in range(1, len(names) + 1)]
    return [name[: longest - len(number)] + number for name, number in zip(names, numbers, strict=True)]
