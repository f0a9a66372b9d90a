"""Rules: what a run shall do by itself when something happens to it.

A rule is ``{"when": a condition, "do": [actions]}``. Conditions and actions are told apart by their ``kind``. What each
means to a person, ``words`` say.

Changes of the hyperparameters that can be adjusted while a run trains: its knobs.
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
"""Changes that ``control.json`` keeps. Those not taken up yet are among them: the trainer looks 20 times a second."""

MAX_FACTOR = 1_000.0

KNOB_LABELS = {
    "learning_rate": "learning rate",
    "ent_coef": "entropy coefficient",
    "clip_range": "clip range",
    "exploration_rate": "exploration rate",
}
"""Every knob there is, as people say it. Which of them a run has, its algorithm says."""


class Author(StrEnum):
    """Who changed a knob."""

    PERSON = "person"
    RULE = "rule"
    PARENT = "parent"
    """The run that a fork was made of had it changed, and the fork goes on with that."""


@dataclass(frozen=True)
class Override:
    """What became of the course that the configuration gives a knob: a value in its place, or a factor."""

    value: float | None = None
    factor: float = 1.0


class _Change(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    knob: str = Field(max_length=60, description="Name of the knob, as `GET /algorithms` lists them.")


class SetKnob(_Change):
    """The knob has this value from now on, in place of its schedule if it has one."""

    kind: Literal["set_knob"] = "set_knob"
    value: float = Field(strict=True)

    @property
    def words(self) -> str:
        return f"set the {knob_label(self.knob)} to {self.value:g}"


class ScaleKnob(_Change):
    """What is there is multiplied; a schedule goes on, multiplied."""

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
    """A change that somebody asks for, numbered so that it is made once."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1, description="Counts up.")
    change: KnobChange


def knob_label(name: str) -> str:
    """The knob's name in a sentence."""
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

MetricName = Annotated[str, Field(min_length=1, max_length=200, description="As it is logged.")]


def metric_label(name: str) -> str:
    """The metric's name in a sentence."""
    return _LABELS.get(name, name)


class _Part(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MetricIs(_Part):
    """The metric is on one side of a number, in so many of its rows in a row."""

    kind: Literal["metric"] = "metric"
    metric: MetricName
    side: Side = "above"
    value: float = Field(strict=True)
    rows: int = Field(default=1, ge=1, le=MAX_ROWS, strict=True, description="Rows of the metric in a row.")

    @property
    def words(self) -> str:
        times = "" if self.rows == 1 else f" for {self.rows:,} rows"
        return f"{metric_label(self.metric)} is {_SIDES[self.side]} {self.value:g}{times}"


class NotFinite(_Part):
    """The metric, or any metric, is not a number or infinite."""

    kind: Literal["not_finite"] = "not_finite"
    metric: MetricName | None = Field(default=None, description="As it is logged; null: whichever.")

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric) if self.metric else 'any metric'} is not a number"


class Plateau(_Part):
    """The metric has not become better for so many environment steps."""

    kind: Literal["plateau"] = "plateau"
    metric: MetricName
    steps: int = Field(ge=1, le=MAX_STEP, strict=True)
    better: Better = "higher"
    by: float = Field(default=0.0, ge=0, strict=True, description="It has to become better by more than this to count.")

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric)} has not become better for {self.steps:,} steps"


class Fall(_Part):
    """The metric, of which higher is better, has fallen from its best.

    By the share of the best value or of what was gained up to it, whichever is more: returns may be negative.
    """

    kind: Literal["fall"] = "fall"
    metric: MetricName
    share: float = Field(gt=0, le=1, strict=True)

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric)} has fallen from its best by {self.share:.0%}"


class NewBest(_Part):
    """The metric is better than it ever was. Its first value is none to compare with."""

    kind: Literal["new_best"] = "new_best"
    metric: MetricName
    better: Better = "higher"

    @property
    def words(self) -> str:
        return f"{metric_label(self.metric)} is better than ever"


class TrainingError(_Part):
    """Training raises an error: a step of the environment, or an update, which would make the run fail."""

    kind: Literal["error"] = "error"

    @property
    def words(self) -> str:
        return "training raises an error"


