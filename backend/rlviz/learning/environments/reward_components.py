"""Reads, checks and sums the reward components of environments. Only workers may import it.

**An environment** reports its components in each step: ``info["reward_components"] = {"name": value, …}``. Their sum is
the reward. It is checked for a user's environment (``conforming.py``) and for Gymnasium's, which a ``SplitReward``
splits; a difference is warned of once in a run. An environment without components has the single component ``reward``,
which is not recorded.

**A bonus** that training adds to the reward is a component that is *not of the environment*. It needs a line in
``rlviz.domain.reward_components.KNOWN`` with ``of_environment=False``, and reports its part in one of two ways:

- known at each step: the bonus adds it to the info of the step, above the wrapper that counts episodes (``Monitor``),
  with ``add_bonus(info, "coverage", value)``. The callback of training sums it with the environment's components.
- known only later, such as at the end of a rollout: the bonus journals its own row,
  ``journals.metrics(step, {find_component("novelty").metric: mean_over_episodes})``.

In both cases the bonus is added to what the policy learns from, and to nothing else: the episode's return,
``episode/reward``, stays the environment's own, and evaluations are played without bonuses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rlviz.domain.errors import EnvironmentFaulty
from rlviz.domain.reward_components import MOST_COMPONENTS, Components, component_metrics
from rlviz.learning.environments.observed import as_number, brief

COMPONENTS = "reward_components"
"""Key of an info dictionary."""

TOLERANCE = 1e-4
"""Allowed difference between sum and reward, relative to the largest of them and 1: Box2D computes with 32 bits."""


def add_bonus(info: dict[str, Any], name: str, value: float) -> None:
    """Add the part of a bonus to the info of a step. See the module's documentation."""
    info[COMPONENTS] = {**info.get(COMPONENTS, {}), name: value}


def read_components(found: object) -> dict[str, float]:
    """Return the components that an environment reported, as floats. Raises EnvironmentFaulty for anything else."""
    if not isinstance(found, Mapping):
        raise EnvironmentFaulty(f"returned {brief(found)} as its {COMPONENTS}, where a dict of numbers is needed")
    if len(found) > MOST_COMPONENTS:
        raise EnvironmentFaulty(f"returned {len(found)} {COMPONENTS}; at most {MOST_COMPONENTS} are recorded")
    return {str(name): as_number(value, f"{COMPONENTS}[{str(name)[:40]!r}]") for name, value in found.items()}


def differs(components: Components, reward: float) -> bool:
    """Return whether the sum of ``components`` is not ``reward``. NaN and infinity are reported elsewhere."""
    total = sum(components.values())
    if abs(total - reward) <= TOLERANCE:  # the common case
        return False
    largest = max(1.0, abs(reward), *map(abs, components.values()))
    return math.isfinite(reward) and not abs(total - reward) <= TOLERANCE * largest


def describe_difference(components: Components, reward: float, environment: str) -> str:
    """Describe a wrong sum, as a continuation of "The environment"."""
    return (
        f"({environment}) returned {COMPONENTS} whose sum is {sum(components.values()):g}, and a reward of {reward:g}"
    )


@dataclass
class EpisodeSums:
    """Sums the components of the current episode in each of several environments.

    Its state belongs into snapshots. An episode that was not seen from its start gets no metrics: older snapshots have
    no sums.
    """

    _sums: dict[int, dict[str, float]] = field(default_factory=dict, init=False)
    _steps: dict[int, int] = field(default_factory=dict, init=False)

    def add(self, place: int, components: Components) -> None:
        """Add the components of one step of the environment at ``place``."""
        sums = self._sums.setdefault(place, {})
        for name, value in components.items():
            sums[name] = sums.get(name, 0.0) + value
        self._steps[place] = self._steps.get(place, 0) + 1

    def finish(self, place: int, episode_return: float, length: int) -> dict[str, float]:
        """Return the metrics of the components of the episode that ended at ``place``, and forget it.

        Args:
            episode_return: The environment's own return.
            length: Steps of the episode.

        Returns:
            The sums by name of the metric; empty unless the reward has more than one component.
        """
        return component_metrics(self.take(place, length), episode_return)

    def take(self, place: int, length: int) -> dict[str, float]:
        """Return the sums of the episode that ended at ``place`` after ``length`` steps, and forget it.

        They are empty if not all of its steps reported components.
        """
        sums, steps = self._sums.pop(place, {}), self._steps.pop(place, 0)
        return {name: float(value) for name, value in sums.items()} if steps == length else {}

    def state(self) -> dict[str, Any]:
        return {"sums": {place: dict(sums) for place, sums in self._sums.items()}, "steps": dict(self._steps)}

    def restore(self, state: Mapping[str, Any] | None) -> None:
        """Restore what ``state`` returned. None: the snapshot has no sums."""
        self._sums = {place: dict(sums) for place, sums in (state or {}).get("sums", {}).items()}
        self._steps = dict((state or {}).get("steps", {}))
