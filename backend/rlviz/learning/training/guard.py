"""Keeps failures of code around training (recording, evaluation, rules …) from ending it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple

from rlviz.domain.errors import summarize_error
from rlviz.domain.limits import to_number


class LeavesTraining(Exception):
    """Base class of exceptions that leave the library's ``learn`` on purpose. A Guard lets them pass."""


def print_traceback(error: Exception) -> None:
    """Print the traceback to standard error, which is ``worker.log`` in a worker."""
    traceback.print_exception(error, file=sys.stderr)


class Guard:
    """Runs each part in a ``with`` block; an exception ends the block and becomes a warning.

    Only the first failure of each part is warned of and logged. For any thread.
    """

    def __init__(self, warn: Callable[[str], None], log: Callable[[Exception], None] = print_traceback) -> None:
        self._warn, self._log = warn, log
        self._failed: set[str] = set()

    def __call__(self, watcher: str, *, may_draw: bool = False, on_failure: Callable[[], None] | None = None) -> Block:
        """Return the block in which a part runs.

        Args:
            watcher: Name of the part; the warning begins with it.
            may_draw: Whether the part may draw random numbers. If it fails, the global generators are restored to their
                states at the start of the block.
            on_failure: Called after a failure.
        """
        return Block(self, watcher, may_draw, on_failure)

    def report(self, watcher: str, error: Exception) -> None:
        """Warn that a part has failed. Never raises."""
        if watcher in self._failed:
            return
        self._failed.add(watcher)
        with suppress(Exception):
            self._log(error)
        with suppress(Exception):
            self._warn(f"{watcher} failed ({summarize_error(error)}). Training continues without it.")


class Block:
    """A ``with`` block of a Guard."""

    __slots__ = ("_guard", "_may_draw", "_on_failure", "_restore", "_watcher")

    def __init__(self, guard: Guard, watcher: str, may_draw: bool, on_failure: Callable[[], None] | None) -> None:
        self._guard, self._watcher, self._may_draw, self._on_failure = guard, watcher, may_draw, on_failure
        self._restore: Callable[[], None] | None = None

    def __enter__(self) -> None:
        if self._may_draw:
            from rlviz.learning.algorithms.experience import (
                capture_generators,  # imports torch, which rlviz.track does without
            )

            self._restore = capture_generators()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, LeavesTraining):
            return False
        if self._restore is not None:
            self._restore()
        if self._on_failure is not None:
            self._on_failure()
        self._guard.report(self._watcher, error)
        return True


class FinishedEpisode(NamedTuple):
    """A finished episode: its return and its length in environment steps."""

    reward: float
    length: int


def read_finished_episode(info: object) -> FinishedEpisode | None:
    """Return the episode that ended with this step, as ``Monitor`` and ``VecMonitor`` report it, or None.

    An ``episode`` that the environment itself puts into ``info``, for instance a number, is ignored.
    """
    if not isinstance(info, Mapping) or not isinstance(episode := info.get("episode"), Mapping):
        return None
    reward, length = to_number(episode.get("r")), to_number(episode.get("l"))
    if reward is None or length is None or not 0 <= length < float("inf"):
        return None
    return FinishedEpisode(float(reward), int(length))
