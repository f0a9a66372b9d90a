"""Detail: how much is recorded of what is played, and what happens when that costs too much.

A step of an episode as it is stored, sent and drawn, whoever acted: a policy, chance, or a person.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field, JsonValue

from rlviz.domain.lazy_model import LazyModel


class Detail(StrEnum):
    """How much of each step is recorded, from nothing to everything."""

    OFF = "off"
    MINIMAL = "minimal"
    STANDARD = "standard"
    FULL = "full"

    @property
    def below(self) -> Detail:
        """The next lower one; of ``off`` itself."""
        return _ORDER[max(0, _ORDER.index(self) - 1)]

    def is_at_least(self, other: Detail) -> bool:
        return _ORDER.index(self) >= _ORDER.index(other)


_ORDER = tuple(Detail)


ONLY_THE_LAST = 1_000_000
"""Where one frame in so many is hashed, only the last of an episode is: none is so long."""


class FrameReason(StrEnum):
    """Why a frame is kept as a picture. Where there is not room for all, those that come first here stay."""

    ERROR = "error"  # it is one of the last before the environment failed
    END = "end"  # it shows the end of an episode
    SPIKE = "spike"  # the reward stands out from all before
    INTERVAL = "interval"  # its turn came


class Lowered(LazyModel):
    """The detail was lowered, since recording cost more than it may."""

    model_config = ConfigDict(frozen=True)

    before: Detail
    after: Detail
    cost: float = Field(description="Time that recording took, as a share of the time without it.")
    most: float = Field(description="The share that it may take.")


class RecordingFacts(LazyModel):
    """At which detail something was recorded, and at what cost."""

    model_config = ConfigDict(frozen=True)

    detail: Detail = Field(description="As it was asked for.")
    lowered: Lowered | None = Field(None, description="The last time that it was lowered by itself; null: never.")
    cost: float | None = Field(
        None, description="Time that recording took, as a share of the time without it; null: too short to tell."
    )


class Actor(StrEnum):
    POLICY = "policy"
    RANDOM = "random"  # draws each action from the action space
    PERSON = "person"  # somebody at the keys


class PolicyReading(LazyModel):
    """What a policy computes from one observation. Null: its algorithm does not compute it. Made by
    ``learning/algorithms/reading.py``."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    value: float | None = Field(None, description="V(s): the discounted return expected from here on.")
    probabilities: list[float] | None = Field(None, description="Of each action.")
    mean: list[float] | None = Field(None, description="Of a continuous action, a number for each of its components.")
    deviation: list[float] | None = Field(None, description="Standard deviation of the same Gaussian.")
    squashed: bool = Field(
        False, description="Mean and deviation lie before the hyperbolic tangent that bounds the action."
    )
    q_values: list[float] | None = Field(None, description="Q(s, a) of each action.")
    action_value: float | None = Field(None, description="Q(s, a) of the action that it chooses here.")
    quantiles: list[list[float]] | None = Field(
        None, description="Of the return of each action: a list of quantiles for each action."
    )
    places: list[int] | None = Field(
        None,
        description="The actions whose probabilities, Q-values and quantiles are sent, the best first, where a session "
        "has too many to send all; null: all, in order.",
    )


class StepRecord(LazyModel):
    """The state of an episode after ``index`` actions: all of it is what one frame shows.

    Step 0 is the reset, without action and reward. ``action`` and ``reward`` belong to the step that led here;
    ``observation`` is what was seen then, ``reading`` what the policy made of it, from which it chooses the
    next action. An episode of n actions has n + 1 records. Numbers that are not finite are null.
    """

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    episode: int = Field(ge=0, description="Place of the episode among those that were played, from 0.")
    index: int = Field(ge=0, description="Actions taken so far.")
    observation: JsonValue = Field(
        None,
        description="What the agent sees: a list of numbers for a Box, a number for a Discrete space, lists of parts "
        "for composed spaces; null for pictures, which are known by their hash.",
    )
    observation_hash: str | None = Field(None, description="BLAKE2b of a picture's bytes, as 32 hexadecimal digits.")
    action: JsonValue = Field(None, description="The action that led here; null at the reset.")
    actor: Actor | None = Field(None, description="Who took it; null at the reset.")
    reward: float | None = Field(None, description="What it earned; null at the reset.")
    episode_return: float | None = Field(0.0, description="Undiscounted sum of rewards so far.")
    terminated: bool = False
    truncated: bool = False
    elapsed_ms: float = Field(0.0, ge=0, description="Milliseconds since the reset.")
    frame_hash: str | None = Field(
        None, description="BLAKE2b of the frame as it was rendered, as 32 hexadecimal digits; null if none was."
    )
    reading: PolicyReading | None = Field(None, description="Null if no policy was asked.")
