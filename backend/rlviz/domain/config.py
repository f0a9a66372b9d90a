"""RunConfig: all that is needed to repeat a run, written once to ``config.json``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.limits import DEFAULT_FILM, DEFAULT_PERIODIC_EPISODES, LIMITS, MAX_TIMESTEPS
from rlviz.domain.times import Instant

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
RunName = Annotated[str, Field(min_length=LIMITS.run_name.minimum, max_length=LIMITS.run_name.maximum, pattern=r"\S")]


class CheckpointPolicy(BaseModel):
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


class EvaluationPlan(BaseModel):
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
        description="End training after this many evaluations in a row that reach the reward threshold; null: never.",
    )


class RunConfig(BaseModel):
    """The validated configuration of one run. Immutable: labels that change live elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    run_id: str
    name: RunName
    created_at: Instant
    algo: str
    env_id: str
    env_options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Options of the environment; what is left out has its default."
    )
    custom_environment: CustomEnvironment | None = Field(
        None, description="Where a custom environment is, and its spaces; null for one of the registry."
    )
    preset: str | None
    seed: Seed
    total_timesteps: TotalTimesteps
    hyperparameters: dict[str, JsonValue]
    checkpoints: CheckpointPolicy = CheckpointPolicy()
    evaluation: EvaluationPlan = EvaluationPlan()
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

    @model_validator(mode="before")
    @classmethod
    def _read_former_names(cls, values: object) -> object:
        """Version 0.1.0 called a custom environment ``own_environment``."""
        if isinstance(values, dict) and "own_environment" in values:
            values = {**values}
            values["custom_environment"] = values.pop("own_environment")
        return values
