"""What the metrics are: the name of each in words, what it means, and how it is best drawn.

They stand in ``metrics.toml``, under the names that Stable-Baselines3 logs them by. A metric that only one algorithm
logs may be defined in that algorithm's file instead. One that is defined nowhere, of an environment or a script of the
user's own, is shown under its logged name.
"""

import tomllib
from enum import StrEnum
from pathlib import Path

from pydantic import ConfigDict, Field

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
