"""Saliency: how much each pixel of what an agent saw weighs in a number that its policy gives."""

from enum import StrEnum
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from rlviz.domain.lazy_model import LazyModel


class Score(StrEnum):
    """The number that a saliency map is of."""

    LOGIT = "logit"  # of the chosen action, before the softmax
    Q = "q_value"  # Q(s, a) of the chosen action
    VALUE = "value"  # V(s): where an actor-critic's actions are continuous, no number stands for one of them


class SeenPictures(LazyModel):
    """What the agent saw, as one PNG: its pictures beside each other, the oldest first. With a ``score``, below each of
    them a grey picture of how much each pixel weighs in it."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)

    pictures: int = Field(ge=1)
    score: Score | None = Field(None, description="What the saliency maps are of; null: there are none.")


class SaliencyPlan(LazyModel):
    """Of which step of a recorded evaluation or clip: episode and step are counted from 0, and step 0 is the reset."""

    model_config = ConfigDict(frozen=True)

    evaluation_id: str | None = Field(None, description="Null: it is of a clip.")
    clip_id: str | None = Field(None, description="Null: it is of an evaluation.")
    episode: int = Field(0, ge=0, description="Of a clip: 0, its only one.")
    index: int = Field(ge=0)

    @model_validator(mode="after")
    def _is_of_one(self) -> Self:
        if (self.evaluation_id is None) == (self.clip_id is None):
            raise ValueError("Give evaluation_id or clip_id, and not both.")
        return self

    @property
    def saliency_id(self) -> str:
        whose = self.clip_id or str(self.evaluation_id).removeprefix("eval_")
        return f"saliency_{whose}_{self.episode}_{self.index}"


class StepSaliency(LazyModel):
    """What was made of a SaliencyPlan."""

    model_config = ConfigDict(frozen=True)

    seen: SeenPictures
    png: str = Field(description="The PNG that ``seen`` describes, in Base64.")
