"""RunConfig: everything needed to repeat a run, written once to ``config.json``.

The plans in it say how often a run saves checkpoints, evaluates its policy and takes snapshots.
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
from rlviz.domain.reward_plan import RewardPlan
from rlviz.domain.rules import Rules
from rlviz.domain.versions import CONFIG, Format, VersionedDocument, version_field


class CheckpointPlan(LazyModel):
    """When a run saves its policy: every N steps or M seconds, whichever comes first."""

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
        description="Policies kept for the filmstrip (weights only), spread over the whole run; 0: none.",
    )


class EvaluationPlan(LazyModel):
    """Periodic evaluation of the policy while a run trains; the best policy is kept."""

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
    deterministic: bool | None = Field(
        None,
        exclude_if=lambda deterministic: deterministic is None,
        description="Take the most likely actions; false: sample them, for environments in which a greedy policy "
        "repeats itself. The app then also shows policies of the run with sampled actions, unless asked otherwise. "
        "null: as in the preset's plan, or else true.",
    )
    stop_after: int | None = Field(
        None,
        ge=LIMITS.periodic_stop_after.minimum,
        le=LIMITS.periodic_stop_after.maximum,
        description="End training after this many evaluations in a row that reach the reward threshold, once the best "
        "policy has reached it on fresh episodes too; null: never.",
    )

    @property
    def is_greedy(self) -> bool:
        """Whether policies take their most likely actions; the plan of a run is complete."""
        return self.deterministic is not False


class SnapshotPlan(LazyModel):
    """When a run saves a snapshot, its complete training state: every N steps or M seconds, whichever comes first, and
    at the end. With neither, only on request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    every_steps: int | None = Field(
        default=None,
        ge=LIMITS.snapshot_every_steps.minimum,
        le=LIMITS.snapshot_every_steps.maximum,
        description="Environment steps between snapshots; null: by time only.",
    )
    every_seconds: float | None = Field(
        default=float(DEFAULT_SNAPSHOT_SECONDS),
        ge=LIMITS.snapshot_every_seconds.minimum,
        le=LIMITS.snapshot_every_seconds.maximum,
        description="Seconds between snapshots; null: by steps only.",
    )
    keep: int = Field(
        default=DEFAULT_SNAPSHOTS_KEPT,
        ge=LIMITS.snapshots_kept.minimum,
        le=LIMITS.snapshots_kept.maximum,
        description="Newest snapshots kept; named snapshots always stay.",
    )
    max_bytes: int | None = Field(
        default=None,
        ge=LIMITS.snapshot_bytes.minimum,
        le=LIMITS.snapshot_bytes.maximum,
        description="Bytes that all snapshots of the run may use; the newest and named ones always stay. "
        "null: the value of RLVIZ_SNAPSHOT_BYTES when the run is created.",
    )

    @property
    def is_on(self) -> bool:
        """Whether the run takes snapshots without a request."""
        return self.every_steps is not None or self.every_seconds is not None

    def within(self, max_bytes: int) -> Self:
        """Return this plan with ``max_bytes`` as its limit, unless it has one."""
        return self if self.max_bytes is not None else self.model_copy(update={"max_bytes": max_bytes})


