"""Wrappers that make Box2D episodes independent of earlier ones. Only workers import this."""

from __future__ import annotations

from typing import Any

import Box2D

from rlviz.environments.wrappers import Env, Wrapper


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
