"""Environment: what the product knows of an environment without importing Gymnasium."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.algorithms.base import Algorithm


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

    Presets tuned for it are data: ``rlviz.presets``.
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

    def suits(self, algorithm: Algorithm) -> bool:
        """Whether ``algorithm`` can take its actions and see its observations."""
        return (
            self.action_space.kind in algorithm.action_spaces
            and self.observation_space.kind in algorithm.observation_spaces
        )
