"""Monitors: a set of monitors, each of which follows a run or an evaluation with a worker."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, Protocol, TypeVar

from rlviz.launchers.base import Worker
from rlviz.services.supervision.retry import RetryThrottle


class Monitor(Protocol):
    """Follows one run or evaluation."""

    @property
    def worker(self) -> Worker | None:
        """Its worker; None while it waits for one."""

    def poll(self) -> bool:
        """Process what is new. Returns False once there is nothing more to follow."""


Key = TypeVar("Key", bound=Hashable)
M = TypeVar("M", bound=Monitor)


class Monitors(Generic[Key, M]):
    """Monitors by key, removed when they have nothing more to follow. All methods but ``in`` are called from one
    thread."""

    def __init__(self, name: Callable[[Key], str]) -> None:
        """``name``: what is followed, for the log."""
        self._name = name
        self._monitors: dict[Key, M] = {}
        self._throttle = RetryThrottle()

    def __contains__(self, key: Key) -> bool:
        return key in self._monitors

    def __len__(self) -> int:
        return len(self._monitors)

    def __iter__(self) -> Iterator[M]:
        """Over a copy, since others may ask while the supervisor adds one."""
        return iter(list(self._monitors.values()))

    def get(self, key: Key) -> M | None:
        return self._monitors.get(key)

    def add(self, key: Key, monitor: M) -> None:
        self._monitors[key] = monitor

    def workers(self) -> list[Worker]:
        """The workers of the monitors that have one."""
        return [monitor.worker for monitor in self if monitor.worker is not None]

    def poll(self) -> bool:
        """Poll each; return whether one has ended."""
        ended = [key for key, monitor in self._monitors.items() if not self._goes_on(key, monitor)]
        for key in ended:
            del self._monitors[key]
        return bool(ended)

    def _goes_on(self, key: Key, monitor: M) -> bool:
        """Whether it is still to be followed. One that raises is, and is not polled again for a while."""
        what = f"Following {self._name(key)}"
        if not self._throttle.may_try(what):
            return True
        try:
            goes_on = monitor.poll()
        except Exception as error:
            self._throttle.failed(what, error)
            return True
        self._throttle.over(what)
        return goes_on
