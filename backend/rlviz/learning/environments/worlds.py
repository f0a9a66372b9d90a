"""Wraps Box2D environments so that episodes and their frames depend only on seed and actions.

Only workers import this.
"""

from __future__ import annotations

from typing import Any

import Box2D

from rlviz.learning.environments.wrappers import Env, Wrapper


class NewWorld(Wrapper):
    """Makes a new Box2D world at each reset, as Gymnasium does for LunarLander only.

    BipedalWalker and CarRacing empty their world and fill it again. The solver's memory of earlier bodies, such as the
    order of its lists, changes the last digits, so the same seed and actions would lead to other episodes.
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        inner: Any = self.unwrapped
        inner._destroy()  # while the world of its bodies exists
        inner.world = Box2D.b2World(gravity=inner.world.gravity)
        return self.env.reset(seed=seed, options=options)


def wrap_new_world(env: Env, options: object) -> Env:
    return NewWorld(env)


PARTICLE_AGES_BY = 0.15
"""How much LunarLander's drawing shortens the life of each particle of exhaust."""


class AgingExhaust(Wrapper):
    """Makes LunarLander's exhaust age with each step.

    By itself it ages with each drawn frame, so a frame would depend on earlier ones. Particles that vanish
    too late also change how the others fall.
    """

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        for particle in self._particles:
            particle.ttl -= PARTICLE_AGES_BY
        self._lander._clean_particles(False)
        return result

    def render(self) -> Any:
        seen = [(particle, particle.ttl) for particle in self._particles]
        for particle, left in seen:
            particle.ttl = left + PARTICLE_AGES_BY  # drawing subtracts it
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


def wrap_aging_exhaust(env: Env, options: object) -> Env:
    """Wrap ``env`` if it renders; otherwise there is no exhaust."""
    return env if env.render_mode is None else AgingExhaust(env)
