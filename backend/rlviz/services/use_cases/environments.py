"""All environments: those of the registry, and the custom ones, which are probed once at the start."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from threading import Thread

from rlviz.domain.errors import UnknownName
from rlviz.domain.spaces import Space
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment
from rlviz.environments.custom import FAMILY, custom_environment
from rlviz.environments.source import absolute, split_entry_point
from rlviz.presets.catalog import presets_tuned_for
from rlviz.services.use_cases.environment_probe import ProbeFailure, Prober

log = logging.getLogger(__name__)


class EnvironmentService:
    """``start`` probes custom environments in the background; all methods wait for its end."""

    def __init__(self, entry_points: Iterable[str] = (), prober: Prober | None = None) -> None:
        self._entry_points = tuple(dict.fromkeys(entry_points))
        self._prober = prober or Prober()
        self._own: dict[str, Environment] = {}
        self._stills: dict[str, bytes] = {}
        self._thread = Thread(target=self._probe, name="probe-environments", daemon=True)

    def start(self) -> None:
        if self._entry_points:
            self._thread.start()

    def close(self) -> None:
        self._prober.close()

    def all(self) -> list[Environment]:
        return [*ENVIRONMENTS, *self._probed().values()]

    def get(self, env_id: str) -> Environment:
        """Raises UnknownName, which suggests the nearest name."""
        if env_id in ENVIRONMENTS.names():
            return ENVIRONMENTS.get(env_id)
        own = self._probed()
        if env_id not in own:
            raise UnknownName("environment", env_id, [*ENVIRONMENTS.names(), *own], "/env_id")
        return own[env_id]

    def still(self, env_id: str) -> bytes | None:
        """A small picture of a custom environment (WebP), made when it was probed; None without one."""
        return self._stills.get(env_id) if env_id in self._probed() else None

    def _probed(self) -> dict[str, Environment]:
        if self._thread.ident is not None:
            self._thread.join()
        return self._own

    def _probe(self) -> None:
        for entry_point in self._entry_points:
            env_id = self._free_id(entry_point)
            self._own[env_id] = self._probe_one(env_id, entry_point)

    def _probe_one(self, env_id: str, entry_point: str) -> Environment:
        try:
            found = self._prober.probe(absolute(entry_point))
        except ValueError as error:
            found = ProbeFailure(str(error))
        if isinstance(found, ProbeFailure):
            log.info("Environment %s cannot be used: %s", entry_point, found.message)  # page and doctor say it
            return _unusable(env_id, entry_point, found.message)
        if found.still is not None:
            self._stills[env_id] = found.still
        return custom_environment(env_id, found.environment)

    def _free_id(self, entry_point: str) -> str:
        """The name of the class, with a number if it is taken."""
        try:
            name = split_entry_point(entry_point)[1]
        except ValueError:
            name = entry_point[:80]
        taken = {*ENVIRONMENTS.names(), *self._own}
        candidates = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3)))
        return next(candidate for candidate in candidates if candidate not in taken)


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


def _unusable(env_id: str, entry_point: str, reason: str) -> Environment:
    return Environment(
        id=env_id,
        name=env_id,
        family=FAMILY,
        summary=f"Your own, from {entry_point}.",
        observation_space=Space("Unknown"),
        action_space=Space("Unknown"),
        reward_threshold=None,
        max_episode_steps=None,
        render_fps=30,
        unavailable_reason=reason,
    )
