"""Metrics: their definitions (label, meaning, how to draw them), and the records of ``metrics.jsonl``.

``metrics.toml`` defines metrics under the names that Stable-Baselines3 logs. An algorithm's file defines those that
only it logs, and ``reward_components.py`` the components of rewards. A metric without a definition is shown under its
logged name.
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
from rlviz.domain.reward_components import KNOWN, RewardComponent


class MetricGroup(StrEnum):
    EPISODES = "episodes"  # training episodes
    REWARD = "reward"  # components of the reward
    EVALUATION = "evaluation"  # evaluations during training
    EXPLORATION = "exploration"  # how much the policy explores
    POLICY = "policy"  # how the policy changes
    VALUE = "value"  # how well returns are predicted
    OPTIMIZER = "optimizer"  # settings and counts of the updates
    TIME = "time"  # speed


GROUP_TITLES = {
    MetricGroup.EPISODES: "Episodes",
    MetricGroup.REWARD: "Reward components",
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
    LENGTH = "length"  # drawn in the episode length chart
    HEADLINE = "headline"  # has its own chart on the page
    DETAIL = "detail"  # has a chart under "more metrics"
    NONE = "none"  # no chart: a counter, or a duplicate of another metric


class MetricDefinition(LazyModel):
    """Definition of one metric: how it is named, explained and drawn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="Name in the journal.")
    label: str = Field(description="Name to display.")
    help: str = Field(description="What it measures, what is normal, and what indicates a problem.")
    group: MetricGroup
    unit: str = Field("", description="Unit of its values; empty for a plain number.")
    kind: MetricKind = MetricKind.MEASURED
    place: ChartPlace = ChartPlace.DETAIL
    superseded_by: str | None = Field(
        None, description="If this metric is logged too, the chart is not a headline, because it repeats that one."
    )
    negate: bool = Field(False, description="The logged value is the negative of what the label says.")
    log_scale: bool = Field(False, description="Spans several magnitudes: use a logarithmic axis for positive values.")
    minimum: float | None = Field(None, description="Lower bound as drawn; null: none.")
    maximum: float | None = Field(None, description="Upper bound as drawn; null: none.")
    component: str | None = Field(
        None, description="Name to display among the components of the reward; null: it is no component of the reward."
    )
    of_environment: bool = Field(
        True, description="False: a bonus that training adds to the reward; evaluations do not have it."
    )


def _define(component: RewardComponent) -> MetricDefinition:
    """Return the definition of a component's metric."""
    added = "" if component.of_environment else " Training adds it; it is not part of the environment's return."
    return MetricDefinition(
        name=component.metric,
        label=f"Reward: {component.label[:1].lower()}{component.label[1:]}",
        help=f"{component.help} Sum over one training episode.{added}",
        group=MetricGroup.REWARD,
        component=component.label,
        of_environment=component.of_environment,
    )


METRICS = (
    *(
        MetricDefinition(name=name, **values)
        for name, values in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
    ),
    *map(_define, KNOWN),
)
"""Groups in reading order."""


EPISODE_REWARD = "episode/reward"
EPISODE_LENGTH = "episode/length"
EPISODE_INDEX = "episode/index"
EP_REW_MEAN = "rollout/ep_rew_mean"
EP_LEN_MEAN = "rollout/ep_len_mean"
CLOCK = "time/"
"""Prefixes of metric names whose values depend on a clock."""

FPS = "time/fps"
RECENT_FPS = "time/recent_fps"
UPDATE_SECONDS = "time/update_seconds"
EVAL_REWARD = "eval/mean_reward"
EVAL_REWARD_STD = "eval/std_reward"
EVAL_EP_LENGTH = "eval/mean_ep_length"
EXPLORED_CELLS = "explored/cells"
EXPLORED_TOTAL = "explored/total_cells"
ARCHIVE_CELLS = "explored/archive_cells"
ARCHIVE_RETURN = "explored/archive_return"
ARCHIVE_LENGTH = "explored/archive_length"
IMITATION_LOSS = "imitation/loss"
IMITATION_SHARE = "imitation/share"
IMITATION_EPISODES = "imitation/episodes"
TAPS = "taps/"
"""Prefix of the metrics that count in how many steps of an episode a tap of a game changed."""
RETURNS = frozenset({EPISODE_REWARD, EP_REW_MEAN, EVAL_REWARD, EVAL_REWARD_STD})
"""Metrics that are sums of unscaled environment rewards."""

MAX_STEP = (1 << 53) - 1
"""The largest step in a record: the largest integer that browsers and the catalogue represent exactly."""


class MetricRecord(LazyModel):
    """A line of ``metrics.jsonl``: the values that were logged at one step."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(ge=1, description="Position in the journal, from 1, without gaps.")
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time, seconds.")
    step: int = Field(ge=0, le=MAX_STEP, description="Environment steps done.")
    values: dict[str, float | None] = Field(
        description="Value by Stable-Baselines3 logger name; null means NaN or infinity."
    )


def is_metric(record: Mapping[str, Any] | None) -> bool:
    """Whether a line of ``metrics.jsonl`` has the fields that readers need. Cheap: does not check single values."""
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
