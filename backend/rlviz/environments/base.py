"""Environment: what the product knows of an environment without importing Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rlviz.algorithms.base import Algorithm
from rlviz.domain.presets import Preset


@dataclass(frozen=True)
class Space:
    """A Gymnasium space in words. ``kind`` is its class name; ``labels`` name dimensions or actions."""

    kind: str
    shape: tuple[int, ...] = ()
    n: int | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Family:
    """Environments that belong together: one file, one heading on screen."""

    id: str
    title: str


@dataclass(frozen=True)
class Environment:
    """A registry entry. A contract test compares it with what ``gymnasium.make(id)`` says.

    ``presets`` holds, by algorithm id, presets tuned for this environment; they win over the algorithm's own.
    """

    id: str
    name: str
    family: Family
    summary: str
    observation_space: Space
    action_space: Space
    reward_threshold: float | None
    max_episode_steps: int | None
    render_fps: int
    presets: Mapping[str, tuple[Preset, ...]] = field(default_factory=dict)

    def suits(self, algorithm: Algorithm) -> bool:
        return self.action_space.kind in algorithm.action_spaces

    def presets_for(self, algorithm: Algorithm) -> list[Preset]:
        """Every preset of ``algorithm``, as it applies here."""
        tuned = self.presets.get(algorithm.id, ())
        return [algorithm.preset(preset.id, tuned) for preset in algorithm.presets]
