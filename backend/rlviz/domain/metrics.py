"""What the metrics are: the name of each in words, what it means, and how it is best drawn.

They stand in ``metrics.toml``, under the names that Stable-Baselines3 logs them by. A metric that only one algorithm
logs may be defined in that algorithm's file instead. One that is defined nowhere, of an environment or a script of the
user's own, is shown under its logged name.

The records of ``metrics.jsonl``, one in each line; and the names of the metrics that this product reads.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from rlviz.domain.ids import MAX_TIME
from rlviz.domain.lazy_model import LazyModel


class MetricGroup(StrEnum):
    EPISODES = "episodes"  # episodes of training
    EVALUATION = "evaluation"  # greedy evaluations during training
    EXPLORATION = "exploration"  # exploration
    POLICY = "policy"  # how the policy changes
    VALUE = "value"  # how well returns are predicted
    OPTIMIZER = "optimizer"  # settings and counts of the updates
    TIME = "time"  # speed


GROUP_TITLES = {
    MetricGroup.EPISODES: "Episodes",
    MetricGroup.EVALUATION: "Evaluation",
    MetricGroup.EXPLORATION: "Exploration",
    MetricGroup.POLICY: "Policy updates",
    MetricGroup.VALUE: "Value estimates",
    MetricGroup.OPTIMIZER: "Optimizer",
    MetricGroup.TIME: "Speed",
}


class MetricKind(StrEnum):
    MEASURED = "measured"  # noisy: smoothing helps
    SCHEDULE = "schedule"  # exact values, not measurements: often a straight line
    COUNT = "count"  # only increases


class ChartPlace(StrEnum):
    RETURN = "return"  # drawn in the chart of the return
    LENGTH = "length"  # drawn in the chart of episode lengths
    HEADLINE = "headline"  # has a chart of its own on the page
    DETAIL = "detail"  # has a chart under "more metrics"
    NONE = "none"  # no chart: a counter, or a repetition of another metric


class MetricDefinition(LazyModel):
    """``help`` says what the metric is, what is normal, and what is a sign of trouble."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="As it is logged.")
    label: str = Field(description="As people say it.")
    help: str = Field(description="What it is, what is normal, and what is a sign of trouble.")
    group: MetricGroup
    unit: str = Field("", description="Of its values; empty for a plain number.")
    kind: MetricKind = MetricKind.MEASURED
    place: ChartPlace = ChartPlace.DETAIL
    superseded_by: str | None = Field(
        None, description="Where this metric is logged too, the chart is no headline: it would repeat that one."
    )
    negate: bool = Field(False, description="Logged as the negative of what the label says.")
    log_scale: bool = Field(False, description="Spans magnitudes: a logarithmic axis reads well where it is positive.")
    minimum: float | None = Field(None, description="It is never below, as drawn; null: no bound.")
    maximum: float | None = Field(None, description="It is never above, as drawn; null: no bound.")


METRICS = tuple(
    MetricDefinition(name=name, **values)
    for name, values in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
)
"""In reading order."""


EPISODE_REWARD = "episode/reward"
EPISODE_LENGTH = "episode/length"
EPISODE_INDEX = "episode/index"
EP_REW_MEAN = "rollout/ep_rew_mean"
EP_LEN_MEAN = "rollout/ep_len_mean"
CLOCK = "time/"
"""What the names of metrics begin with that a clock decides about."""

FPS = "time/fps"
RECENT_FPS = "time/recent_fps"
UPDATE_SECONDS = "time/update_seconds"
EVAL_REWARD = "eval/mean_reward"
EVAL_REWARD_STD = "eval/std_reward"
EVAL_EP_LENGTH = "eval/mean_ep_length"
RETURNS = frozenset({EPISODE_REWARD, EP_REW_MEAN, EVAL_REWARD, EVAL_REWARD_STD})
"""Metrics that are sums of rewards, as the environment gave them."""

MAX_STEP = (1 << 53) - 1
"""The largest step in a record: the largest number that browsers and the catalogue represent exactly."""


class MetricRecord(LazyModel):
    """A line of ``metrics.jsonl``: the values that were logged at one step."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(ge=1, description="Position in the journal, from 1, without gaps.")
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time, seconds.")
    step: int = Field(ge=0, le=MAX_STEP, description="Environment steps done.")
    values: dict[str, float | None] = Field(
        description="Value by Stable-Baselines3 logger name; null stands for NaN or infinity."
    )


def is_metric(record: Mapping[str, Any] | None) -> bool:
    """Whether a line of ``metrics.jsonl`` has the fields that readers rely on. Cheap: looks at no single value."""
    if record is None:
        return False
    step, time, values = record.get("step"), record.get("time"), record.get("values")
    return (
        type(step) is int
        and 0 <= step <= MAX_STEP
        and isinstance(time, int | float)
        and 0 <= time <= MAX_TIME
        and type(values) is dict
    )
