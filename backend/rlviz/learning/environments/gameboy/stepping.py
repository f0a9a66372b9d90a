"""A Game Boy game as a Gymnasium environment: what all games share. Only workers may import it.

A subclass says how an episode begins, what is read from memory, what the numbers of a vector are, and what a step is
worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rlviz.learning.environments.gameboy.cartridge import Cartridge
from rlviz.learning.environments.gameboy.emulator import Emulator, EmulatorState
from rlviz.learning.environments.gameboy.family import (
    DIRECTIONS,
    FRAMES_A_SECOND,
    SEEN_HEIGHT,
    SEEN_WIDTH,
    frames_a_second,
)


class Judged(NamedTuple):
    """What a step was worth. ``success``: whether the episode ended well; None if the game does not say."""

    components: dict[str, float]
    terminated: bool
    success: bool | None


class SteppedGame(gymnasium.Env[Any, Any]):
    """A game on an emulator. An action holds buttons for the first frames of a step.

    Args:
        cartridge: The game.
        actions: The buttons that each action holds.
        bounds: The least and the greatest number of a vector.
        numbers: How many numbers a vector has.
        render_mode: ``rgb_array`` or None.
        observation: ``vector``, ``pixels``, or ``both`` as a Dict for programs of your own.
        frame_skip: Frames of a step.
        hold: Frames of a step for which the buttons are held, at most all of them.
        sticky_actions: Chance of each step that the last action is taken again.
        latched: Whether a direction stays held until another action.
        frame_stack: Pictures seen together, the oldest first.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": FRAMES_A_SECOND}  # noqa: RUF012

    def __init__(
        self,
        cartridge: Cartridge,
        actions: Sequence[tuple[str, ...]],
        bounds: tuple[float, float],
        numbers: int,
        *,
        render_mode: str | None,
        observation: str,
        frame_skip: int,
        hold: int,
        sticky_actions: float,
        latched: bool,
        frame_stack: int,
    ) -> None:
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": frames_a_second(frame_skip)}
        self._buttons, self._seen, self._sticky, self._latched = tuple(actions), observation, sticky_actions, latched
        self._hold, self._rest = min(hold, frame_skip), max(frame_skip - hold, 0)
        self._draws = render_mode is not None or observation != "vector"
        self.action_space = spaces.Discrete(len(actions))
        self._pictures = np.zeros((frame_stack, SEEN_HEIGHT, SEEN_WIDTH, 3), np.uint8)
        pixels = spaces.Box(0, 255, (SEEN_HEIGHT, SEEN_WIDTH, 3 * frame_stack), np.uint8)
        vector = spaces.Box(*bounds, (numbers,), np.float32)
        parts: dict[str, spaces.Space[Any]] = {"pixels": pixels, "vector": vector}
        self.observation_space = spaces.Dict(parts) if observation == "both" else parts[observation]
        self._emulator = Emulator(cartridge)
        self._last = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._begin_episode()
        self._last = 0
        self._read_memory()
        if self._draws:
            self._pictures[:] = self._picture()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._sticky and self.np_random.random() < self._sticky:
            action = self._last
        self._last = int(action)
        pressed = self._buttons[self._last]
        self._emulator.hold(pressed, self._hold, render=self._draws and not self._rest)
        if self._rest:
            held = tuple(button for button in pressed if button in DIRECTIONS) if self._latched else ()
            self._emulator.hold(held, self._rest, render=self._draws)
        self._read_memory()
        if self._draws:
            self._pictures[:-1] = self._pictures[1:]
            self._pictures[-1] = self._picture()
        components, terminated, success = self._judge()
        info = {**self._info(), "reward_components": components}
        if terminated and success is not None:
            info["is_success"] = success
        return self._observation(), float(sum(components.values())), terminated, False, info

    def render(self) -> NDArray[np.uint8]:
        """Return the screen as it is, 144 × 160 × 3."""
        return self._emulator.screen()[:, :, :3].copy()

    def close(self) -> None:
        self._emulator.close()

    def taps(self) -> dict[str, int]:
        """Return the variables of the game by name."""
        raise NotImplementedError

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
        self._read_memory()
        if pictures is not None:
            self._pictures[:] = pictures
        elif self._draws:  # the environment that saved it does not draw
            self._emulator.redraw()
            self._pictures[:] = self._picture()

    def memory(self) -> bytes:
        """Return the work RAM of the Game Boy."""
        return self._emulator.memory()

    def _begin_episode(self) -> None:
        """Bring the emulator to the first moment of an episode. Draw a frame if ``_draws``."""
        raise NotImplementedError

    def _read_memory(self) -> None:
        """Read everything that the other methods need, and remember what was read before."""
        raise NotImplementedError

    def _vector(self) -> NDArray[np.float32]:
        raise NotImplementedError

    def _judge(self) -> Judged:
        """Return what the step was worth whose memory has just been read."""
        raise NotImplementedError

    def _info(self) -> dict[str, Any]:
        return {"taps": self.taps()}

    def _observation(self) -> Any:
        if self._seen == "vector":
            return self._vector()
        pixels = np.concatenate(list(self._pictures), axis=2)
        return pixels if self._seen == "pixels" else {"pixels": pixels, "vector": self._vector()}

    def _picture(self) -> NDArray[np.uint8]:
        """Return the screen at half its size: each pixel the mean of four."""
        half = cv2.resize(self._emulator.screen(), (SEEN_WIDTH, SEEN_HEIGHT), interpolation=cv2.INTER_AREA)
        return half[:, :, :3]  # type: ignore[return-value]
