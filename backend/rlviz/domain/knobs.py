"""Changes of the hyperparameters that can be adjusted while a run trains: its knobs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel

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
