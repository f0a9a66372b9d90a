"""What went wrong in training, for people: a full disk, want of memory, a step that never returns."""

from __future__ import annotations

import sys
import traceback
from types import FrameType

from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import message_of


def in_words(error: BaseException) -> str:
    """The error's own message, after what it means where that is known."""
    said = message_of(error)
    if is_out_of_memory(error):
        return (
            f"The worker ran out of memory{f' ({said})' if said else ''}. Choose a smaller buffer, batch or network, "
            "fewer environments, or fewer runs at a time."
        )
    if is_disk_full(error):
        return f"{DISK_FULL} ({said}). Make room, then start a new run; what was saved before is kept."
    return said


def is_out_of_memory(error: BaseException) -> bool:
    """PyTorch raises a RuntimeError of its own where Python raises MemoryError."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and "allocate memory" in message_of(error)
    )


def where(thread_id: int | None) -> list[str]:
    """The lines of code that a thread is in, outermost first; empty if it has ended."""
    frame: FrameType | None = sys._current_frames().get(thread_id or 0)
    return traceback.format_stack(frame) if frame is not None else []
