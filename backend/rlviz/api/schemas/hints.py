"""What a run's own curves suggest."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from rlviz.analysis.hints import RuleState
from rlviz.analysis.hints.rule import Unit
from rlviz.api.schemas.wire import Wire


class LookedAt(Wire):
    """All that a rule went by."""

    metric: str
    from_step: int
    to_step: int
    points: int = Field(description="How many values there were.")
    unit: Unit = Field(description="What a value stands for.")


class SuggestedChange(Wire):
    """A change that is suggested, and that a fork of the run accepts."""

    name: str = Field(description="The hyperparameter.")
    value: JsonValue = Field(description="What to set it to.")


class Hint(Wire):
    id: str = Field(description="The rule that found it, for instance entropy-collapsed.")
    severity: Literal["info", "warning", "problem"]
    title: str
    metric: str = Field(description="The curve it was seen in.")
    from_step: int = Field(description="Where on the curve it begins, environment steps.")
    to_step: int
    evidence: str = Field(description="What was seen, in numbers.")
    suggestion: str = Field(description="What to try: which hyperparameter, and which value.")
    changes: list[SuggestedChange] = Field(
        description="What of the suggestion can be tried by forking the run: one of them at a time."
    )
    learn: str = Field(description="Anchor on the algorithm's page of explanations.")
    looked_at: LookedAt


class Minimum(Wire):
    """What a rule has to have seen before it says anything."""

    points: int = Field(description="Values of its metric.")
    unit: Unit
    progress: float = Field(description="Share of the timesteps that is done.")
    ended: bool = Field(description="Training has to be over.")


class HintRule(Wire):
    """A rule, and what it came to in this run."""

    id: str
    looks_for: str
    metrics: list[str] = Field(description="It looks at the first of them that was logged.")
    minimum: Minimum
    state: RuleState = Field(description="not_logged, waiting for its minimum, silent, or found.")
    points: int = Field(description="Values that there are by now.")


class RunHints(Wire):
    run_id: str
    hints: list[Hint] = Field(description="The gravest first.")
    rules: list[HintRule] = Field(description="Every rule that was asked.")