class ExplorationPlan(LazyModel):
    """How training makes the agent explore, and whether its map is kept. All of it is off by default."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    map: bool = Field(
        default=False,
        description="Record how often each cell of the environment is visited; on with `coverage`.",
    )
    coverage: float | None = Field(
        default=None,
        gt=LIMITS.coverage.minimum,
        le=LIMITS.coverage.maximum,
        description="Reward for the first visit to a cell in an episode, divided by the square root of the number of "
        "episodes that have visited it; episodes from the archive are counted separately. null: none.",
    )
    novelty: float | None = Field(
        default=None,
        gt=LIMITS.novelty.minimum,
        le=LIMITS.novelty.maximum,
        description="Reward for observations that a small network predicts badly (random network distillation), in "
        "an episode at most this share of the mean absolute return of the last 100 episodes, or of 1 if that is less; "
        "null: none.",
    )
    archive: float | None = Field(
        default=None,
        gt=LIMITS.archive.minimum,
        le=LIMITS.archive.maximum,
        exclude_if=lambda value: value is None,
        description="Probability that an episode of training begins in a cell that was visited before, chosen with a "
        "weight of 1/√(visits + 1), instead of the environment's own start; the map is on too. null: never.",
    )
    start_cell: int | None = Field(
        default=None,
        ge=0,
        exclude_if=lambda value: value is None,
        description="With `archive`: the only cell in which these episodes begin, as soon as training has visited it; "
        "null: in any visited cell.",
    )
    imitation: int | None = Field(
        default=None,
        ge=LIMITS.imitation.minimum,
        le=LIMITS.imitation.maximum,
        exclude_if=lambda value: value is None,
        description="Number of the best episodes that the policy learns from again after each update (self-imitation); "
        "PPO and A2C only. null: none.",
    )

    def __str__(self) -> str:
        """Return what is on, such as ``coverage 0.3, archive 0.5``; ``none`` if nothing is."""
        numbers = {name: getattr(self, name) for name in ("coverage", "archive", "novelty", "imitation")}
        parts = [f"{name} {value:g}" for name, value in numbers.items() if value is not None]
        if self.map and self.coverage is None and self.archive is None:
            parts.insert(0, "map")
        return ", ".join(parts) or "none"

    @property
    def is_on(self) -> bool:
        return self.changes_environments or self.imitation is not None

    @property
    def changes_environments(self) -> bool:
        """Whether visits are counted, rewards are added, or episodes begin in the archive."""
        return self.adds_reward or self.counts_visits

    @property
    def adds_reward(self) -> bool:
        """Whether training learns from more than the environment's own reward."""
        return self.coverage is not None or self.novelty is not None

    @property
    def counts_visits(self) -> bool:
        return self.map or self.coverage is not None or self.archive is not None


class RunActor(StrEnum):
    POLICY = "policy"  # a policy that learns: the run has an algorithm
    RANDOM = "random"  # each action is drawn from the action space
    HUMAN = "human"  # a person at the keyboard, on the Play page
    FOREIGN = "foreign"  # another program: it reports what it does, and cannot be controlled

    @property
    def is_guest(self) -> bool:
        """Whether someone other than the service's trainer writes these runs, so the service cannot control them."""
        return self in (RunActor.HUMAN, RunActor.FOREIGN)


def actor_of(algo: str) -> RunActor:
    """Return the actor of runs with ``algo``: where nothing learns, ``algo`` names the actor itself."""
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
RecordedSeed = Annotated[int, Field(ge=0, le=MAX_STEP, strict=True, description="Seed; foreign programs may use any.")]
RunName = Annotated[str, Field(min_length=LIMITS.run_name.minimum, max_length=LIMITS.run_name.maximum, pattern=r"\S")]


class LastEpisode(LazyModel):
    """An episode that ended before a fork; null: unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode_return: float | None
    length: float | None


class Parent(LazyModel):
    """Where a fork left its parent run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    snapshot: str = Field(
        description="Name of the snapshot that the fork starts from, or from which the parent is retrained; `0` if "
        "the parent has none that early and is retrained from the start."
    )
    step: int = Field(ge=0, description="Environment steps of the parent at the fork.")
    changed: list[str] = Field(
        default_factory=list,
        description="Hyperparameters and environment options that differ from those of the parent at the fork.",
    )
    in_force: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Hyperparameters that users and rules had changed while the parent trained, with their values at "
        "the fork; all others are as configured in the parent.",
    )
    environments_anew: bool = Field(
        default=False, description="Whether environments and random generators restart instead of continuing."
    )
    last_episodes: list[LastEpisode] | None = Field(
        default=None,
        description="The parent's last 100 episodes before the fork, oldest first, so that means over 100 episodes "
        "continue; empty if the fork changes environment options. null: an older version made the fork.",
    )


