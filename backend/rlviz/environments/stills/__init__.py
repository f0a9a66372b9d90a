"""A still of each environment: a small picture from within an episode, rendered by ``make stills`` and checked in.

Whoever serves them imports no Gymnasium.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
WIDTH = 320
"""Pixels; the height follows from the environment's own frames."""


@cache
def has_still(env_id: str) -> bool:
    return still_path(env_id).is_file()


def still_path(env_id: str) -> Path:
    """Where the still of a registered environment is, or would be: ``ALE/Pong-v5`` is in ``ALE-Pong-v5.webp``."""
    return FOLDER / f"{env_id.replace('/', '-')}.webp"
