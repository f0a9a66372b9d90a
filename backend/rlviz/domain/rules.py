"""Rules: what a run does automatically when something happens, and changes of knobs.

A rule is ``{"when": condition, "do": [actions]}``; the ``kind`` of each part tells the models apart, and ``words``
describes it in English. A knob is a hyperparameter that can change during training.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from rlviz.domain.byte_text import byte_text
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.metrics import MAX_STEP, METRICS

MAX_WAITING = 50
"""Number of changes that ``control.json`` keeps, including pending ones: the trainer polls it 20 times a second."""

MAX_FACTOR = 1_000.0

KNOB_LABELS = {
    "learning_rate": "learning rate",
    "ent_coef": "entropy coefficient",
    "clip_range": "clip range",
    "exploration_rate": "exploration rate",
}
"""All knobs with their names in sentences. Each algorithm lists the ones that its runs have."""


class Author(StrEnum):
    """Who changed a knob."""

    PERSON = "person"
    RULE = "rule"
    PARENT = "parent"
    """The parent of a fork had the change, and the fork inherits it."""


@dataclass(frozen=True)
class Override:
    """What replaces the configured value or schedule of a knob: a fixed value, or a factor on it."""

    value: float | None = None
    factor: float = 1.0


class _Change(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    knob: str = Field(max_length=60, description="Name of the knob, as listed by `GET /algorithms`.")


class SetKnob(_Change):
    """Set the knob to a value from now on; this replaces its schedule if it has one."""

    kind: Literal["set_knob"] = "set_knob"
    value: float = Field(strict=True)

    @property
    def words(self) -> str:
        return f"set the {knob_label(self.knob)} to {self.value:g}"


class ScaleKnob(_Change):
    """Multiply the current value; a schedule continues, multiplied."""

    kind: Literal["scale_knob"] = "scale_knob"
    factor: float = Field(gt=0, le=MAX_FACTOR, strict=True)

    @property
    def words(self) -> str:
        if self.factor == 0.5:
            return f"halve the {knob_label(self.knob)}"
        if self.factor == 2:
            return f"double the {knob_label(self.knob)}"
        return f"multiply the {knob_label(self.knob)} by {self.factor:g}"


KnobChange = Annotated[SetKnob | ScaleKnob, Field(discriminator="kind")]


class KnobRequest(LazyModel):
    """A change that the user requests, numbered so that it is applied once."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, description="Counts up.")
    change: KnobChange


def knob_label(name: str) -> str:
    """Return the knob's name in a sentence."""
    return KNOB_LABELS.get(name, name)


MAX_RULES = 20
MAX_ACTIONS = 5
MAX_ROWS = 10_000
MAX_FIRINGS = 1_000
DEFAULT_FIRINGS = 10

Side = Literal["above", "at_least", "below", "at_most"]
Better = Literal["higher", "lower"]

_SIDES = {"above": "above", "at_least": "at least", "below": "below", "at_most": "at most"}
_LABELS = {definition.name: definition.label for definition in METRICS}

MetricName = Annotated[str, Field(min_length=1, max_length=200, description="Logged name of the metric.")]


def metric_label(name: str) -> str:
    """Return the metric's name in a sentence."""
    return _LABELS.get(name, name)


class _Part(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MetricIs(_Part):
    """The metric is above or below a number in ``rows`` consecutive rows."""

    kind: Literal["metric"] = "metric"
    metric: MetricName
    side: Side = "above"
    value: float = Field(strict=True)
    rows: int = Field(default=1, ge=1, le=MAX_ROWS, strict=True, description="Consecutive rows of the metric.")

    @property
    def words(self) -> str:
        times = "" if self.rows == 1 else f" for {self.rows:,} rows"
        return f"{metric_label(self.metric)} is {_SIDES[self.side]} {self.value:g}{times}"


class NotFinite(_Part):
    """The metric, or any metric, is NaN or infinite."""

    kind: Literal["not_finite"] = "not_finite"
    metric: MetricName | None = Field(default=None, description="Logged name; null: any metric.")

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric) if self.metric else 'any metric'} is not a number"


class Plateau(_Part):
    """The metric has not improved for ``steps`` environment steps."""

    kind: Literal["plateau"] = "plateau"
    metric: MetricName
    steps: int = Field(ge=1, le=MAX_STEP, strict=True)
    better: Better = "higher"
    by: float = Field(default=0.0, ge=0, strict=True, description="Minimum improvement that counts.")

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric)} has not improved for {self.steps:,} steps"


class Fall(_Part):
    """The metric, for which higher is better, has fallen from its best value.

    The fall is measured as a share of the best value or of the gain up to it, whichever is larger, because returns
    may be negative.
    """

    kind: Literal["fall"] = "fall"
    metric: MetricName
    share: float = Field(gt=0, le=1, strict=True)

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric)} has fallen from its best by {self.share:.0%}"


class NewBest(_Part):
    """The metric is better than ever before. Its first value never counts."""

    kind: Literal["new_best"] = "new_best"
    metric: MetricName
    better: Better = "higher"

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric)} is better than ever"


class TrainingError(_Part):
    """Training raises an error (a step of the environment, or an update) that would make the run fail."""

    kind: Literal["error"] = "error"

    @property
    def words(self) -> str:
        return "training raises an error"


