"""What goes over the wire. The TypeScript types are generated from these."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from rlviz.domain.config import RunConfig, RunName, Seed, TotalTimesteps
from rlviz.domain.evaluation import (
    DEFAULT_EPISODES,
    DEFAULT_EVALUATION_SEED,
    Episodes,
    EvaluationStatus,
    EvaluationSummary,
)
from rlviz.domain.records import MetricRecord
from rlviz.domain.status import RunStatus
from rlviz.domain.times import Instant


class Wire(BaseModel):
    model_config = ConfigDict(frozen=True)


class Body(BaseModel):
    """A request body: unknown fields are an error, not ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# Problems (RFC 9457)


class ProblemField(Wire):
    pointer: str = Field(description="JSON pointer to the bad field, for instance /seed.")
    detail: str


class Problem(Wire):
    """RFC 9457, sent as application/problem+json."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[ProblemField] = []


# Service


class Health(Wire):
    status: Literal["ok"] = "ok"
    version: str
    launcher: str
    active_runs: int = Field(description="Runs with a worker.")
    queued_runs: int
    max_concurrent_runs: int
    free_disk_bytes: int = Field(description="Free space where the runs folder lies.")


# What can be chosen


class HyperparameterField(Wire):
    name: str
    type: Literal["integer", "number", "boolean", "string", "array"]
    default: JsonValue
    nullable: bool
    minimum: float | None
    maximum: float | None
    exclusive_minimum: float | None
    exclusive_maximum: float | None
    choices: list[str] | None
    help: str


class PresetInfo(Wire):
    id: str
    title: str
    summary: str
    total_timesteps: int
    hyperparameters: dict[str, JsonValue] = Field(description="Every hyperparameter, with the preset's values.")


class Bounds(Wire):
    minimum: int
    maximum: int


class AlgorithmInfo(Wire):
    id: str
    name: str
    title: str
    summary: str
    action_spaces: list[str]
    hyperparameters: list[HyperparameterField]
    presets: list[PresetInfo]
    total_timesteps: Bounds
    seed: Bounds


class SpaceInfo(Wire):
    kind: str
    shape: list[int]
    n: int | None
    labels: list[str]


class EnvironmentInfo(Wire):
    id: str
    name: str
    family: str
    family_title: str
    summary: str
    observation_space: SpaceInfo
    action_space: SpaceInfo
    reward_threshold: float | None
    max_episode_steps: int | None
    render_fps: int = Field(description="Frames a second of its videos.")
    algorithms: list[str] = Field(description="Ids of the algorithms that can train on it.")
    presets: dict[str, list[PresetInfo]] = Field(description="Presets by algorithm, as they apply here.")


# Runs


class RunCreate(Body):
    algo: str = Field(max_length=100)
    env_id: str = Field("CartPole-v1", max_length=100)
    preset: str | None = Field("fast", max_length=100, description="null: the algorithm's defaults.")
    seed: Seed | None = Field(None, description="null: drawn by the service.")
    total_timesteps: TotalTimesteps | None = Field(None, description="null: the preset's.")
    name: RunName | None = None
    hyperparameters: dict[str, JsonValue] = Field(default={}, description="Overrides of the preset's values.")
    start: bool = False


Tag = Annotated[str, Field(min_length=1, max_length=40, pattern=r"\S")]


class RunPatch(Body):
    """Fields that are left out stay as they are."""

    name: RunName = ""
    tags: list[Tag] = Field([], max_length=20)
    notes: str = Field("", max_length=10_000)


class Run(Wire):
    id: str
    name: str
    algo: str
    env_id: str
    preset: str | None
    seed: int
    total_timesteps: int
    status: RunStatus
    cause: str | None = Field(description="Why it failed or was interrupted.")
    traceback: str | None = Field(description="The last lines of it, for a run that failed.")
    created_at: Instant
    queued_at: Instant | None
    started_at: Instant | None
    ended_at: Instant | None
    step: int = Field(description="Environment steps done.")
    episodes: int = Field(description="Episodes finished.")
    ep_rew_mean: float | None = Field(description="Mean return of the last 100 episodes.")
    ep_len_mean: float | None = Field(description="Mean length of the last 100 episodes.")
    fps: float | None = Field(description="Environment steps a second, lately.")
    policy_step: int | None = Field(description="Step of the newest policy on disk.")
    queue_position: int | None = Field(description="Place in the queue, from 1, while queued.")
    warnings: int
    last_warning: str | None
    tags: list[str]
    notes: str


class Evaluation(Wire):
    id: str
    run_id: str
    status: EvaluationStatus
    cause: str | None
    created_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    episodes: int = Field(description="Episodes asked for.")
    seed: int = Field(description="Seed of the first episode; each next one adds 1.")
    deterministic: bool
    checkpoint_step: int | None = Field(description="Training step of the policy that was evaluated.")
    episodes_done: int
    summary: EvaluationSummary | None
    video_url: str | None = Field(description="null before there is a video, and once it was retired.")


class RunDetail(Run):
    config: RunConfig
    latest_evaluation: Evaluation | None


class RunPage(Wire):
    runs: list[Run]
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last.")
    total: int = Field(description="Runs that match, on all pages.")


class EvaluationCreate(Body):
    episodes: Episodes = DEFAULT_EPISODES
    seed: Seed = Field(DEFAULT_EVALUATION_SEED, description="Seed of the first episode; each next one adds 1.")
    deterministic: bool = Field(True, description="Take the most likely action instead of sampling.")


# Metrics


class MetricRows(Wire):
    run_id: str
    rows: list[MetricRecord]
    broken_lines: int = Field(description="Lines among these that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these rows.")


class MetricCurve(Wire):
    x: list[float]
    y: list[float | None] = Field(description="null is a gap.")
    count: int = Field(description="Points before thinning.")


class MetricCurves(Wire):
    run_id: str
    x: Literal["step", "time"]
    series: dict[str, MetricCurve]
    broken_lines: int = Field(description="Lines of the journal that are no records and were left out.")
    cursor: str = Field(description="Stream position just after these points.")


# Comparison


class ComparedRun(Wire):
    run: Run
    y: list[float | None] = Field(description="Moving average of the return on the common steps; null outside.")
    episodes: int
    best_moving_average: float | None
    best_moving_average_step: int | None
    final_moving_average: float | None
    steps_to_threshold: int | None
    seconds_to_threshold: float | None = Field(description="Seconds of training.")
    stability: float | None = Field(description="Standard deviation of the last 20 returns.")


class ConfigDifference(Wire):
    path: str = Field(description="JSON pointer into config.json.")
    values: dict[str, JsonValue] = Field(description="Value by run id; a run without this setting is left out.")


class Comparison(Wire):
    threshold: float | None
    window: int
    steps: list[float] = Field(description="Common grid of environment steps.")
    runs: list[ComparedRun]
    config_diff: list[ConfigDifference]


# Server-sent events


class MetricsEventData(Wire):
    """`event: metrics`: every row that is new. Carries an `id`, to resume from."""

    run_id: str
    rows: list[MetricRecord]


class StatusEventData(Wire):
    """`event: status`: at the beginning, at each change, and with progress once a second."""

    run: Run


class EvaluationEventData(Wire):
    """`event: evaluation`: an evaluation was asked for, has gone on, or ended."""

    evaluation: Evaluation


class EndEventData(Wire):
    """`event: end`: the run has ended, or was deleted, and all its rows were delivered."""

    run_id: str
    status: Literal["completed", "stopped", "failed", "interrupted", "deleted"]


STREAM_EVENTS: dict[str, type[BaseModel]] = {
    "metrics": MetricsEventData,
    "status": StatusEventData,
    "evaluation": EvaluationEventData,
    "end": EndEventData,
}
