"""Rules and knobs of a run."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Body, Wire
from rlviz.domain.events import HyperparameterChangedData
from rlviz.domain.knobs import KnobChange
from rlviz.domain.rules import Rule, Rules


class RunRules(Wire):
    """The rules in force, in their order."""

    run_id: str
    rules: list[Rule]
    words: list[str] = Field(description="Each rule in a sentence, without its full stop.")


class RulesBody(Body):
    rules: Rules


class RuleFiring(Wire):
    """Where a rule would have fired."""

    rule: int = Field(description="Its number among the rules, from 1.")
    step: int
    count: int = Field(description="How often it would have fired with this.")
    says: str = Field(description="The rule in words.")
    done: list[str] = Field(description="What it would have done, in words.")
    not_done: list[str] = Field(description="What it would have left to an earlier rule, a sentence each.")


class DryRun(Wire):
    run_id: str
    firings: list[RuleFiring] = Field(description="In order, up to one that would have ended training; at most 1,000.")
    total: int
    unknown: list[int] = Field(
        description="Numbers of the rules of which it cannot be known: those that look at the disk, or at errors."
    )


class KnobInfo(Wire):
    """A hyperparameter that can be adjusted while a run trains."""

    name: str
    label: str
    minimum: float
    maximum: float
    excludes_minimum: bool
    metric: str | None = Field(description="What its value is logged as; null: it is not.")


class RunKnob(KnobInfo):
    configured: float = Field(description="As the run was created; of a schedule, where it begins or ends.")
    is_scheduled: bool = Field(description="Whether it was created with a schedule.")
    follows_schedule: bool = Field(description="Whether it does still: a value that is set ends its schedule.")
    changed: HyperparameterChangedData | None = Field(description="The last change; null: none was made.")
    waiting: list[KnobChange] = Field(description="Asked for and not made yet.")


class RunKnobs(Wire):
    run_id: str
    knobs: list[RunKnob]


class KnobsBody(Body):
    changes: list[KnobChange] = Field(min_length=1, max_length=10)
