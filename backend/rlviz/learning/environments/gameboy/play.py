"""Lamplighter as a Gymnasium environment. Only workers may import it; importing it registers its id."""

from __future__ import annotations

from collections.abc import Mapping

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rlviz.learning.environments.gameboy import lamplighter as game
from rlviz.learning.environments.gameboy.emulator import HEIGHT, WIDTH
from rlviz.learning.environments.gameboy.family import ACTIONS, ID, NUMBERS, SQUARES_FROM, TAPS, THRESHOLD
from rlviz.learning.environments.gameboy.stepping import Judged, SteppedGame

_FRAMES_TO_TITLE = 240
_MOST_FRAMES_TO_START = 60

_BYTES = 0x80
"""Bytes of memory, from the first variable on, that contain all variables."""

_SEEN_AS = {
    **dict.fromkeys(("grass", "flowers", "sand", "stone"), 0.0),
    **{"heart": 0.2, "plate": 0.3, "block": 0.4, "sign": 0.5, "tablet": 0.5, "brambles": 0.6, "grate": 0.7},
    **{"door": 0.8, "tower_bottom": 0.9, "tower_bottom_right": 0.9, "sword": 1.0, "key": 1.0},
}
"""The number that stands for a kind of square in a vector; −1 for all others, which only stand in the way."""
_SQUARE_NUMBERS = np.array([_SEEN_AS.get(kind, -1.0) for kind in game.KINDS], np.float32)

