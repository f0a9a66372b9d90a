"""RunConfig: all that is needed to repeat a run, written once to ``config.json``.

CheckpointPlan: how often a run's policy is saved, and how many copies are kept.

EvaluationPlan: how often a run's greedy policy is evaluated while it trains.

SnapshotPlan: when everything that training is gets saved, and how much of that is kept.

RunActor: who plays the episodes of a run.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar, Self

from pydantic import ConfigDict, Field, JsonValue, ValidationInfo, field_validator, model_validator

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.ids import Instant
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import (
    DEFAULT_FILM,
    DEFAULT_PERIODIC_EPISODES,
    DEFAULT_SNAPSHOT_SECONDS,
    DEFAULT_SNAPSHOTS_KEPT,
    LIMITS,
    MAX_TIMESTEPS,
)
from rlviz.domain.metrics import MAX_STEP
from rlviz.domain.rules import Rules
from rlviz.domain.versions import CONFIG, Format, VersionedDocument, version_field


class CheckpointPlan(LazyModel):
    """When a running policy is saved: every N steps or M seconds, whichever comes first."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    every_steps: int = Field(
        default=25_000, ge=100, le=MAX_TIMESTEPS, description="Environment steps between checkpoints."
    )
    every_seconds: float = Field(default=30.0, ge=1, le=86_400, description="Seconds between checkpoints.")
    keep: int = Field(default=3, ge=1, le=100, description="Newest checkpoints kept on disk.")
    film: int = Field(
        default=DEFAULT_FILM,
        ge=LIMITS.film.minimum,
        le=LIMITS.film.maximum,
        description="Policies kept for the filmstrip, weights alone, from the first to the last; 0: none.",
    )


class EvaluationPlan(LazyModel):
    """Periodic evaluation of the greedy policy while a run trains; the best policy is kept."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    every_steps: int | None = Field(
        None,
        ge=LIMITS.periodic_every_steps.minimum,
        le=LIMITS.periodic_every_steps.maximum,
        description="Environment steps between evaluations; null: none.",
    )
    episodes: int = Field(
        DEFAULT_PERIODIC_EPISODES,
        ge=LIMITS.periodic_episodes.minimum,
        le=LIMITS.periodic_episodes.maximum,
        description="Episodes of each evaluation.",
    )
    stop_after: int | None = Field(
        None,
        ge=LIMITS.periodic_stop_after.minimum,
        le=LIMITS.periodic_stop_after.maximum,
        description="End training after this many evaluations in a row that reach the reward threshold, once the best "
        "policy has reached it on fresh episodes too; null: never.",
    )


class SnapshotPlan(LazyModel):
    """When everything that training is gets saved, so that it can go on from there: every N steps or M seconds,
    whichever comes first, and at the end. With neither, none is taken by itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    every_steps: int | None = Field(
        default=None,
        ge=LIMITS.snapshot_every_steps.minimum,
        le=LIMITS.snapshot_every_steps.maximum,
        description="Environment steps between snapshots; null: by time alone.",
    )
    every_seconds: float | None = Field(
        default=float(DEFAULT_SNAPSHOT_SECONDS),
        ge=LIMITS.snapshot_every_seconds.minimum,
        le=LIMITS.snapshot_every_seconds.maximum,
        description="Seconds between snapshots; null: by steps alone.",
    )
    keep: int = Field(
        default=DEFAULT_SNAPSHOTS_KEPT,
        ge=LIMITS.snapshots_kept.minimum,
        le=LIMITS.snapshots_kept.maximum,
        description="Newest snapshots kept; those with a name stay anyway.",
    )
    max_bytes: int | None = Field(
        default=None,
        ge=LIMITS.snapshot_bytes.minimum,
        le=LIMITS.snapshot_bytes.maximum,
        description="What the snapshots of the run may take together; the newest and those with a name stay anyway. "
        "null: what RLVIZ_SNAPSHOT_BYTES says when the run is created.",
    )

    @property
    def is_on(self) -> bool:
        """Whether any is taken without being asked for."""
        return self.every_steps is not None or self.every_seconds is not None

    def within(self, max_bytes: int) -> Self:
        """With ``max_bytes``, unless it says otherwise."""
        return self if self.max_bytes is not None else self.model_copy(update={"max_bytes": max_bytes})


class RunActor(StrEnum):
    POLICY = "policy"  # one that learns meanwhile: the run has an algorithm
    RANDOM = "random"  # chance: each action is drawn from the action space
    HUMAN = "human"  # a person at the keys, on the Play page
    FOREIGN = "foreign"  # a program that is not this one: it tells what it does, and takes no orders

    @property
    def is_guest(self) -> bool:
        """Whether its runs are written by somebody whom the service did not launch to train, and does not steer."""
        return self in (RunActor.HUMAN, RunActor.FOREIGN)


def actor_of(algo: str) -> RunActor:
    """Who plays the runs of an ``algo`` that this program trains: where nothing learns, the actor is in its place."""
    return RunActor(algo) if algo in (RunActor.RANDOM, RunActor.HUMAN) else RunActor.POLICY


