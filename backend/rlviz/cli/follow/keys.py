"""Keys: single key presses of a terminal, without Enter."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Keys:
    """``read`` waits up to ``seconds`` for a key; an empty text means that none was pressed."""

    def read(self, seconds: float) -> str:
        import select

        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        return os.read(sys.stdin.fileno(), 1).decode(errors="replace") if ready else ""


class WindowsKeys(Keys):
    def read(self, seconds: float) -> str:
        import importlib
        import time

        msvcrt = importlib.import_module("msvcrt")  # there is none elsewhere
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if msvcrt.kbhit():
                return str(msvcrt.getwch())
            time.sleep(0.02)
        return ""


@contextmanager
def pressed_keys() -> Iterator[Keys]:
    """The terminal hands out keys as they are pressed, unseen; as it was before when the block ends."""
    if sys.platform == "win32":
        yield WindowsKeys()
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield Keys()
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
