"""The records of ``metrics.jsonl``, one in each line; and the names of the metrics that this product reads."""

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.times import MAX_TIME

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