TotalTimesteps = Annotated[
    int,
    Field(
        ge=LIMITS.total_timesteps.minimum,
        le=LIMITS.total_timesteps.maximum,
        strict=True,
        description="Environment steps to train for. PPO finishes its rollout: up to n_steps × n_envs − 1 more.",
    ),
]
Seed = Annotated[
    int,
    Field(
        ge=LIMITS.seed.minimum,
        le=LIMITS.seed.maximum,
        strict=True,
        description="Seeds Python, NumPy, torch, the environments and the action space.",
    ),
]
RecordedSeed = Annotated[
    int, Field(ge=0, le=MAX_STEP, strict=True, description="Seed; that of a program of the user's own may be any.")
]
RunName = Annotated[str, Field(min_length=LIMITS.run_name.minimum, max_length=LIMITS.run_name.maximum, pattern=r"\S")]


class LastEpisode(LazyModel):
    """An episode that ended before a fork; null: not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode_return: float | None
    length: float | None


class Parent(LazyModel):
    """Where a fork left the run that it was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    snapshot: str = Field(
        description="Name of the snapshot that it begins from, or from which the parent was trained again; `0` where "
        "the parent had none so early, and was trained again from its beginning."
    )
    step: int = Field(ge=0, description="Environment steps that the parent had done where the fork begins.")
    changed: list[str] = Field(
        default_factory=list,
        description="Hyperparameters, and options of the environment, that differ from what the parent trained with "
        "where the fork begins.",
    )
    in_force: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Hyperparameters that people and rules had changed while the parent trained, as they were where "
        "the fork begins; the others were as the parent was configured.",
    )
    environments_anew: bool = Field(
        default=False, description="Whether environments and generators begin anew instead of going on."
    )
    last_episodes: list[LastEpisode] | None = Field(
        default=None,
        description="The parent's last 100 episodes before the fork, oldest first, from which means over 100 episodes "
        "go on; none where the fork has other options of the environment. null: made by an older version.",
    )


class ExperimentPlace(LazyModel):
    """Which trial of which experiment a run is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(description="Of the experiment.")
    variant: str = Field(description="Id of the variant.")
    trial: int = Field(ge=0)


class RunConfig(VersionedDocument):
    """The validated configuration of one run. Immutable: labels that change live elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: ClassVar[Format] = CONFIG

    schema_version: int = version_field(CONFIG)
    run_id: str
    name: RunName
    created_at: Instant
    actor: RunActor = Field(RunActor.POLICY, description="Who plays its episodes.")
    algo: str = Field(
        description="What its policy learns by; of chance or a person, that actor; of a foreign run, as it says."
    )
    env_id: str
    env_options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Options of the environment; what is left out has its default."
    )
    custom_environment: CustomEnvironment | None = Field(
        None, description="Where a custom environment is, and its spaces; null for one of the registry."
    )
    preset: str | None
    seed: RecordedSeed
    total_timesteps: int = Field(
        ge=0,
        le=MAX_STEP,
        strict=True,
        description="Environment steps to train for; 0: a foreign run did not say.",
    )
    hyperparameters: dict[str, JsonValue]
    checkpoints: CheckpointPlan = CheckpointPlan()
    evaluation: EvaluationPlan = EvaluationPlan()
    snapshots: SnapshotPlan = SnapshotPlan()
    rules: Rules = Field(
        default=(), description="What it shall do by itself; rules.json has others once they were changed."
    )
    anatomy: bool = Field(
        default=False,
        strict=True,
        description="Look into an update now and then: advantages, ratios, errors, weights and gradients.",
    )
    torch_threads: int = Field(
        default=1,
        ge=1,
        le=64,
        strict=True,
        description="Threads torch may use. More than one slows small networks down.",
    )
    versions: dict[str, str] = Field(default_factory=dict, description="Installed version by package name.")
    git_revision: str | None = None
    parent: Parent | None = Field(None, description="The run that this one was forked from; null: none.")
    imported_from: str | None = Field(
        None, max_length=200, description="What it was imported from, in words; null: it was not."
    )
    imported_digest: str | None = Field(
        None, max_length=64, description="SHA-256 of the curves that were imported, by which they are known again."
    )
    group_id: str | None = Field(
        None,
        description="Id of the run that it repeats with another seed: that of their group; null: it repeats none.",
    )

    experiment: ExperimentPlace | None = Field(None, description="The trial that it is; null: of no experiment.")

    @model_validator(mode="after")
    def _check_actor(self) -> Self:
        if self.actor is RunActor.FOREIGN:
            return self
        if self.actor is not actor_of(self.algo):
            raise ValueError(f"The actor of a run of {self.algo!r} is {actor_of(self.algo).value!r}.")
        return self

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, value: int, info: ValidationInfo) -> int:
        """Foreign runs have whatever seed their programs draw."""
        if info.data.get("actor") is not RunActor.FOREIGN and value > LIMITS.seed.maximum:
            raise ValueError(f"The seed of a run of this app is at most {LIMITS.seed.maximum:,}.")
        return value

    @field_validator("total_timesteps")
    @classmethod
    def _check_length(cls, value: int, info: ValidationInfo) -> int:
        """Foreign runs are as long as their programs make them."""
        bounds = LIMITS.total_timesteps
        if info.data.get("actor") is not RunActor.FOREIGN and not bounds.minimum <= value <= bounds.maximum:
            raise ValueError(f"A run of this app takes {bounds.minimum:,} to {bounds.maximum:,} steps.")
        return value
