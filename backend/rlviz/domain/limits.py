"""The limits on user input, in one place: requests are validated against them, and the API serves them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to, validation_text
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.metrics import MAX_STEP


class Bounds(LazyModel):
    """The smallest and largest allowed value: characters for text, elements for lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimum: int
    maximum: int
    default: int | None = Field(None, description="Default value; null: no fixed default.")


class RealBounds(LazyModel):
    """The bounds of a real number; the minimum itself is not allowed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimum: float
    maximum: float
    default: float = Field(description="Value that forms begin with.")


class RealRange(LazyModel):
    """The smallest and largest allowed value of a real number that may be left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimum: float
    maximum: float
    excludes_minimum: bool = Field(False, description="Whether the minimum itself is not allowed.")


class Limits(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    run_name: Bounds = Field(description="Characters of a run's name.")
    choice: Bounds = Field(description="Characters of the name of an algorithm, an environment, or a preset.")
    tag: Bounds = Field(description="Characters of a tag.")
    tags: Bounds = Field(description="Tags of a run.")
    notes: Bounds = Field(description="Characters of a run's notes.")
    search: Bounds = Field(description="Characters of a search text for runs.")
    runs_per_page: Bounds = Field(description="Runs on one page of the list.")
    experiments_per_page: Bounds = Field(description="Experiments on one page of the list.")
    group_seeds: Bounds = Field(description="Runs that one request starts, one per seed.")
    experiment_seeds: Bounds = Field(description="Seeds of each variant of an experiment.")
    verdict_seeds: Bounds = Field(description="Seeds of each variant that a verdict needs to call one better.")
    sweep_trials: Bounds = Field(description="Trials of a search.")
    sweep_seeds: Bounds = Field(description="Seeds of each trial of a search.")
    experiment_parallel: Bounds = Field(description="Runs of an experiment that train at once.")
    experiment_retries: Bounds = Field(description="Retries of a failed trial.")
    scored_episodes: Bounds = Field(description="Episodes that give a trial of an experiment its score.")
    seed: Bounds = Field(description="Seeds of training and of evaluation; `default` is that of evaluation.")
    total_timesteps: Bounds = Field(description="Environment steps to train for.")
    evaluation_episodes: Bounds = Field(description="Episodes of a requested evaluation.")
    periodic_every_steps: Bounds = Field(description="Environment steps between evaluations while training.")
    periodic_episodes: Bounds = Field(description="Episodes of each evaluation while training.")
    periodic_stop_after: Bounds = Field(description="Consecutive evaluations at the threshold that end training.")
    snapshot_every_steps: Bounds = Field(description="Environment steps between snapshots.")
    snapshot_every_seconds: Bounds = Field(description="Seconds between snapshots.")
    snapshots_kept: Bounds = Field(description="Newest snapshots of a run that are kept.")
    snapshot_bytes: Bounds = Field(description="Bytes of all snapshots of a run.")
    film: Bounds = Field(description="Policies kept for the filmstrip of a run.")
    found_episodes: Bounds = Field(description="Episodes in one search result.")
    episode_search: Bounds = Field(description="Characters of a search for episodes.")
    compared_runs: Bounds = Field(description="Runs in one comparison.")
    compared_metrics: Bounds = Field(description="Metrics besides the return in one comparison.")
    average_window: Bounds = Field(description="Episodes in the moving average of a comparison.")
    comparison_points: Bounds = Field(description="Points of each curve in a comparison.")
    curve_points: Bounds = Field(description="Points of each curve of a run's metrics.")
    anatomy_updates: Bounds = Field(description="Updates in one anatomy response.")
    analytics_by: Bounds = Field(description="Settings that runs are grouped by.")
    query: Bounds = Field(description="Characters of a query in SQL.")
    query_rows: Bounds = Field(description="Rows in a query result.")
    exported_runs: Bounds = Field(description="Runs in one export.")
    import_bytes: Bounds = Field(description="Bytes of an uploaded import file.")
    snapshot_name: Bounds = Field(description="Characters of a snapshot's name.")
    variant_name: Bounds = Field(description="Characters of the name of a variant of an experiment.")
    coverage: RealBounds = Field(description="Reward for the first visit to a cell in an episode.")
    novelty: RealBounds = Field(description="Largest share of the return that novelty adds to an episode.")
    reward_weight: RealRange = Field(description="Factor of a component of the reward in training.")
    reward_cap: RealRange = Field(description="Limit of a component's sum in an episode of training.")
    imitation: Bounds = Field(description="Number of the best episodes that self-imitation keeps.")
    archive: RealBounds = Field(description="Probability that an episode of training begins in the archive.")
    game_name: str = Field(
        description="Regular expression for the names of taps and reward components of a Game Boy game of the user's."
    )
    game_taps: Bounds = Field(description="Taps of such a game.")
    game_expression: Bounds = Field(description="Characters of an expression over its taps.")
    game_frame_skip: Bounds = Field(description="Frames of one of its steps.")
    game_search: Bounds = Field(description="Number that a search of its memory compares with.")
    tap_bytes: Bounds = Field(description="Bytes of a tap of decimal digits.")
    tap_bit: Bounds = Field(description="Number of the bit of a tap of one bit, from the lowest.")


MAX_TIMESTEPS = 10_000_000

DEFAULT_EPISODES = 5
DEFAULT_EVALUATION_SEED = 1_000_000
"""Evaluations play the same episodes by default, so that policies can be compared. The seed is far from the small seeds
that people train with."""

LEAST_VERDICT_SEEDS = 5
"""With fewer seeds, intervals are too often wrong (docs/experiments.md)."""

DEFAULT_EXPERIMENTS_PER_PAGE = 100
DEFAULT_EXPERIMENT_SEEDS = 5
DEFAULT_SWEEP_TRIALS = 20
DEFAULT_SCORED_EPISODES = 20
DEFAULT_RETRIES = 1
DEFAULT_PERIODIC_EPISODES = 10
DEFAULT_FILM = 40
DEFAULT_SNAPSHOT_SECONDS = 60
DEFAULT_SNAPSHOTS_KEPT = 3
DEFAULT_SNAPSHOT_BYTES = 2_000_000_000
DEFAULT_RUNS_PER_PAGE = 50
DEFAULT_FOUND_EPISODES = 100
DEFAULT_WINDOW = 20
DEFAULT_COMPARISON_POINTS = 1_000
DEFAULT_CURVE_POINTS = 2_000
DEFAULT_UPDATES = 100
DEFAULT_QUERY_ROWS = 1_000
DEFAULT_FRAME_SKIP = 24

LIMITS = Limits(
    run_name=Bounds(minimum=1, maximum=120),
    choice=Bounds(minimum=1, maximum=100),
    tag=Bounds(minimum=1, maximum=40),
    tags=Bounds(minimum=0, maximum=20),
    notes=Bounds(minimum=0, maximum=10_000),
    search=Bounds(minimum=0, maximum=200),
    runs_per_page=Bounds(minimum=1, maximum=500, default=DEFAULT_RUNS_PER_PAGE),
    experiments_per_page=Bounds(minimum=1, maximum=500, default=DEFAULT_EXPERIMENTS_PER_PAGE),
    seed=Bounds(minimum=0, maximum=2**31 - 1, default=DEFAULT_EVALUATION_SEED),
    group_seeds=Bounds(minimum=1, maximum=50),
    experiment_seeds=Bounds(minimum=1, maximum=1_000, default=DEFAULT_EXPERIMENT_SEEDS),
    verdict_seeds=Bounds(minimum=LEAST_VERDICT_SEEDS, maximum=1_000),
    sweep_trials=Bounds(minimum=1, maximum=1_000, default=DEFAULT_SWEEP_TRIALS),
    sweep_seeds=Bounds(minimum=1, maximum=20, default=1),
    experiment_parallel=Bounds(minimum=1, maximum=256),
    experiment_retries=Bounds(minimum=1, maximum=10, default=DEFAULT_RETRIES),
    scored_episodes=Bounds(minimum=1, maximum=1_000, default=DEFAULT_SCORED_EPISODES),
    total_timesteps=Bounds(minimum=100, maximum=MAX_TIMESTEPS),
    evaluation_episodes=Bounds(minimum=1, maximum=100, default=DEFAULT_EPISODES),
    periodic_every_steps=Bounds(minimum=100, maximum=MAX_TIMESTEPS),
    periodic_episodes=Bounds(minimum=1, maximum=100, default=DEFAULT_PERIODIC_EPISODES),
    periodic_stop_after=Bounds(minimum=1, maximum=100),
    snapshot_every_steps=Bounds(minimum=100, maximum=MAX_TIMESTEPS),
    snapshot_every_seconds=Bounds(minimum=1, maximum=86_400, default=DEFAULT_SNAPSHOT_SECONDS),
    snapshots_kept=Bounds(minimum=1, maximum=100, default=DEFAULT_SNAPSHOTS_KEPT),
    snapshot_bytes=Bounds(minimum=1_000_000, maximum=10**15),
    film=Bounds(minimum=0, maximum=1_000, default=DEFAULT_FILM),
    found_episodes=Bounds(minimum=1, maximum=1_000, default=DEFAULT_FOUND_EPISODES),
    episode_search=Bounds(minimum=0, maximum=1_000),
    compared_runs=Bounds(minimum=1, maximum=100),
    compared_metrics=Bounds(minimum=0, maximum=20),
    average_window=Bounds(minimum=1, maximum=1_000, default=DEFAULT_WINDOW),
    comparison_points=Bounds(minimum=4, maximum=5_000, default=DEFAULT_COMPARISON_POINTS),
    curve_points=Bounds(minimum=4, maximum=100_000, default=DEFAULT_CURVE_POINTS),
    anatomy_updates=Bounds(minimum=2, maximum=500, default=DEFAULT_UPDATES),
    analytics_by=Bounds(minimum=1, maximum=2),
    query=Bounds(minimum=1, maximum=20_000),
    query_rows=Bounds(minimum=1, maximum=10_000, default=DEFAULT_QUERY_ROWS),
    exported_runs=Bounds(minimum=1, maximum=500),
    import_bytes=Bounds(minimum=1, maximum=1_000_000_000),
    snapshot_name=Bounds(minimum=1, maximum=60),
    variant_name=Bounds(minimum=1, maximum=100),
    coverage=RealBounds(minimum=0, maximum=100, default=0.1),
    novelty=RealBounds(minimum=0, maximum=10, default=0.5),
    reward_weight=RealRange(minimum=0, maximum=1_000),
    reward_cap=RealRange(minimum=0, maximum=1e9, excludes_minimum=True),
    imitation=Bounds(minimum=1, maximum=100, default=10),
    archive=RealBounds(minimum=0, maximum=1, default=0.3),
    game_name="^[a-z][a-z0-9_]{0,39}$",
    game_taps=Bounds(minimum=0, maximum=100),
    game_expression=Bounds(minimum=1, maximum=500),
    game_frame_skip=Bounds(minimum=1, maximum=60, default=DEFAULT_FRAME_SKIP),
    game_search=Bounds(minimum=-0xFFFF, maximum=0xFFFF),
    tap_bytes=Bounds(minimum=1, maximum=4),
    tap_bit=Bounds(minimum=0, maximum=7),
)


M = TypeVar("M", bound=BaseModel)


def check_fields(model: type[M], values: Mapping[str, JsonValue], *, kind: str, at: str) -> M:
    """Validate ``values`` as ``model``; missing fields get their defaults.

    Args:
        model: Model with one bounded field per allowed name.
        values: The user's values by name.
        kind: What a field is called in messages, such as "PPO hyperparameter".
        at: Member of the request that holds the values.

    Raises:
        UnknownName: A name is not a field.
        InvalidRequest: Values are invalid, with one FieldError each.
    """
    for name in values:
        if name not in model.model_fields:
            raise UnknownName(kind, name, model.model_fields, pointer_to(at, name[:80]))
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        problems = [FieldError(pointer_to(at, *item["loc"]), validation_text(item)) for item in error.errors()]
        names = ", ".join(str(item["loc"][0]) if item["loc"] else at for item in error.errors())
        raise InvalidRequest(f"Invalid {kind}: {names}.", problems) from error


def to_number(value: object) -> float | int | None:
    """Return ``value`` as a plain number that JSON can represent; None if it is not a number.

    Scalars of NumPy and torch count, and arrays of one element. An integer that float64 cannot represent exactly
    becomes a float, or infinity if it is too large.
    """
    if type(value) is float:
        return value
    if callable(item := getattr(value, "item", None)) and hasattr(value, "dtype"):
        try:
            value = item()
        except Exception:  # an array of several elements, or a type that refuses
            return None
    if isinstance(value, int):
        return int(value) if abs(value) <= MAX_STEP else _as_float(value)
    return _as_float(value) if isinstance(value, Real | Decimal) else None


def _as_float(value: Any) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception:  # third-party code may raise anything
        return None
