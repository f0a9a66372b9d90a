"""EvaluationPlan: how often a run's greedy policy is evaluated while it trains."""

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_PERIODIC_EPISODES, LIMITS


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
