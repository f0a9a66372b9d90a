"""LearnedRewards: the rewards that a policy learned from, next to those that are recorded."""

from enum import StrEnum

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel


class RewardScale(StrEnum):
    RAW = "raw"  # the environment's own
    SIGN = "sign"  # clipped to −1, 0 and 1
    NORMALIZED = "normalized"  # divided by a running estimate of the return's deviation


class LearnedRewards(LazyModel):
    """How the rewards and ends that a policy learned from differ from the environment's own, which are recorded. What
    it expects of a state is in units of these."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    gamma: float | None = Field(None, description="Discount of what is expected of later steps; null: not known.")
    scale: RewardScale = RewardScale.RAW
    lives_end_episodes: bool = Field(False, description="A lost life ended an episode; recorded ones are whole games.")
    entropy_bonus: bool = Field(
        False, description="What is expected holds a bonus for the randomness of later actions."
    )
    comparable: bool = Field(
        True, description="Whether the discounted return that came can be drawn beside what was expected."
    )
    note: str | None = Field(None, description="How the two differ, in sentences; null: they do not.")

    @property
    def has_td_errors(self) -> bool:
        """Whether the error of what was expected can be computed from recorded rewards."""
        return self.gamma is not None and self.comparable and not self.entropy_bonus
