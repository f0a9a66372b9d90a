"""The toy text family: small worlds with numbered states, which a table can learn."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rlviz.domain.spaces import StateFactor, discrete, factored, grid_states
from rlviz.learning.environments.base import (
    DOWN,
    LEFT,
    RIGHT,
    SPACE,
    UP,
    Environment,
    Family,
    Options,
    discrete_controls,
)
from rlviz.learning.environments.cells import TAXI_SIDE, World, grid_world

_FAMILY = Family("toy-text", "Toy text", requires=("pygame",), install="pip install 'gymnasium[toy-text]'")

CLIFF_STEP_LIMIT = 200
"""Gymnasium sets no step limit for CliffWalking, so a policy that walks in circles would never finish."""

_STOPS = ("red", "green", "yellow", "blue")
_TAXI_DOES = ("south", "north", "east", "west", "pick up", "drop off")


_LAKE_4X4 = ("SFFF", "FHFH", "FFFH", "HFFG")
_LAKE_8X8 = ("SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG")
_CLIFF = ("F" * 12,) * 3 + ("S" + "C" * 10 + "G",)


class FrozenLakeOptions(Options):
    map_name: Literal["4x4", "8x8"] = Field("4x4", description="Size of the lake.")
    is_slippery: bool = Field(True, description="On ice, two out of three moves go sideways.")

    def consequences(self) -> dict[str, Any]:
        if self.map_name == "4x4":
            return {}
        return {
            "observation_space": grid_states(8, 8),
            "squares": _LAKE_8X8,
            "world": grid_world(_LAKE_8X8),
            "reward_threshold": 0.85,
            "max_episode_steps": 200,
        }

    def make_arguments(self) -> dict[str, Any]:
        """Set the longer limit of the larger lake, which Gymnasium sets only for another environment id."""
        return {**self.model_dump(), "max_episode_steps": 100 if self.map_name == "4x4" else 200}


class CliffWalkingOptions(Options):
    is_slippery: bool = Field(False, description="On ice, two out of three moves go sideways.")


class TaxiOptions(Options):
    is_rainy: bool = Field(False, description="In rain, one out of five moves goes sideways.")
    fickle_passenger: bool = Field(False, description="The passenger may change the destination on the way.")

    def consequences(self) -> dict[str, Any]:
        """Remove the threshold in rain: the best possible policy returns only 3.95 on average."""
        return {"reward_threshold": None} if self.is_rainy else {}


class BlackjackOptions(Options):
    natural: bool = Field(False, description="An ace and a ten in the first two cards win 1.5 times the stake.")
    sab: bool = Field(True, description="Use the rules of Sutton and Barto's book. If on, `natural` is ignored.")


FROZEN_LAKE = Environment(
    id="FrozenLake-v1",
    name="FrozenLake",
    family=_FAMILY,
    summary="Cross a frozen lake without falling into a hole. Reaching the goal earns 1 point; nothing else does.",
    sees="The number of the square on which it stands.",
    does="Moves left, down, right or up; on slippery ice it often slides sideways.",
    observation_space=grid_states(4, 4),
    action_space=discrete(4, "left", "down", "right", "up"),
    controls=discrete_controls({0: LEFT, 1: DOWN, 2: RIGHT, 3: UP}, ("left", "down", "right", "up")),
    reward_threshold=0.70,
    max_episode_steps=100,
    render_fps=4,
    options=FrozenLakeOptions(),
    squares=_LAKE_4X4,
    world=grid_world(_LAKE_4X4),
)

CLIFF_WALKING = Environment(
    id="CliffWalking-v1",
    name="CliffWalking",
    family=_FAMILY,
    summary="Walk along a cliff to the other end. Each step costs 1 point; a fall costs 100 and leads to the start.",
    sees="The number of the square on which it stands.",
    does="Moves up, right, down or left.",
    observation_space=grid_states(4, 12),
    action_space=discrete(4, "up", "right", "down", "left"),
    controls=discrete_controls({0: UP, 1: RIGHT, 2: DOWN, 3: LEFT}, ("up", "right", "down", "left")),
    reward_threshold=None,
    max_episode_steps=CLIFF_STEP_LIMIT,
    render_fps=4,
    options=CliffWalkingOptions(),
    squares=_CLIFF,
    world=grid_world(_CLIFF),
    make_arguments={"max_episode_steps": CLIFF_STEP_LIMIT},
)

TAXI = Environment(
    id="Taxi-v4",
    name="Taxi",
    family=_FAMILY,
    summary="Take a passenger to their destination for 20 points. A step costs 1, a wrong pick-up or drop-off 10.",
    sees="One number that encodes the positions of the taxi, the passenger and the destination.",
    does="Drives south, north, east or west, picks up, or drops off.",
    observation_space=factored(
        StateFactor("taxi row", 5, start=1),
        StateFactor("taxi column", 5, start=1),
        StateFactor("passenger", 5, labels=(*(f"at {colour}" for colour in _STOPS), "in the taxi")),
        StateFactor("destination", 4, labels=_STOPS),
    ),
    action_space=discrete(6, *_TAXI_DOES),
    controls=discrete_controls({0: DOWN, 1: UP, 2: RIGHT, 3: LEFT, 4: SPACE, 5: "Enter"}, _TAXI_DOES),
    reward_threshold=8.0,
    max_episode_steps=200,
    render_fps=4,
    options=TaxiOptions(),
    world=World(
        "rlviz.learning.environments.cells:read_taxi",
        columns=TAXI_SIDE * (len(_STOPS) + 1),
        rows=TAXI_SIDE * len(_STOPS),
        rooms_across=len(_STOPS) + 1,
        rooms_down=len(_STOPS),
        rooms=tuple(
            f"{where}, to {destination}"
            for destination in _STOPS
            for where in (*(f"passenger at {colour}" for colour in _STOPS), "passenger aboard")
        ),
    ),
)

BLACKJACK = Environment(
    id="Blackjack-v1",
    name="Blackjack",
    family=_FAMILY,
    summary="Beat the dealer without going over 21. Win or lose one point per hand; even optimal play loses a little.",
    sees="One number that encodes its sum, the dealer's card and whether it has a usable ace.",
    does="Takes another card, or stops.",
    observation_space=factored(
        StateFactor("sum of its hand", 32),
        StateFactor("dealer's card", 11, labels=("none", "ace", *map(str, range(2, 11)))),
        StateFactor("usable ace", 2, labels=("no", "yes")),
    ),
    action_space=discrete(2, "stick", "hit"),
    controls=discrete_controls({0: "KeyS", 1: "KeyH"}, ("stick", "hit")),
    reward_threshold=None,
    max_episode_steps=None,
    render_fps=4,
    options=BlackjackOptions(),
    observation_wrapper="rlviz.learning.environments.wrappers:wrap_numbered",
)
