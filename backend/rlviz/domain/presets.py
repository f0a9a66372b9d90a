"""Preset: a named set of hyperparameters and a training length, with measured results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, field_validator

from rlviz.domain.config import EvaluationPlan, ExplorationPlan, TotalTimesteps
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.ids import Instant
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.recommended import RECOMMENDED

NO_PRESET = "none"
"""How files, options and requests that cannot contain null say "no preset"."""


def without_none(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() == NO_PRESET else value


PresetChoice = Annotated[
    Annotated[str, Field(max_length=LIMITS.choice.maximum)] | None,
    BeforeValidator(without_none),
    Field(
        description=f"`{RECOMMENDED}`: the one that measurements recommend; null or `{NO_PRESET}`: the algorithm's "
        "defaults."
    ),
]


class PresetId(StrEnum):
    FAST = "fast"
    STABLE = "stable"
    HIGH_SCORE = "high-score"


PRESET_TITLES: Mapping[PresetId, str] = MappingProxyType(
    {PresetId.FAST: "Fast", PresetId.STABLE: "Stable", PresetId.HIGH_SCORE: "High Score"}
)


class _Values(LazyModel):
    """Hyperparameters that differ from the algorithm's defaults, a training length, evaluations and exploration.

    ``when`` names the environment options that the preset is made for; {} means all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    algorithm: str
    summary: str = Field(min_length=1)
    tradeoff: str = Field(min_length=1, description="What its strength costs.")
    source: str = Field(min_length=1, description="Where the values come from.")
    total_timesteps: TotalTimesteps
    when: dict[str, JsonValue] = Field(default_factory=dict)
    hyperparameters: dict[str, JsonValue] = Field(default_factory=dict)
    evaluation: EvaluationPlan | None = Field(None, description="Evaluation during training; None: none.")
    exploration: ExplorationPlan | None = Field(
        None,
        exclude_if=lambda plan: plan is None,
        description="How training explores; None: it does not.",
    )

    @field_validator("exploration")
    @classmethod
    def _check_start_cell(cls, plan: ExplorationPlan | None) -> ExplorationPlan | None:
        if plan is not None and plan.start_cell is not None:
            raise ValueError("A preset cannot begin episodes in one cell. Leave start_cell out.")
        return plan


class Preset(_Values):
    id: PresetId

    @property
    def title(self) -> str:
        return PRESET_TITLES[self.id]


class MeasuredPreset(LazyModel):
    """Results of training with a preset over several seeds, with the policy at the end; see docs/presets.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seeds: int = Field(ge=1, description="Number of trained seeds.")
    solved: int = Field(
        ge=0,
        description="Seeds that reached the reward threshold, in training or with their score.",
    )
    held: int | None = Field(
        ge=0, description="Seeds whose score on fresh episodes reached the threshold; null: no threshold."
    )
    return_iqm: float = Field(description="Interquartile mean of the final returns.")
    return_low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null for one seed.")
    return_high: float | None = Field(description="Upper end of its 95 % bootstrap interval; null for one seed.")
    steps_to_threshold: int | None = Field(
        description="Steps until half of all seeds solved it (Kaplan-Meier); null: fewer than half did. In "
        "older figures, the median of the seeds that solved it."
    )
    seconds_to_threshold: float | None = Field(description="The same in seconds of training.")
    solved_steps: list[int] | None = Field(
        None, description="Steps at which seeds solved it, ascending; null: not recorded."
    )
    seconds: float = Field(description="Processor seconds of one complete training.")
    policy: PolicyChoice | None = Field(
        None,
        description="`latest`: returns of the last policies, from before the preset evaluated its "
        "policy and kept the best; null: of the policies that the preset keeps.",
    )
    sampled: bool = Field(
        False,
        exclude_if=lambda sampled: not sampled,
        description="Whether the policies sampled their actions instead of playing greedily.",
    )
    specification: str | None = Field(
        None,
        description="Specification that measured it, for `GET /presets/specifications/{name}`; null: none.",
    )


class MeasuredCurve(LazyModel):
    """The learning curve over the seeds of a measured preset. All lists have one entry per ``step``, about sixty."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Literal["training", "evaluation"] = Field(
        description="Moving averages of 20 training episodes, or evaluations during training."
    )
    shows: Literal["iqm", "quartiles"] = Field(
        description="iqm: the interquartile mean over the seeds with its 95 % bootstrap interval; quartiles: the "
        "median and quartiles (older figures)."
    )
    step: list[float]
    middle: list[float]
    low: list[float | None] = Field(description="Null where only one seed has a value.")
    high: list[float | None]


OWN = "own-"
"""Prefix of the ids of a user's own presets, so that they never collide with built-in ones."""

OwnPresetId = Annotated[str, Field(pattern=r"^own-[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$")]
PresetTitle = Annotated[str, Field(min_length=1, max_length=60, pattern=r"[A-Za-z0-9]")]


class OwnPreset(_Values):
    """A user's own preset: saved from a variant of an experiment, with the results of that experiment."""

    schema_version: Literal[1] = 1
    id: OwnPresetId
    title: PresetTitle
    environment: str
    measured: MeasuredPreset | None = Field(
        None,
        description="`solved` counts seeds that reached the threshold in training or with their score, `held` "
        "only scores.",
    )
    curve: MeasuredCurve | None = Field(None, description="The learning curve of its seeds.")
    experiment_id: str | None = Field(None, description="The experiment that it was saved from.")
    created_at: Instant

    @property
    def curve_id(self) -> str | None:
        """Id of the learning curve, unique even if a title is reused; None without a curve."""
        return None if self.curve is None else f"{self.id}.{self.created_at.timestamp():.0f}"


def own_preset_id(title: str) -> str:
    """Return the preset id for a title: ``own-my-pendulum`` for “My Pendulum!”."""
    return OWN + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")


def is_built_in_title(title: str) -> bool:
    """Whether a preset with that title would be confused with a built-in one: “fast!” is “Fast”."""
    return own_preset_id(title).removeprefix(OWN) in set(PresetId)
