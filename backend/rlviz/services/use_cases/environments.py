"""All environments: those of the registry, and the custom ones, which are probed at the start, and when their files
change.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock, Thread

from rlviz.domain.errors import UnknownName
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment
from rlviz.environments.custom import custom_environment, unknown_environment
from rlviz.environments.source import absolute, split_entry_point
from rlviz.presets.catalog import presets_tuned_for
from rlviz.services.use_cases.environment_probe import ProbeFailure, Prober

log = logging.getLogger(__name__)

AT_ONCE = max(2, os.cpu_count() or 1)
"""So many environments are probed at the same time."""

Version = tuple[tuple[str, int, int], ...]
"""Of files: path, time of the last change in nanoseconds, and bytes of each."""


class EnvironmentService:
    """``start`` probes custom environments in the background. A method that needs one of them waits for it."""

    def __init__(self, entry_points: Iterable[str] = (), prober: Prober | None = None) -> None:
        self._prober = prober or Prober()
        self._places = BoundedSemaphore(AT_ONCE)
        self._own: dict[str, _OwnEnvironment] = {}
        for entry_point in dict.fromkeys(entry_points):
            env_id = self._free_id(entry_point)
            self._own[env_id] = _OwnEnvironment(env_id, entry_point, self._prober, self._places)
        self._is_started = False

    def start(self) -> None:
        self._is_started = True
        for own in self._own.values():
            own.start()

    def close(self) -> None:
        self._prober.close()

    def all(self) -> list[Environment]:
        return [*ENVIRONMENTS, *(own.current().environment for own in self._started())]

    def get(self, env_id: str) -> Environment:
        """Raises UnknownName, which suggests the nearest name."""
        if env_id in ENVIRONMENTS.names():
            return ENVIRONMENTS.get(env_id)
        own = {one.env_id: one for one in self._started()}
        if env_id not in own:
            raise UnknownName("environment", env_id, [*ENVIRONMENTS.names(), *own], "/env_id")
        return own[env_id].current().environment

    def still(self, env_id: str) -> bytes | None:
        """A small picture of a custom environment (WebP), made when it was probed; None without one."""
        found = next((one for one in self._started() if one.env_id == env_id), None)
        return None if found is None else found.current().still

    def _started(self) -> list[_OwnEnvironment]:
        return list(self._own.values()) if self._is_started else []

    def _free_id(self, entry_point: str) -> str:
        """The name of the class, with a number if it is taken."""
        try:
            name = split_entry_point(entry_point)[1]
        except ValueError:
            name = entry_point[:80]
        taken = {*ENVIRONMENTS.names(), *self._own}
        candidates = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3)))
        return next(candidate for candidate in candidates if candidate not in taken)


@dataclass(frozen=True)
class _Found:
    """What probing an environment gave, and the version of the files that it was read from."""

    environment: Environment
    still: bytes | None
    sources: tuple[str, ...]
    version: Version


class _OwnEnvironment:
    """A custom environment: probed in a thread of its own, and again once its files have changed."""

    def __init__(self, env_id: str, entry_point: str, prober: Prober, places: BoundedSemaphore) -> None:
        self.env_id, self._entry_point = env_id, entry_point
        self._prober, self._places = prober, places
        self._lock = Lock()
        self._probing: Thread | None = None
        self._found: _Found | None = None

    def start(self) -> None:
        """Begin to probe it, unless that is under way."""
        with self._lock:
            if self._probing is None:
                self._probing = Thread(target=self._probe, name=f"probe-{self.env_id}", daemon=True)
                self._probing.start()

    def current(self) -> _Found:
        """What is known of its files as they are now; waits while it is probed."""
        if self._probing is None and self._found is not None and _version(self._found.sources) != self._found.version:
            self.start()
        if (probing := self._probing) is not None:
            probing.join()
        assert self._found is not None
        return self._found

    def _probe(self) -> None:
        with self._places:
            found = self._look()
        with self._lock:
            self._found, self._probing = found, None

    def _look(self) -> _Found:
        try:
            entry_point = absolute(self._entry_point)
        except ValueError as error:
            return self._unusable(str(error), ())
        file = split_entry_point(entry_point)[0]
        before = _version((file,))
        try:
            found = self._prober.probe(entry_point)
        except OSError as error:
            found = ProbeFailure(f"No process could be started to probe it: {error}.")
        if isinstance(found, ProbeFailure):
            return self._unusable(found.message, before)
        sources = found.sources or (file,)
        changed = _version((file,)) != before  # while it was probed: what was found may be of either
        return _Found(
            custom_environment(self.env_id, found.environment),
            found.still,
            sources,
            () if changed else _version(sources),
        )

    def _unusable(self, reason: str, version: Version) -> _Found:
        log.info("Environment %s cannot be used: %s", self._entry_point, reason)  # page and doctor say it
        return _Found(
            unknown_environment(self.env_id, f"Your own, from {self._entry_point}.", reason),
            None,
            tuple(path for path, _, _ in version),
            version,
        )


def _version(paths: Iterable[str]) -> Version:
    """Without files that are not there: a module's name is none."""
    found = []
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue
        found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)


def variants(environment: Environment) -> list[Environment]:
    """The variants of an environment, one for each combination of options that matter.

    An option matters if it has few values and one of them changes spaces, threshold, limits or presets.
    """
    names = [name for name in type(environment.options).model_fields if _matters(environment, name)]
    return list(environment.variants(*names)) if names else []


def _matters(environment: Environment, name: str) -> bool:
    if any(name in preset.when for preset in presets_tuned_for(environment.id)):
        return True
    return any(variant.facts() != environment.facts() for variant in environment.variants(name))
