"""Building environments. Imports Gymnasium: only workers import this."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import gymnasium

from rlviz.environments import ENVIRONMENTS


def make_environment(env_id: str, *, render: bool = False) -> gymnasium.Env[Any, Any]:
    """The environment called ``env_id``; with ``render``, one that hands out RGB frames.

    Raises UnknownName for an environment that is not in the registry.
    """
    environment = ENVIRONMENTS.get(env_id)
    return gymnasium.make(environment.id, render_mode="rgb_array" if render else None)