class SecondsLimit(_Part):
    """This many seconds of training have passed; pauses do not count."""

    kind: Literal["seconds"] = "seconds"
    seconds: float = Field(gt=0, le=31_536_000, strict=True)

    @property
    def words(self) -> str:
        minutes = self.seconds / 60
        over = f"{minutes:g} minutes" if self.seconds >= 60 else f"{self.seconds:g} seconds"
        return f"{over} of training have passed"


class StepsLimit(_Part):
    """This many environment steps are done."""

    kind: Literal["steps"] = "steps"
    steps: int = Field(ge=1, le=MAX_STEP, strict=True)

    @property
    def words(self) -> str:
        return f"{self.steps:,} steps are done"


class DiskLimit(_Part):
    """The run folder uses this many bytes."""

    kind: Literal["disk"] = "disk"
    bytes: int = Field(ge=1_000_000, le=10**15, strict=True)

    @property
    def words(self) -> str:
        return f"the run takes {byte_text(self.bytes)} on disk"


Condition = Annotated[
    MetricIs | NotFinite | Plateau | Fall | NewBest | TrainingError | SecondsLimit | StepsLimit | DiskLimit,
    Field(discriminator="kind"),
]


class StopTraining(_Part):
    """End training: after the current update if it ends within the grace period, otherwise at once."""

    kind: Literal["stop"] = "stop"
    then: Literal["report", "save", "abort"] = Field(
        default="save", description="report: save and notify; save: save the policy; abort: save nothing more."
    )
    grace_seconds: float = Field(
        default=0.0, ge=0, le=86_400, strict=True, description="Seconds to finish the update; 0: end at once."
    )

    @property
    def words(self) -> str:
        return {"report": "stop and notify", "save": "stop", "abort": "stop without saving"}[self.then]


class PauseTraining(_Part):
    """Pause at the start of the next rollout, with a snapshot to resume from."""

    kind: Literal["pause"] = "pause"

    @property
    def words(self) -> str:
        return "pause"


class TakeSnapshot(_Part):
    """Take a snapshot at the start of the next rollout."""

    kind: Literal["snapshot"] = "snapshot"
    message: str = Field(default="", max_length=500)

    @property
    def words(self) -> str:
        return "take a snapshot"


class Evaluate(_Part):
    """Evaluate the policy now, as the run's evaluation plan says."""

    kind: Literal["evaluate"] = "evaluate"

    @property
    def words(self) -> str:
        return "evaluate the policy"


class RollBack(_Part):
    """Go back to an earlier snapshot at the start of the next rollout: everything after it is no longer part of the
    run. Hyperparameter changes of the same rule apply from there."""

    kind: Literal["roll_back"] = "roll_back"
    to: Literal["newest", "best"] = Field(
        default="newest",
        description="newest: the newest snapshot with finite weights, and an earlier one each time the "
        "rule fires again; best: the snapshot of the best policy.",
    )

    @property
    def words(self) -> str:
        return {"newest": "roll back", "best": "roll back to the best policy"}[self.to]


class Notify(_Part):
    """Write a message for the user into the run's log."""

    kind: Literal["notify"] = "notify"
    message: str = Field(default="", max_length=500, description="Empty: the text of the rule.")

    @property
    def words(self) -> str:
        return "notify"


Action = Annotated[
    StopTraining | PauseTraining | RollBack | TakeSnapshot | Evaluate | SetKnob | ScaleKnob | Notify,
    Field(discriminator="kind"),
]


class Rule(_Part):
    """The actions in ``do`` run in order, once each time ``when`` becomes true."""

    when: Condition
    do: tuple[Action, ...] = Field(min_length=1, max_length=MAX_ACTIONS)
    at_most: int = Field(
        default=DEFAULT_FIRINGS, ge=1, le=MAX_FIRINGS, strict=True, description="Maximum firings in one run."
    )

    @model_validator(mode="after")
    def _agree(self) -> Self:
        for target, count in Counter(filter(None, map(action_target, self.do))).items():
            if count > 1:
                raise ValueError(f"Two actions of this rule change {target}. Remove one of them.")
        if isinstance(self.when, TrainingError) and not any(isinstance(one, RollBack) for one in self.do):
            raise ValueError("After an error, training can only continue from a snapshot. Add the action roll_back.")
        return self

    @property
    def words(self) -> str:
        """The rule as a sentence, without a final period."""
        return f"When {self.when.words}: {' and '.join(action.words for action in self.do)}"

    @property
    def metric(self) -> str | None:
        """The metric that the condition reads; None for other conditions."""
        return getattr(self.when, "metric", None)


Rules = Annotated[tuple[Rule, ...], Field(max_length=MAX_RULES)]


UNRECORDED = DiskLimit | TrainingError
"""Conditions that cannot be evaluated afterwards from the rows of a run."""

TRAINING = "how training continues"
"""What stopping, pausing and rolling back have in common: a rule may contain only one of them."""


def action_target(action: Action) -> str | None:
    """Return what the action changes. If two actions at one row have the same target, the first wins."""
    match action:
        case StopTraining() | PauseTraining() | RollBack():
            return TRAINING
        case SetKnob(knob=knob) | ScaleKnob(knob=knob):
            return f"the {knob}"
    return None


class RulesDocument(LazyModel):
    """``rules.json``: the rules of a run after the user changed the configured ones."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(default=1, ge=1, description="Number of changes so far.")
    rules: Rules = ()
