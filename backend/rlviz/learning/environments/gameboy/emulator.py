"""Runs a cartridge on PyBoy, without window and sound, with an exact state. Only workers may import it."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlviz.learning.environments.gameboy.cartridge import Cartridge
from rlviz.learning.environments.state import NotCapturable

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PySDL2 says which copy of SDL it uses
    from pyboy import PyBoy

HEIGHT, WIDTH = 144, 160
SHADES = (0xF8F0D8, 0x9CC8A8, 0x3F7278, 0x1A2238)
"""Colours of the screen, from the lightest to the darkest."""

Bytes = NDArray[np.uint8]


class EmulatorState(NamedTuple):
    """A moment between two frames, and what made it."""

    pyboy: str
    sha256: str
    held: tuple[str, ...]
    saved: bytes


class Emulator:
    """One Game Boy with one cartridge.

    PyBoy's state does not include input that waits for the next frame. So ``hold`` presses and releases only directly
    before a frame, and a state saved between two calls is complete.
    """

    def __init__(self, cartridge: Cartridge) -> None:
        self._cartridge = cartridge
        # From memory, so that PyBoy looks for no saved game beside the file, and writes none.
        self._pyboy: Any = PyBoy(
            io.BytesIO(cartridge.read()),
            window="null",
            sound_emulated=False,
            color_palette=SHADES,
            log_level="ERROR",
        )
        self._held: tuple[str, ...] = ()
        self._redrawn: Bytes | None = None
        """The picture of a restored moment, until the next frame."""
        self._addresses = cartridge.addresses()

    def address(self, name: str) -> int:
        return self._addresses[name]

    def read(self, name: str, count: int = 1) -> list[int]:
        """Return ``count`` bytes of the variable ``name``."""
        start = self._addresses[name]
        return list(self._pyboy.memory[start : start + count])

    def read_at(self, address: int, count: int) -> list[int]:
        """Return ``count`` bytes from ``address`` on."""
        return list(self._pyboy.memory[address : address + count]) if count > 1 else [self._pyboy.memory[address]]

    def hold(self, buttons: Sequence[str], frames: int, *, render: bool = True) -> None:
        """Run ``frames`` (at least one) with exactly these buttons held, and draw the last of them if ``render``."""
        for button in self._held:
            if button not in buttons:
                self._pyboy.button_release(button)
        for button in buttons:
            if button not in self._held:
                self._pyboy.button_press(button)
        self._held, self._redrawn = tuple(buttons), None
        self._pyboy.tick(frames, render, False)

    def mark_start(self) -> None:
        """Make this moment the one that ``restart`` returns to."""
        self._pyboy.game_wrapper.start_game(timer_div=0)

    def restart(self, timer_div: int) -> None:
        """Return to the marked moment, with this value (0 to 255) in the timer, which games draw numbers from."""
        self._pyboy.game_wrapper.reset_game(timer_div=timer_div)
        self._held, self._redrawn = (), None

    def screen(self) -> Bytes:
        """Return the picture last drawn: 144 × 160 × 4, red, green, blue and padding. It changes with the next one."""
        return self._pyboy.screen.ndarray if self._redrawn is None else self._redrawn

    def redraw(self) -> None:
        """Draw a picture after loading a state that was saved without drawing. The state stays the same.

        Only running a frame draws, so the picture is that of the next frame, after which the state is loaded again.
        """
        now = self.save()
        self._pyboy.tick(1, True, False)
        drawn = self.screen().copy()
        self.load(now)
        self._redrawn = drawn

    def save(self) -> EmulatorState:
        file = io.BytesIO()
        self._pyboy.save_state(file)
        return EmulatorState(pyboy_version(), self._cartridge.sha256, self._held, file.getvalue())

    def load(self, state: EmulatorState) -> None:
        """Restore a state. Raises NotCapturable if another cartridge or another PyBoy saved it."""
        if state.sha256 != self._cartridge.sha256:
            raise NotCapturable(
                f"The state belongs to another cartridge: its SHA-256 is {state.sha256[:12]}…, and that of "
                f"{self._cartridge.rom.name} is {self._cartridge.sha256[:12]}…."
            )
        if state.pyboy != pyboy_version():
            raise NotCapturable(
                f"PyBoy {state.pyboy} saved the state, and {pyboy_version()} is installed. Install PyBoy "
                f"{state.pyboy} to continue exactly."
            )
        self._pyboy.load_state(io.BytesIO(state.saved))
        self._held, self._redrawn = state.held, None

    def load_bytes(self, saved: bytes) -> None:
        """Load a state that PyBoy saved, with no button held. Raises whatever PyBoy does if it cannot."""
        self._pyboy.load_state(io.BytesIO(saved))
        self._held, self._redrawn = (), None

    def memory(self) -> bytes:
        """Return the work RAM."""
        return bytes(self._pyboy.memory[0xC000:0xE000])

    def close(self) -> None:
        """Free the emulator; it can be called again."""
        self._pyboy.stop(save=False)


def pyboy_version() -> str:
    return version("pyboy")
