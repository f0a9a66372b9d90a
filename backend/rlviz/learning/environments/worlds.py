"""Wrappers that make Box2D episodes, and pictures of them, depend on seed and actions alone.

Only workers import this.
"""

from __future__ import annotations

from typing import Any

import Box2D

from rlviz.learning.environments.wrappers import Env, Wrapper


class NewWorld(Wrapper):
    """Makes a new Box2D world at each reset, as Gymnasium does for LunarLander only.

    BipedalWalker and CarRacing empty their world and fill it again. What the solver keeps of earlier bodies, such as
    the order of its lists, changes the last digits, so that the same seed and actions would give other episodes.
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        inner: Any = self.unwrapped
        inner._destroy()  # while the world of its bodies exists
        inner.world = Box2D.b2World(gravity=inner.world.gravity)
        return self.env.reset(seed=seed, options=options)


def new_world(env: Env, options: object) -> Env:
    return NewWorld(env)


PARTICLE_AGES_BY = 0.15
"""What LunarLander's drawing takes from the time that each particle of exhaust is still seen."""


class AgingExhaust(Wrapper):
    """LunarLander's exhaust ages, and goes, with each step. Its own does with each picture that is drawn, so that a
    picture would depend on how many were drawn before. What has gone too late changes how the rest falls."""

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        for particle in self._particles:
            particle.ttl -= PARTICLE_AGES_BY
        self._lander._clean_particles(False)
        return result

    def render(self) -> Any:
        seen = [(particle, particle.ttl) for particle in self._particles]
        for particle, left in seen:
            particle.ttl = left + PARTICLE_AGES_BY  # which drawing takes
        picture = self.env.render()
        for particle, left in seen:
            particle.ttl = left
        return picture

    @property
    def _lander(self) -> Any:
        return self.unwrapped

    @property
    def _particles(self) -> Any:
        return self._lander.particles


def aging_exhaust(env: Env, options: object) -> Env:
    """Where no pictures are drawn there is no exhaust."""
    return env if env.render_mode is None else AgingExhaust(env)
