"""CustomEnvironment: a custom environment, with all that a worker needs to make it again.

Controls: which keys a person plays an environment with. A table, read by the browser and by the worker.

LearnedRewards: the rewards that a policy learned from, next to those that are recorded.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.spaces import Space


class StateKept(StrEnum):
    """What the state of an environment is copied by, so that training goes on from it bit for bit."""

    ATTRIBUTES = "attributes"
    """They are all of it."""
    REPLAY = "replay"
    """The actions of its episode are taken again."""
    NOTHING = "nothing"
    """Where training goes on, its episode begins anew."""


class CustomEnvironment(LazyModel):
    """What probing the class said. Written into ``config.json``, so that a run can be repeated from its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry_point: str = Field(
        description="`module:Class`, or the absolute path of a file and the class: `/a/b.py:Class`."
    )
    summary: str
    observation_space: Space
    action_space: Space
    reward_threshold: float | None
    max_episode_steps: int | None
    render_fps: int | float
    state_kept_by: StateKept = Field(
        StateKept.ATTRIBUTES, description="What was found to copy its state, so that training can go on exactly."
    )
    state_problem: str | None = Field(
        None, description="What the tests found, if nothing copies its state; null if something does."
    )
    is_single: bool = Field(False, description="Whether a second one cannot be made beside the first.")
    warnings: tuple[str, ...] = Field(
        (), description="What is odd about it, in sentences. It can be used all the same."
    )


class ProbedEnvironment(LazyModel):
    """What came of probing a class. ``still``: a small picture from within an episode (WebP); None if none was made.
    ``sources``: the files of the user's own code that were imported for it."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    environment: CustomEnvironment
    still: bytes | None = None
    sources: tuple[str, ...] = ()


RISE_SECONDS = 0.25
FALL_SECONDS = 0.15


@dataclass(frozen=True, config=ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True))
class Binding:
    """While all of ``keys`` are held, ``component`` of the action is ``value``, or on its way there.

    Of bindings for the same component that are held, the one with the most keys counts, and among those the one
    pressed last.
    """

    keys: tuple[str, ...] = Field(
        description="Held together; each by the name of its place (`KeyboardEvent.code`): `ArrowLeft`, `Space`, `KeyA`."
    )
    value: float = Field(description="The action, where actions are counted; otherwise the number to reach.")
    component: int = Field(
        default=0, ge=0, description="Place in the action, an array read row by row; 0 of a counted one."
    )
    label: str = Field(default="", description="What it does.")


@dataclass(frozen=True, config=ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True))
class Controls:
    bindings: tuple[Binding, ...]
    neutral: tuple[float | None, ...] = Field(
        description="Of each component: its value while none of its keys is held. Null: each of its values does "
        "something, and the episode waits for a key."
    )
    is_continuous: bool = Field(
        default=False,
        description="Whether components move gradually: to a bound within `rise_seconds`, back within `fall_seconds`.",
    )
    rise_seconds: float = Field(
        default=RISE_SECONDS, gt=0, description="From neutral to the bound, at the usual speed."
    )
    fall_seconds: float = Field(
        default=FALL_SECONDS, gt=0, description="From the bound back to neutral, at the usual speed."
    )


class RewardScale(StrEnum):
    RAW = "raw"  # the environment's own
    SIGN = "sign"  # clipped to −1, 0 and 1
    NORMALIZED = "normalized"  # divided by a running estimate of the return's deviation


class LearnedRewards(LazyModel):
    """How the rewards and ends that a policy learned from differ from the environment's own, which are recorded. What
    it expects of a state is in units of these."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    gamma: float | None = Field(None, description="Discount of what is expected of later steps; null: not known.")
    scale: RewardScale = RewardScale.RAW
    lives_end_episodes: bool = Field(False, description="A lost life ended an episode; recorded ones are whole games.")
    entropy_bonus: bool = Field(
        False, description="What is expected holds a bonus for the randomness of later actions."
    )
    comparable: bool = Field(
        True, description="Whether the discounted return that came can be drawn beside what was expected."
    )
    note: str | None = Field(None, description="How the two differ, in sentences; null: they do not.")

    @property
    def has_td_errors(self) -> bool:
        """Whether the error of what was expected can be computed from recorded rewards."""
        return self.gamma is not None and self.comparable and not self.entropy_bonus
