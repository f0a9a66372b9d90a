"""Recording: the levels of detail, and the record of one step of an episode as it is stored, sent and drawn."""

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
        """The next lower level; ``off`` stays ``off``."""
        return _ORDER[max(0, _ORDER.index(self) - 1)]

    def is_at_least(self, other: Detail) -> bool:
        return _ORDER.index(self) >= _ORDER.index(other)


_ORDER = tuple(Detail)


ONLY_THE_LAST = 1_000_000
"""With this interval, only the last frame of an episode is hashed: no episode is that long."""


class FrameReason(StrEnum):
    """Why a frame is kept as a picture, in order of priority when space is limited."""

    ERROR = "error"  # among the last frames before the environment failed
    END = "end"  # the end of an episode
    SPIKE = "spike"  # the reward stands out from all earlier ones
    INTERVAL = "interval"  # at a regular interval


class Lowered(LazyModel):
    """The detail was lowered because recording took too much time."""

    model_config = ConfigDict(frozen=True)

    before: Detail
    after: Detail
    cost: float = Field(description="Time spent on recording, as a share of the time without it.")
    most: float = Field(description="The allowed share.")


class RecordingFacts(LazyModel):
    """The level of detail of a recording, and its cost."""

    model_config = ConfigDict(frozen=True)

    detail: Detail = Field(description="The requested level.")
    lowered: Lowered | None = Field(None, description="The last automatic reduction; null: never.")
    cost: float | None = Field(
        None, description="Time spent on recording, as a share of the time without it; null: too short to measure."
    )


class Actor(StrEnum):
    POLICY = "policy"
    RANDOM = "random"  # draws each action from the action space
    PERSON = "person"  # a person at the keyboard


class PolicyReading(LazyModel):
    """What a policy computes from one observation. Null values are not computed by its algorithm.
    ``learning/algorithms/reading.py`` creates readings."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    value: float | None = Field(None, description="V(s): the discounted return expected from here on.")
    probabilities: list[float] | None = Field(None, description="Probability of each action.")
    mean: list[float] | None = Field(None, description="Mean of a continuous action, one number per component.")
    deviation: list[float] | None = Field(None, description="Standard deviation of the same Gaussian.")
    squashed: bool = Field(False, description="Mean and deviation apply before the tanh that bounds the action.")
    q_values: list[float] | None = Field(None, description="Q(s, a) of each action.")
    action_value: float | None = Field(None, description="Q(s, a) of the chosen action.")
    quantiles: list[list[float]] | None = Field(None, description="Quantiles of the return: one list per action.")
    places: list[int] | None = Field(
        None,
        description="The actions whose probabilities, Q-values and quantiles are sent, best first, if a session "
        "has too many to send all; null: all, in order.",
    )


class StepRecord(LazyModel):
    """The state of an episode after ``index`` actions: everything that one frame shows.

    Record 0 is the reset, without action and reward. ``action`` and ``reward`` belong to the step that led here;
    ``observation`` is what the agent sees now, and ``reading`` what the policy computes from it to choose the next
    action. An episode of n actions has n + 1 records. Numbers that are not finite are null.
    """

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    episode: int = Field(ge=0, description="Index of the episode among the played ones, from 0.")
    index: int = Field(ge=0, description="Number of actions so far.")
    observation: JsonValue = Field(
        None,
        description="What the agent sees: a list of numbers for a Box, a number for a Discrete space, lists of parts "
        "for composed spaces; null for pictures, which have a hash.",
    )
    observation_hash: str | None = Field(None, description="BLAKE2b of a picture's bytes, as 32 hexadecimal digits.")
    action: JsonValue = Field(None, description="The action that led here; null at the reset.")
    actor: Actor | None = Field(None, description="Who chose it; null at the reset.")
    reward: float | None = Field(None, description="Reward of that action; null at the reset.")
    reward_components: dict[str, float | None] | None = Field(
        None, description="The parts of the reward by name; null if the environment does not report them."
    )
    episode_return: float | None = Field(0.0, description="Undiscounted sum of rewards so far.")
    terminated: bool = False
    truncated: bool = False
    elapsed_ms: float = Field(0.0, ge=0, description="Milliseconds since the reset.")
    frame_hash: str | None = Field(
        None, description="BLAKE2b of the rendered frame, as 32 hexadecimal digits; null if not rendered."
    )
    cell: int | None = Field(
        None, description="Id of the cell of the environment's world; null: it has none, or is in none now."
    )
    reading: PolicyReading | None = Field(None, description="Null if no policy was evaluated.")
