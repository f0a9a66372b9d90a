"""Describes a Game Boy game of the user's as an environment. Importing this does not import PyBoy or Gymnasium."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Literal

from pydantic import Field, create_model

from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.games import FrameSkip, Game
from rlviz.domain.reward_components import label_of
from rlviz.domain.spaces import Space, box, discrete
from rlviz.learning.environments.base import DOWN, LEFT, RIGHT, SPACE, UP, Environment, Options, discrete_controls
from rlviz.learning.environments.cells import World
from rlviz.learning.environments.gameboy.family import (
    FAMILY,
    SEEN_HEIGHT,
    SEEN_WIDTH,
    frames_a_second,
)
from rlviz.learning.environments.gameboy.game_file import split_buttons

PREFIX = "GameBoy/"
"""First part of the id of every game."""

KEYS = {
    **{"up": UP, "right": RIGHT, "down": DOWN, "left": LEFT, "a": SPACE},
    **{"b": "KeyB", "start": "KeyT", "select": "KeyE"},
}
LABELS = {"a": "A", "b": "B", "start": "Start", "select": "Select"}
_WEIGHT = "reward_"


class GameOptions(Options):
    """The options of a game; ``options_of`` adds those that depend on it."""

    game: ClassVar[Game]

    frame_stack: int = Field(1, ge=1, le=4, description="Pictures seen together, so that movement can be seen.")
    sticky_actions: float = Field(0.0, ge=0, lt=1, description="Chance in each step that the last action is repeated.")
    latched: bool = Field(False, description="Keep directions held until another action is taken.")

    def make_arguments(self) -> dict[str, Any]:
        values = self.model_dump()
        weights = {one.name: values.pop(_WEIGHT + one.name) for one in self.game.components}
        return {**values, "weights": weights}

    def consequences(self) -> dict[str, Any]:
        values = self.model_dump()
        changed: dict[str, Any] = {
            "max_episode_steps": values["max_episode_steps"],
            "render_fps": frames_a_second(values["frame_skip"]),
            "observation_space": _space(self.game, values["observation"], values["frame_stack"]),
        }
        if any(values[_WEIGHT + one.name] != 1 for one in self.game.components):
            changed["reward_threshold"] = None
        return changed


@lru_cache(maxsize=64)
def options_of(game: Game) -> GameOptions:
    """Return the options of a game at their defaults, which its file sets."""
    seen = Literal["vector", "pixels"] if game.taps else Literal["pixels"]
    fields: dict[str, Any] = {
        "observation": (
            seen,
            Field(game.observation, description="The values of its taps, or the screen at half its size."),
        ),
        "frame_skip": (FrameSkip, Field(game.frame_skip, description="Frames of a step.")),
        "hold": (
            int,
            Field(game.hold, ge=1, le=60, description="Frames of a step during which the buttons are held."),
        ),
        "max_episode_steps": (
            int,
            Field(game.max_episode_steps, ge=50, le=100_000, description="Steps after which an episode ends."),
        ),
        "random_frames": (
            int,
            Field(
                game.random_frames,
                ge=0,
                le=600,
                description="An episode begins after up to this many frames, so that episodes differ by their seed.",
            ),
        ),
    }
    for one in game.components:
        help_text = f"Factor on the component “{label_of(one.name)}” of the reward."
        fields[_WEIGHT + one.name] = (float, Field(1.0, ge=-1_000, le=1_000, description=help_text))
    kind = create_model("OwnGameOptions", __base__=GameOptions, **fields)
    kind.game = game
    return kind()


def actions_of(game: Game) -> list[tuple[str, ...]]:
    """Return the buttons that each action holds; the first one holds none."""
    return [(), *(split_buttons(text) for text in game.buttons)]


def game_environment(env_id: str, custom: CustomEnvironment) -> Environment:
    """Return the entry for a game that was read from the user's folder of ROMs."""
    game = custom.game
    assert game is not None
    options, actions = options_of(game), actions_of(game)
    labels = tuple(" + ".join(LABELS.get(one, one) for one in held) or "nothing" for held in actions)
    keys = {number: tuple(KEYS[one] for one in held) for number, held in enumerate(actions) if held}
    return Environment(
        id=env_id,
        name=game.name,
        family=FAMILY,
        summary=custom.summary,
        sees="Numbers from the memory of the game; or the screen." if game.taps else "The screen.",
        does="Holds buttons of the Game Boy.",
        observation_space=_space(game, game.observation, 1),
        action_space=discrete(len(actions), *labels),
        controls=discrete_controls(keys, labels, neutral=0),
        reward_threshold=game.reward_threshold,
        max_episode_steps=game.max_episode_steps,
        render_fps=frames_a_second(game.frame_skip),
        options=options,
        world=_world(game),
        state_schema=game.state_schema(),
        reward_components=tuple(one.name for one in game.components),
        custom=custom,
    )


def _space(game: Game, observation: str, frame_stack: int) -> Space:
    if observation == "pixels":
        return box(shape=(SEEN_HEIGHT, SEEN_WIDTH, 3 * frame_stack), dtype="uint8")
    return box(*game.tap_names, units=tuple("" for _ in game.taps))


def _world(game: Game) -> World | None:
    cell = game.cell
    if cell is None:
        return None
    return World(
        "rlviz.learning.environments.cells:read_own",
        columns=cell.columns,
        rows=cell.rows,
        rooms_across=cell.rooms_across,
        rooms_down=cell.rooms_down,
        rooms=cell.rooms,
        stages=cell.stages or 1,
    )
