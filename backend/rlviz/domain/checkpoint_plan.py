"""CheckpointPlan: how often a run's policy is saved, and how many copies are kept."""

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import DEFAULT_FILM, LIMITS, MAX_TIMESTEPS


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
