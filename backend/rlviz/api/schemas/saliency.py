"""Which pixels mattered in a step of an evaluation, or of a clip."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.saliency import SeenPictures


class Saliency(Wire):
    """What the agent saw in a step, and how much each pixel weighs in the score of the action that it took on it."""

    run_id: str
    policy_step: int = Field(description="Training step of the policy.")
    step: int = Field(description="Actions taken before; 0 is the reset.")
    seen: SeenPictures
    png: str = Field(description="The PNG that seen describes, in Base64.")


class EvaluationSaliency(Saliency):
    evaluation_id: str
    episode: int = Field(description="From 0.")


class ClipSaliency(Saliency):
    clip_id: str


class SaliencyUnderWay(Wire):
    """The episode is played again up to the step; ask again."""

    run_id: str
    evaluation_id: str | None = Field(None, description="Null: of a clip.")
    clip_id: str | None = Field(None, description="Null: of an evaluation.")
