"""Lamplighter as a Gymnasium environment. Only workers may import it; importing it registers its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cv2
import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rlviz.learning.environments.gameboy import lamplighter as game
from rlviz.learning.environments.gameboy.emulator import HEIGHT, WIDTH, Emulator, EmulatorState
from rlviz.learning.environments.gameboy.family import (
    ACTIONS,
    DIRECTIONS,
    FRAME_SKIP,
    FRAMES_A_SECOND,
    ID,
    NUMBERS,
    SEEN_HEIGHT,
    SEEN_WIDTH,
    SQUARES_FROM,
    THRESHOLD,
    frames_a_second,
)

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


class Lamplighter(gymnasium.Env[Any, Any]):
    """The game on an emulator. An action holds a button for the first frames of a step.

    Args:
        render_mode: ``rgb_array`` or None.
        task: What ends an episode well: ``goal``, ``key`` or ``explore``.
        observation: ``vector``, ``pixels``, or ``both`` as a Dict for programs of your own.
        frame_skip: Frames of a step.
        hold: Frames of a step for which the button is held, at most all of them.
        sticky_actions: Chance of each step that the last action is taken again.
        latched: Whether a direction stays held until another action.
        frame_stack: Pictures seen together, the oldest first.
        weights: What each component of the reward counts.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": FRAMES_A_SECOND / FRAME_SKIP}  # noqa: RUF012

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
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": frames_a_second(frame_skip)}
        self._task, self._seen, self._sticky, self._latched = task, observation, sticky_actions, latched
        self._hold, self._rest = min(hold, frame_skip), max(frame_skip - hold, 0)
        self._weights = {"rooms": 1.0, "items": 2.0, "ways": 2.0, "goal": 10.0, "hearts": 0.5, **(weights or {})}
        self._draws = render_mode is not None or observation != "vector"
        self.action_space = spaces.Discrete(len(ACTIONS))
        self._pictures = np.zeros((frame_stack, SEEN_HEIGHT, SEEN_WIDTH, 3), np.uint8)
        pixels = spaces.Box(0, 255, (SEEN_HEIGHT, SEEN_WIDTH, 3 * frame_stack), np.uint8)
        vector = spaces.Box(-1.0, 1.0, (NUMBERS,), np.float32)
        parts: dict[str, spaces.Space[Any]] = {"pixels": pixels, "vector": vector}
        self.observation_space = spaces.Dict(parts) if observation == "both" else parts[observation]
        self._emulator = Emulator(game.CARTRIDGE)
        self._first = self._emulator.address("mode")
        self._places = {
            name: self._emulator.address(name) - self._first
            for name in (*_TAPS, "visited", "crab_on", "crab_x", "crab_y", "squares")
        }
        # PyBoy's state lacks the line of the window that is drawn next. It is the first one after any drawn frame, but
        # another one in an emulator that has drawn none: so each draws a frame before a state is saved or restored.
        self._emulator.hold((), _FRAMES_TO_TITLE, render=True)
        self._emulator.mark_start()
        self._last = 0
        self._memory = self._read()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._emulator.restart(int(self.np_random.integers(256)))
        self._emulator.hold(("start",), 2, render=False)
        self._emulator.hold((), _MOST_FRAMES_TO_START, render=self._draws)
        self._last = 0
        self._memory = self._read()
        if self._draws:
            self._pictures[:] = self._picture()
        return self._observation(), {"taps": self.taps()}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._sticky and self.np_random.random() < self._sticky:
            action = self._last
        self._last = int(action)
        button = ACTIONS[self._last].button
        pressed = (button,) if button else ()
        self._emulator.hold(pressed, self._hold, render=self._draws and not self._rest)
        if self._rest:
            stays = self._latched and button in DIRECTIONS
            self._emulator.hold(pressed if stays else (), self._rest, render=self._draws)
        before, self._memory = self._memory, self._read()
        if self._draws:
            self._pictures[:-1] = self._pictures[1:]
            self._pictures[-1] = self._picture()
        success = self._has_succeeded()
        components = self._components(before, success)
        info = {"taps": self.taps(), "reward_components": components}
        terminated = success or self._tap("hearts") == 0
        if terminated:
            info["is_success"] = success
        return self._observation(), float(sum(components.values())), terminated, False, info

    def render(self) -> NDArray[np.uint8]:
        """Return the screen as it is, 144 × 160 × 3."""
        return self._emulator.screen()[:, :, :3].copy()

    def close(self) -> None:
        self._emulator.close()

    def taps(self) -> dict[str, int]:
        """Return the variables of the game by name."""
        memory, places = self._memory, self._places
        return {name: memory[places[name]] for name in _TAPS}

    def cell(self) -> tuple[int, int]:
        """Return where the player stands: column and row over all rooms."""
        down, across = divmod(self._tap("room"), game.ROOMS_A_ROW)
        return across * game.WIDTH + self._tap("square_x"), down * game.HEIGHT + self._tap("square_y")

    def squares(self) -> list[int]:
        """Return the kinds of the squares of this room, row by row: indices of ``lamplighter.KINDS``."""
        start = self._places["squares"]
        return self._memory[start : start + game.WIDTH * game.HEIGHT]

    def capture_state(self) -> object:
        """Return the complete state, as the protocol KeepsState says."""
        return (
            tuple(self._emulator.save()),
            self._last,
            self._pictures.copy() if self._draws else None,
            self.np_random.bit_generator.state,
        )

    def restore_state(self, state: Any) -> None:
        """Restore it. Raises NotCapturable if another cartridge or another PyBoy saved it."""
        emulator, self._last, pictures, generator = state
        self._emulator.load(EmulatorState(*emulator))
        self.np_random.bit_generator.state = generator
        self._memory = self._read()
        if pictures is not None:
            self._pictures[:] = pictures

    def memory(self) -> bytes:
        """Return the work RAM of the Game Boy."""
        return self._emulator.memory()

    def _read(self) -> list[int]:
        return self._emulator.read("mode", _BYTES)

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

    def _observation(self) -> Any:
        if self._seen == "vector":
            return self._vector()
        pixels = np.concatenate(list(self._pictures), axis=2)
        return pixels if self._seen == "pixels" else {"pixels": pixels, "vector": self._vector()}

    def _picture(self) -> NDArray[np.uint8]:
        """Return the screen at half its size: each pixel the mean of four."""
        half = cv2.resize(self._emulator.screen(), (SEEN_WIDTH, SEEN_HEIGHT), interpolation=cv2.INTER_AREA)
        return half[:, :, :3]  # type: ignore[return-value]

    def _vector(self) -> NDArray[np.float32]:
        """Return the numbers that ``family.labels`` names, in the same order."""
        memory, places = self._memory, self._places
        found = np.zeros(NUMBERS, np.float32)
        tap = {name: memory[places[name]] for name in _TAPS}
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
        found[SQUARES_FROM:] = _SQUARE_NUMBERS[self.squares()]
        return found


_TAPS = (
    *("mode", "room", "square_x", "square_y", "facing", "hearts", "has_sword", "has_key"),
    *("door_open", "brambles_cut", "grate_open", "lamp_lit", "block_x", "block_y", "rooms_seen"),
    *("crabs_beaten", "signs_read", "hurt", "swing"),
)

gymnasium.register(id=ID, entry_point=f"{__name__}:Lamplighter", reward_threshold=THRESHOLD)
