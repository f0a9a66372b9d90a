"""A small picture of each environment, rendered by ``make stills`` and checked in.

Importing this does not import Gymnasium.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
WIDTH = 320
"""Width in pixels; the height follows from the environment's own frames."""


@cache
def has_still(env_id: str) -> bool:
    return still_path(env_id).is_file()


def still_path(env_id: str) -> Path:
    """Path of the still of a registered environment, whether it exists or not: ``ALE/Pong-v5`` is in
    ``ALE-Pong-v5.webp``."""
    return FOLDER / f"{env_id.replace('/', '-')}.webp"
