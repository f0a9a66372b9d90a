"""Environments: what a worker needs to create a custom one, the keys that control one, and the rewards that a policy
learned from."""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from rlviz.domain.games import Game
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.spaces import Space


class StateKept(StrEnum):
    """What restores the state of an environment so that training resumes bit for bit."""

    ATTRIBUTES = "attributes"
    """Its attributes are its whole state."""
    REPLAY = "replay"
    """The actions of the episode are replayed."""
    NOTHING = "nothing"
    """Nothing: its episode starts again when training resumes."""


class CustomEnvironment(LazyModel):
    """Result of probing the class. Stored in ``config.json``, so a run can be repeated from its folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry_point: str = Field(
        description="`module:Class`, or the absolute path of a file and the class: `/a/b.py:Class`. A game: the path "
        "of its `game.toml`, and its name."
    )
    summary: str
    observation_space: Space
    action_space: Space
    reward_threshold: float | None
    max_episode_steps: int | None
    render_fps: int | float
    state_kept_by: StateKept = Field(
        StateKept.ATTRIBUTES, description="How its state can be restored, so that training resumes exactly."
    )
    state_problem: str | None = Field(
        None, description="What the tests found if nothing restores its state; null if something does."
    )
    is_single: bool = Field(False, description="Whether a process cannot create a second instance.")
    reward_components: tuple[str, ...] = Field(
        (),
        exclude_if=lambda names: not names,
        description="Names of the components of its reward, as its first random steps report them.",
    )
    warnings: tuple[str, ...] = Field(
        (), description="Unusual findings, as sentences. The environment can still be used."
    )
    game: Game | None = Field(
        None,
        exclude_if=lambda game: game is None,
        description="The Game Boy game, if it is a ROM instead of a class; null or missing: a class.",
    )

    @property
    def has_code(self) -> bool:
        """Whether it is a class of the user's; a game is data."""
        return self.game is None


class ProbedEnvironment(LazyModel):
    """Result of probing a class.

    Args:
        environment: The description of the environment.
        still: Small picture from within an episode (WebP); None if none was made.
        sources: Files of user code that were imported for it.
    """

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    environment: CustomEnvironment
    still: bytes | None = None
    sources: tuple[str, ...] = ()


RISE_SECONDS = 0.25
FALL_SECONDS = 0.15


@dataclass(frozen=True, config=ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True))
class Binding:
    """While all of ``keys`` are held, ``component`` of the action moves to ``value``.

    Of several held bindings for one component, the one with the most keys wins, then the one pressed last.
    """

    keys: tuple[str, ...] = Field(
        description="Keys held together, by physical place (`KeyboardEvent.code`): `ArrowLeft`, `Space`, `KeyA`."
    )
    value: float = Field(description="A discrete action, or the target value of a continuous component.")
    component: int = Field(default=0, ge=0, description="Index in the flattened action; 0 for discrete actions.")
    label: str = Field(default="", description="What the keys do.")


@dataclass(frozen=True, config=ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True))
class Controls:
    bindings: tuple[Binding, ...]
    neutral: tuple[float | None, ...] = Field(
        description="Value of each component while none of its keys is held. Null: every value does "
        "something, and the episode waits for a key."
    )
    is_continuous: bool = Field(
        default=False,
        description="Whether components move gradually: up within `rise_seconds`, back within `fall_seconds`.",
    )
    rise_seconds: float = Field(
        default=RISE_SECONDS, gt=0, description="Seconds from neutral to the bound, at normal speed."
    )
    fall_seconds: float = Field(
        default=FALL_SECONDS, gt=0, description="Seconds from the bound back to neutral, at normal speed."
    )


class RewardScale(StrEnum):
    RAW = "raw"  # as the environment gives it
    SIGN = "sign"  # clipped to −1, 0 and 1
    NORMALIZED = "normalized"  # divided by a running estimate of the return's deviation


class LearnedRewards(LazyModel):
    """How the rewards and episode ends that a policy learned from differ from the recorded ones of the environment. The
    policy's values are in units of the learned rewards."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    gamma: float | None = Field(None, description="Discount factor; null: unknown.")
    scale: RewardScale = RewardScale.RAW
    lives_end_episodes: bool = Field(
        False, description="A lost life ends an episode; recorded episodes are whole games."
    )
    entropy_bonus: bool = Field(False, description="Expected values include an entropy bonus for later actions.")
    comparable: bool = Field(
        True, description="Whether actual discounted returns can be plotted beside the expected ones."
    )
    note: str | None = Field(
        None, description="How learned and recorded rewards differ, as sentences; null: they do not."
    )

    @property
    def has_td_errors(self) -> bool:
        """Whether temporal-difference errors can be computed from recorded rewards."""
        return self.gamma is not None and self.comparable and not self.entropy_bonus
