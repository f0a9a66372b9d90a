"""ExperimentSpec: what an experiment trains, how often, how it is scored, and when it gives up."""

import itertools
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, field_validator, model_validator

from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_EXPERIMENT_SEEDS, DEFAULT_RETRIES, DEFAULT_SCORED_EPISODES, LIMITS
from rlviz.domain.placed_error import placed_error
from rlviz.domain.presets import NO_PRESET, PresetChoice, without_none
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.rules import Rules
from rlviz.domain.sinks import SinkKind
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.domain.sweep import Sweep

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
