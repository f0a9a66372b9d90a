"""Game Boy games on PyBoy (https://github.com/Baekalfen/PyBoy), with a game of our own: Lamplighter.

Importing this does not import PyBoy or Gymnasium.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import Field

from rlviz.domain.games import taps_schema
from rlviz.domain.spaces import Space, box, discrete
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
from rlviz.learning.environments.cells import World
from rlviz.learning.environments.gameboy.lamplighter import CRABS, FACING, HEARTS, HEIGHT, ROOMS, ROOMS_A_ROW, WIDTH

ID = "GameBoy/Lamplighter-v0"
FRAMES_A_SECOND = 60
"""Pictures a second of a Game Boy, rounded up from 59.7."""
FRAME_SKIP, HOLD = 8, 4
"""A walk from square to square takes eight frames, so that a step is a walk, a turn, or a blow."""
SEEN_HEIGHT, SEEN_WIDTH = 72, 80
NUMBERS = 128
SQUARES_FROM = NUMBERS - WIDTH * HEIGHT
STEPS = 1_000
STEPS_BY_HAND = 2_400
"""About five minutes, because people stop to read and to look around. Agents need no pauses, and shorter episodes let
them begin again more often."""
THRESHOLD = 20.0
"""With the default weights, no episode that misses its task returns as much, and each that does not returns more."""

FAMILY = Family("gameboy", "Game Boy", requires=("pyboy",), install="pip install 'rlviz[gameboy]'")


class Action(NamedTuple):
    label: str
    button: str | None


ACTIONS = (
    Action("nothing", None),
    Action("up", "up"),
    Action("right", "right"),
    Action("down", "down"),
    Action("left", "left"),
    Action("A: use or strike", "a"),
)
TAPS = {
    "mode": (0, 4, ""),
    "room": (0, len(ROOMS) - 1, ""),
    "square_x": (0, WIDTH - 1, "squares"),
    "square_y": (0, HEIGHT - 1, "squares"),
    "facing": (0, len(FACING) - 1, ""),
    "hearts": (0, HEARTS, ""),
    **dict.fromkeys(("has_sword", "has_key", "door_open", "brambles_cut", "grate_open", "lamp_lit"), (0, 1, "")),
    "block_x": (0, 255, "squares"),
    "block_y": (0, 255, "squares"),
    "rooms_seen": (0, len(ROOMS), "rooms"),
    "crabs_beaten": (0, 255, "crabs"),
    "signs_read": (0, 255, "signs"),
    "hurt": (0, 255, "frames"),
    "swing": (0, 255, "frames"),
}
"""Variables of the game that each step returns, with the lowest value, the highest, and the unit."""
DIRECTIONS = ("up", "right", "down", "left")
_LABELS = tuple(action.label for action in ACTIONS)


def frames_a_second(frame_skip: int) -> float:
    """Return the steps in a second of the game."""
    return round(FRAMES_A_SECOND / frame_skip, 2)


def labels() -> tuple[str, ...]:
    """Return the name of each number of a vector."""
    crab = [(f"crab {n} is there", f"crab {n} x", f"crab {n} y") for n in range(1, CRABS + 1)]
    named = [
        *(f"in the {room}" for room in ROOMS),
        *("column", "row"),
        *(f"faces {way}" for way in FACING),
        *("hearts", "has the sword", "has the key"),
        *("brambles are cut", "grate is open", "door is open", "lamp is lit"),
        *("block is there", "block column", "block row"),
        *(f"{room} visited" for room in ROOMS),
        *("reads", "safe from crabs", "strikes"),
        *(name for names in crab for name in names),
    ]
    around = [*(f"square {where} the player" for where in ("above", "right of", "below", "left of")), "square ahead"]
    squares = [f"square {x}, {y}" for y in range(1, HEIGHT + 1) for x in range(1, WIDTH + 1)]
    return (*named, *around, *squares)


def _vector() -> Space:
    return box(*labels(), units=("",) * NUMBERS)


class LamplighterOptions(Options):
    task: Literal["goal", "key", "explore"] = Field(
        "goal", description="What ends an episode: the lamp is lit, the door is open, or all nine rooms are seen."
    )
    observation: Literal["vector", "pixels"] = Field(
        "vector", description="128 numbers from the game's memory, or the screen at half its size."
    )
    frame_stack: int = Field(1, ge=1, le=4, description="Pictures seen together, so that movement can be seen.")
    frame_skip: int = Field(FRAME_SKIP, ge=1, le=60, description="Frames of a step; a walk to the next square takes 8.")
    hold: int = Field(
        HOLD, ge=1, le=60, description="Frames of a step during which the button is held; at most frame_skip."
    )
    sticky_actions: float = Field(0.0, ge=0, lt=1, description="Chance in each step that the last action is repeated.")
    latched: bool = Field(False, description="Keep a direction held until another action is taken.")
    max_episode_steps: int = Field(
        STEPS,
        ge=50,
        le=100_000,
        description="Steps after which an episode ends.",
        json_schema_extra={"by_hand": STEPS_BY_HAND},
    )
    reward_rooms: float = Field(1.0, ge=0, le=100, description="Reward for each room seen for the first time.")
    reward_items: float = Field(2.0, ge=0, le=100, description="Reward for the sword, and for the key.")
    reward_ways: float = Field(2.0, ge=0, le=100, description="Reward for the brambles, the grate and the door, each.")
    reward_goal: float = Field(10.0, ge=0, le=100, description="Reward for the end of the task.")
    penalty_hearts: float = Field(0.1, ge=0, le=100, description="Reward lost with each heart.")

    def consequences(self) -> dict[str, Any]:
        changed: dict[str, Any] = {
            "max_episode_steps": self.max_episode_steps,
            "render_fps": frames_a_second(self.frame_skip),
        }
        if self.observation == "pixels":
            changed["observation_space"] = box(shape=(SEEN_HEIGHT, SEEN_WIDTH, 3 * self.frame_stack), dtype="uint8")
        usual = type(self)().weights()
        if self.weights() != usual:
            changed["reward_threshold"] = None
        return changed

    def weights(self) -> dict[str, float]:
        """Return what each component of the reward counts."""
        return {
            "rooms": self.reward_rooms,
            "items": self.reward_items,
            "ways": self.reward_ways,
            "goal": self.reward_goal,
            "hearts": self.penalty_hearts,
        }

    def make_arguments(self) -> dict[str, Any]:
        names = {"task", "observation", "frame_stack", "frame_skip", "hold", "sticky_actions", "latched"}
        return {
            **self.model_dump(include={*names, "max_episode_steps"}),
            "weights": self.weights(),
        }


LAMPLIGHTER = Environment(
    id=ID,
    gymnasium_id=f"rlviz.learning.environments.gameboy.play:{ID}",
    name="Lamplighter",
    family=FAMILY,
    summary="Explore nine rooms of an island, find sword and key, and light the lamp of the lighthouse.",
    sees="Where it is, what it has and the squares of the room: 128 numbers; or the screen.",
    does="Walks from square to square, and reads, opens or strikes what is ahead.",
    observation_space=_vector(),
    action_space=discrete(len(ACTIONS), *_LABELS),
    controls=discrete_controls({1: UP, 2: RIGHT, 3: DOWN, 4: LEFT, 5: SPACE}, _LABELS, neutral=0),
    reward_threshold=THRESHOLD,
    max_episode_steps=STEPS,
    render_fps=frames_a_second(FRAME_SKIP),
    state_schema=taps_schema("Lamplighter", [(name, *facts) for name, facts in TAPS.items()]),
    options=LamplighterOptions(),
    reward_components=tuple(LamplighterOptions().weights()),
    world=World(
        "rlviz.learning.environments.cells:read_own",
        columns=WIDTH * ROOMS_A_ROW,
        rows=HEIGHT * (len(ROOMS) // ROOMS_A_ROW),
        rooms_across=ROOMS_A_ROW,
        rooms_down=len(ROOMS) // ROOMS_A_ROW,
        rooms=ROOMS,
        stages=6,
    ),
)
