"""What a run's own curves suggest."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire


class Hint(Wire):
    id: str = Field(description="The rule that found it, for instance entropy-collapsed.")
    severity: Literal["info", "warning", "problem"]
    title: str
    metric: str = Field(description="The curve it was seen in.")
    from_step: int = Field(description="Where on the curve it begins, environment steps.")
    to_step: int
    evidence: str = Field(description="What was seen, in numbers.")
    suggestion: str = Field(description="What to try: which hyperparameter, and which value.")
    learn: str = Field(description="Anchor on the algorithm's page of explanations.")


class RunHints(Wire):
    run_id: str
    hints: list[Hint] = Field(description="The gravest first.")