class ExperimentPlace(LazyModel):
    """The experiment, and the trial in it, that a run belongs to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(description="Id of the experiment.")
    variant: str = Field(description="Id of the variant.")
    trial: int = Field(ge=0)


class RunConfig(VersionedDocument):
    """The validated configuration of one run. Immutable: labels, which can change, are stored elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: ClassVar[Format] = CONFIG

    schema_version: int = version_field(CONFIG)
    run_id: str
    name: RunName
    created_at: Instant
    actor: RunActor = Field(RunActor.POLICY, description="Who plays the episodes.")
    algo: str = Field(description="Learning algorithm; for random and human runs the actor; foreign runs may name any.")
    env_id: str
    env_options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Options of the environment; missing ones have their defaults."
    )
    custom_environment: CustomEnvironment | None = Field(
        None, description="Location and spaces of a custom environment; null: a registered one."
    )
    preset: str | None
    seed: RecordedSeed
    total_timesteps: int = Field(
        ge=0,
        le=MAX_STEP,
        strict=True,
        description="Environment steps to train for; 0: unknown, for a foreign run.",
    )
    hyperparameters: dict[str, JsonValue]
    checkpoints: CheckpointPlan = CheckpointPlan()
    evaluation: EvaluationPlan = EvaluationPlan()
    snapshots: SnapshotPlan = SnapshotPlan()
    rules: Rules = Field(default=(), description="Automatic actions; once you change them, rules.json replaces them.")
    anatomy: bool = Field(
        default=False,
        strict=True,
        description="Record some updates in detail: advantages, ratios, errors, weights and gradients.",
    )
    exploration: ExplorationPlan | None = Field(
        default=None,
        exclude_if=lambda plan: plan is None,
        description="Rewards for exploration, and the map; null or missing: none.",
    )
    reward: RewardPlan | None = Field(
        default=None,
        exclude_if=lambda plan: plan is None,
        description="Weights and caps of the reward's components in training; null or missing: none.",
    )
    torch_threads: int = Field(
        default=1,
        ge=1,
        le=64,
        strict=True,
        description="Threads that torch uses. More than one slows down small networks.",
    )
    versions: dict[str, str] = Field(default_factory=dict, description="Installed version by package name.")
    git_revision: str | None = None
    parent: Parent | None = Field(None, description="The run that this one was forked from; null: not a fork.")
    imported_from: str | None = Field(
        None, max_length=200, description="Description of the import source; null: not imported."
    )
    imported_digest: str | None = Field(
        None, max_length=64, description="SHA-256 of the imported curves, to detect repeated imports."
    )
    group_id: str | None = Field(
        None,
        description="Id of the group: that of the run which this one repeats with another seed; null: none.",
    )

    experiment: ExperimentPlace | None = Field(None, description="Its trial; null: not part of an experiment.")

    @property
    def has_own_code(self) -> bool:
        """Whether its environment is a class of the user's."""
        return self.custom_environment is not None and self.custom_environment.has_code

    @model_validator(mode="after")
    def _check_actor(self) -> Self:
        if self.actor is RunActor.FOREIGN:
            return self
        if self.actor is not actor_of(self.algo):
            raise ValueError(f"A run of {self.algo!r} must have the actor {actor_of(self.algo).value!r}.")
        return self

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, value: int, info: ValidationInfo) -> int:
        """Check the bound on seeds. Foreign runs may have any seed."""
        if info.data.get("actor") is not RunActor.FOREIGN and value > LIMITS.seed.maximum:
            raise ValueError(f"The seed of a run must be at most {LIMITS.seed.maximum:,}.")
        return value

    @field_validator("total_timesteps")
    @classmethod
    def _check_length(cls, value: int, info: ValidationInfo) -> int:
        """Check the bounds on the length. Foreign runs may have any length."""
        bounds = LIMITS.total_timesteps
        if info.data.get("actor") is not RunActor.FOREIGN and not bounds.minimum <= value <= bounds.maximum:
            raise ValueError(f"A run must train for {bounds.minimum:,} to {bounds.maximum:,} steps.")
        return value
