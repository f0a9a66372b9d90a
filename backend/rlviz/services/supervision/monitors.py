"""Monitors: those that follow what is live, looked after together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, Protocol, TypeVar

from rlviz.launchers.base import Worker
from rlviz.services.supervision.retry import RetryThrottle


class Monitor(Protocol):
    """Follows one thing that is live."""

    @property
    def worker(self) -> Worker | None:
        """Who works on it; None while it waits for one."""

    def poll(self) -> bool:
        """Carry over what is new. Returns False once there is nothing more to follow."""


Key = TypeVar("Key", bound=Hashable)
M = TypeVar("M", bound=Monitor)


class Monitors(Generic[Key, M]):
    """Monitors by key, until they have nothing more to follow. All methods but ``in`` are called from one thread."""

    def __init__(self, name: Callable[[Key], str]) -> None:
        """``name`` says in the log what is followed."""
        self._name = name
        self._monitors: dict[Key, M] = {}
        self._throttle = RetryThrottle()

    def __contains__(self, key: Key) -> bool:
        return key in self._monitors

    def __len__(self) -> int:
        return len(self._monitors)

    def __iter__(self) -> Iterator[M]:
        return iter(self._monitors.values())

    def get(self, key: Key) -> M | None:
        return self._monitors.get(key)

    def add(self, key: Key, monitor: M) -> None:
        self._monitors[key] = monitor

    def workers(self) -> list[Worker]:
        """Of those that have one."""
        return [monitor.worker for monitor in self if monitor.worker is not None]

    def poll(self) -> bool:
        """Poll each; return whether one has ended."""
        ended = [key for key, monitor in self._monitors.items() if not self._goes_on(key, monitor)]
        for key in ended:
            del self._monitors[key]
        return bool(ended)

    def _goes_on(self, key: Key, monitor: M) -> bool:
        """Whether it is still to be followed; what fails is, and is left in peace for a while."""
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