_AROUND = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The squares above, right of, below and left of the player: columns to the right, and rows down."""
_FACED = tuple(("up", "right", "down", "left").index(way) for way in game.FACING)
"""The index in ``_AROUND`` of the square ahead, by the number of the direction in memory."""


class Lamplighter(SteppedGame):
    """The game on an emulator.

    Args:
        render_mode: ``rgb_array`` or None.
        task: What ends an episode well: ``goal``, ``key`` or ``explore``.
        weights: What each component of the reward counts.

    The other arguments are those of ``SteppedGame``.
    """

    def __init__(
        self,
        render_mode: str | None = None,
        *,
        task: str = "goal",
        observation: str = "vector",
        frame_skip: int = 8,
        hold: int = 4,
        sticky_actions: float = 0.0,
        latched: bool = False,
        frame_stack: int = 1,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(
            game.CARTRIDGE,
            [(action.button,) if action.button else () for action in ACTIONS],
            (-1.0, 1.0),
            NUMBERS,
            render_mode=render_mode,
            observation=observation,
            frame_skip=frame_skip,
            hold=hold,
            sticky_actions=sticky_actions,
            latched=latched,
            frame_stack=frame_stack,
        )
        self._task = task
        self._weights = {"rooms": 1.0, "items": 2.0, "ways": 2.0, "goal": 10.0, "hearts": 0.1, **(weights or {})}
        self._first = self._emulator.address("mode")
        self._places = {
            name: self._emulator.address(name) - self._first
            for name in (*TAPS, "visited", "crab_on", "crab_x", "crab_y", "squares")
        }
        # PyBoy's state lacks the line of the window that is drawn next. It is the first one after any drawn frame, but
        # another one in an emulator that has drawn none: so each draws a frame before a state is saved or restored.
        self._emulator.hold((), _FRAMES_TO_TITLE, render=True)
        self._emulator.mark_start()
        self._memory: list[int] = []
        self._read_memory()

    def taps(self) -> dict[str, int]:
        """Return the variables of the game by name."""
        memory, places = self._memory, self._places
        return {name: memory[places[name]] for name in TAPS}

    def cell(self) -> tuple[int, int]:
        """Return where the player stands: column and row over all rooms."""
        down, across = divmod(self._tap("room"), game.ROOMS_A_ROW)
        return across * game.WIDTH + self._tap("square_x"), down * game.HEIGHT + self._tap("square_y")

    def stage(self) -> int:
        """Return how many of the five things that lead to the lamp are done: sword, brambles, grate, key and door."""
        done = ("has_sword", "brambles_cut", "grate_open", "door_open")
        return sum(map(self._tap, done)) + (self._tap("has_key") or self._tap("door_open"))

    def squares(self) -> list[int]:
        """Return the kinds of the squares of this room, row by row: indices of ``lamplighter.KINDS``."""
        start = self._places["squares"]
        return self._memory[start : start + game.WIDTH * game.HEIGHT]

    def _begin_episode(self) -> None:
        self._emulator.restart(int(self.np_random.integers(256)))
        self._emulator.hold(("start",), 2, render=False)
        self._emulator.hold((), _MOST_FRAMES_TO_START, render=self._draws)

    def _read_memory(self) -> None:
        self._before, self._memory = self._memory, self._emulator.read("mode", _BYTES)

    def _judge(self) -> Judged:
        success = self._has_succeeded()
        return Judged(self._components(self._before, success), success or self._tap("hearts") == 0, success)

    def _tap(self, name: str) -> int:
        return self._memory[self._places[name]]

    def _has_succeeded(self) -> bool:
        if self._task == "explore":
            return self._tap("rooms_seen") == len(game.ROOMS)
        return bool(self._tap("door_open" if self._task == "key" else "lamp_lit"))

    def _components(self, before: list[int], success: bool) -> dict[str, float]:
        places, memory, weights = self._places, self._memory, self._weights

        def gained(*names: str) -> int:
            return sum(max(memory[places[name]] - before[places[name]], 0) for name in names)

        lost = max(before[places["hearts"]] - memory[places["hearts"]], 0)
        return {
            "rooms": weights["rooms"] * gained("rooms_seen"),
            "items": weights["items"] * gained("has_sword", "has_key"),
            "ways": weights["ways"] * gained("brambles_cut", "grate_open", "door_open"),
            "goal": weights["goal"] * success,
            "hearts": weights["hearts"] * -lost,
        }

    def _vector(self) -> NDArray[np.float32]:
        """Return the numbers that ``family.labels`` names, in the same order."""
        memory, places = self._memory, self._places
        found = np.zeros(NUMBERS, np.float32)
        tap = {name: memory[places[name]] for name in TAPS}
        found[tap["room"]] = 1.0
        found[9] = tap["square_x"] / (game.WIDTH - 1)
        found[10] = tap["square_y"] / (game.HEIGHT - 1)
        found[11 + tap["facing"]] = 1.0
        found[15] = tap["hearts"] / game.HEARTS
        found[16:22] = [
            *(tap["has_sword"], tap["has_key"], tap["brambles_cut"]),
            *(tap["grate_open"], tap["door_open"], tap["lamp_lit"]),
        ]
        if tap["block_x"] < game.WIDTH:
            found[22:25] = [1.0, tap["block_x"] / (game.WIDTH - 1), tap["block_y"] / (game.HEIGHT - 1)]
        visited = places["visited"]
        found[25:34] = memory[visited : visited + 9]
        found[34] = tap["mode"] == game.READING
        found[35] = tap["hurt"] / 64
        found[36] = tap["swing"] / 8
        for crab in range(game.CRABS):
            if memory[places["crab_on"] + crab]:
                at = 37 + 3 * crab
                found[at] = 1.0
                found[at + 1] = memory[places["crab_x"] + crab] / WIDTH
                found[at + 2] = memory[places["crab_y"] + crab] / HEIGHT
        squares = _SQUARE_NUMBERS[self.squares()]
        around = [_square_at(squares, tap["square_x"] + right, tap["square_y"] + down) for right, down in _AROUND]
        found[43:48] = [*around, around[_FACED[tap["facing"]]]]
        found[SQUARES_FROM:] = squares
        return found


def _square_at(squares: NDArray[np.float32], x: int, y: int) -> float:
    """Return the number of a square of the room; 0 for the squares of the next room."""
    return float(squares[y * game.WIDTH + x]) if 0 <= x < game.WIDTH and 0 <= y < game.HEIGHT else 0.0


gymnasium.register(id=ID, entry_point=f"{__name__}:Lamplighter", reward_threshold=THRESHOLD)
