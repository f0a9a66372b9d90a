"""Preset: a named starting point for hyperparameters and training length, with its measured results.

The word that stands for a choice by measurement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue

from rlviz.domain.config import EvaluationPlan, TotalTimesteps
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.ids import Instant
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.recommended import RECOMMENDED

NO_PRESET = "none"
"""How files, flags and requests say that there is no preset, where they cannot or do not say null."""


def without_none(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() == NO_PRESET else value


PresetChoice = Annotated[
    Annotated[str, Field(max_length=LIMITS.choice.maximum)] | None,
    BeforeValidator(without_none),
    Field(
        description=f"`{RECOMMENDED}`: the one that was measured to work; null, or `{NO_PRESET}`: the algorithm's "
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
    """Hyperparameters that differ from the algorithm's defaults, with how long to train.

    ``when`` names values of the environment's options that it is made for; {} is for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    algorithm: str
    summary: str = Field(min_length=1)
    tradeoff: str = Field(min_length=1, description="What is paid for what it is good at.")
    source: str = Field(min_length=1, description="Where the values come from.")
    total_timesteps: TotalTimesteps
    when: dict[str, JsonValue] = Field(default_factory=dict)
    hyperparameters: dict[str, JsonValue] = Field(default_factory=dict)
    evaluation: EvaluationPlan | None = Field(None, description="Evaluation while it trains; None: none.")


class Preset(_Values):
    id: PresetId

    @property
    def title(self) -> str:
        return PRESET_TITLES[self.id]


class MeasuredPreset(LazyModel):
    """What training with a preset gave over several seeds, with its greedy policy at the end; see docs/presets.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seeds: int = Field(ge=1, description="Seeds it was trained with.")
    solved: int = Field(
        ge=0,
        description="Seeds that reached the reward threshold: in training, as solved runs do, or with their score.",
    )
    held: int | None = Field(
        ge=0, description="Seeds whose score, on fresh episodes, reached it; null: the environment has no threshold."
    )
    return_iqm: float = Field(description="Interquartile mean of the final returns.")
    return_low: float | None = Field(description="Lower end of its 95 % bootstrap interval; null of one seed.")
    return_high: float | None = Field(description="Upper end of its 95 % bootstrap interval; null of one seed.")
    steps_to_threshold: int | None = Field(
        description="Steps until half of all seeds had solved it, by Kaplan and Meier; null: fewer than half did. Of "
        "figures that are older than experiments the median of the seeds that did."
    )
    seconds_to_threshold: float | None = Field(description="Seconds of training, likewise.")
    solved_steps: list[int] | None = Field(
        None, description="Steps at which the seeds that solved it did so, ascending; null: not kept."
    )
    seconds: float = Field(description="Processor seconds of a whole training.")
    policy: PolicyChoice | None = Field(
        None,
        description="`latest`: the returns are those of the last policies, measured before the preset evaluated its "
        "policy and kept the best one; null: of the policies that the preset keeps.",
    )
    specification: str | None = Field(
        None,
        description="The file whose experiment measured it, for `GET /presets/specifications/{name}`; null: none did.",
    )


class MeasuredCurve(LazyModel):
    """The learning curve of the seeds that a preset was measured with. Lists over ``step``, of some sixty points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Literal["training", "evaluation"] = Field(
        description="Of moving averages of 20 episodes in training, or of greedy evaluations."
    )
    shows: Literal["iqm", "quartiles"] = Field(
        description="iqm: the interquartile mean over the seeds with its 95 % bootstrap interval; quartiles: their "
        "median between their quartiles, of figures that are older than experiments."
    )
    step: list[float]
    middle: list[float]
    low: list[float | None] = Field(description="Null where one seed alone has a value.")
    high: list[float | None]


OWN = "own-"
"""What the id of a user's own preset begins with, so that it is never that of another."""

OwnPresetId = Annotated[str, Field(pattern=r"^own-[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$")]
PresetTitle = Annotated[str, Field(min_length=1, max_length=60, pattern=r"[A-Za-z0-9]")]


class OwnPreset(_Values):
    """A preset of the user's own, kept from a variant of an experiment, with what that experiment measured."""

    schema_version: Literal[1] = 1
    id: OwnPresetId
    title: PresetTitle
    environment: str
    measured: MeasuredPreset | None = Field(
        None,
        description="`solved` counts seeds that reached the threshold while they trained or with their score, `held` "
        "scores at the threshold.",
    )
    curve: MeasuredCurve | None = Field(None, description="The learning curve of its seeds.")
    experiment_id: str | None = Field(None, description="The experiment that it was kept from.")
    created_at: Instant

    @property
    def curve_id(self) -> str | None:
        """Another for each preset that was ever kept, also under the same title; None without a curve."""
        return None if self.curve is None else f"{self.id}.{self.created_at.timestamp():.0f}"


def own_preset_id(title: str) -> str:
    """For instance ``own-my-pendulum`` of “My Pendulum!”."""
    return OWN + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")


def is_built_in_title(title: str) -> bool:
    """Whether a preset of that title would be taken for one of ours: “fast!” is “Fast”."""
    return own_preset_id(title).removeprefix(OWN) in set(PresetId)