class SecondsLimit(_Part):
    """So many seconds of training are over; a pause does not count."""

    kind: Literal["seconds"] = "seconds"
    seconds: float = Field(gt=0, le=31_536_000, strict=True)

    @property
    def words(self) -> str:
        minutes = self.seconds / 60
        over = f"{minutes:g} minutes" if self.seconds >= 60 else f"{self.seconds:g} seconds"
        return f"{over} of training are over"


class StepsLimit(_Part):
    """So many environment steps are done."""

    kind: Literal["steps"] = "steps"
    steps: int = Field(ge=1, le=MAX_STEP, strict=True)

    @property
    def words(self) -> str:
        return f"{self.steps:,} steps are done"


class DiskLimit(_Part):
    """The run folder takes so many bytes."""

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
    """End training: after the update that is under way if that comes within the grace period, else at once."""

    kind: Literal["stop"] = "stop"
    then: Literal["report", "save", "abort"] = Field(
        default="save", description="report: save and notify; save: save the policy; abort: save nothing more."
    )
    grace_seconds: float = Field(
        default=0.0, ge=0, le=86_400, strict=True, description="Seconds to finish the update; 0: none."
    )

    @property
    def words(self) -> str:
        return {"report": "stop and notify", "save": "stop", "abort": "stop without saving"}[self.then]


class PauseTraining(_Part):
    """Pause at the start of the next rollout, with a snapshot to go on from."""

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
    """Have the greedy policy evaluated now, as the plan of the run's evaluation says."""

    kind: Literal["evaluate"] = "evaluate"

    @property
    def words(self) -> str:
        return "evaluate the policy"


class RollBack(_Part):
    """Go back to an earlier snapshot, at the start of the next rollout: what came after is no part of the run any more.
    Changes of hyperparameters that the rule makes with it hold from there on."""

    kind: Literal["roll_back"] = "roll_back"
    to: Literal["newest", "best"] = Field(
        default="newest",
        description="newest: the newest snapshot whose weights are numbers, and one further back each time that the "
        "rule has gone back to the same before; best: that of the best policy.",
    )

    @property
    def words(self) -> str:
        return {"newest": "roll back", "best": "roll back to the best policy"}[self.to]


class Notify(_Part):
    """Leave a message for the user in the log of the run."""

    kind: Literal["notify"] = "notify"
    message: str = Field(default="", max_length=500, description="Empty: what the rule says.")

    @property
    def words(self) -> str:
        return "notify"


Action = Annotated[
    StopTraining | PauseTraining | RollBack | TakeSnapshot | Evaluate | SetKnob | ScaleKnob | Notify,
    Field(discriminator="kind"),
]


class Rule(_Part):
    """``do`` is done in order, once each time that ``when`` comes true."""

    when: Condition
    do: tuple[Action, ...] = Field(min_length=1, max_length=MAX_ACTIONS)
    at_most: int = Field(default=DEFAULT_FIRINGS, ge=1, le=MAX_FIRINGS, strict=True, description="Firings in one run.")

    @model_validator(mode="after")
    def _agree(self) -> Self:
        for target, count in Counter(filter(None, map(target_of, self.do))).items():
            if count > 1:
                raise ValueError(f"Two actions of this rule decide about {target}. Leave one of them out.")
        if isinstance(self.when, TrainingError) and not any(isinstance(one, RollBack) for one in self.do):
            raise ValueError("After an error training can only go back. Let the rule roll back.")
        return self

    @property
    def words(self) -> str:
        """The rule in a sentence, without its full stop."""
        return f"When {self.when.words}: {' and '.join(action.words for action in self.do)}"

    @property
    def metric(self) -> str | None:
        """The metric that it looks at."""
        return getattr(self.when, "metric", None)


Rules = Annotated[tuple[Rule, ...], Field(max_length=MAX_RULES)]


UNRECORDED = DiskLimit | TrainingError
"""Conditions of which the rows of a run do not tell afterwards."""

TRAINING = "how training goes on"
"""What a stop, a pause and going back decide about."""


def target_of(action: Action) -> str | None:
    """What the action decides about: of two that decide about the same at one row, the first counts."""
    match action:
        case StopTraining() | PauseTraining() | RollBack():
            return TRAINING
        case SetKnob(knob=knob) | ScaleKnob(knob=knob):
            return f"the {knob}"
    return None


class RulesDocument(LazyModel):
    """``rules.json``: the rules of a run, once somebody has changed those that it was created with."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(default=1, ge=1, description="Counts the changes.")
    rules: Rules = ()
