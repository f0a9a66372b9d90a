"""What an environment with its options is called, and the scale on which its returns are normalised."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from rlviz.analysis.experiments import Scale
from rlviz.environments.base import Environment
from rlviz.environments.random_returns import random_return_of


def environment_title(env_id: str, options: Mapping[str, JsonValue]) -> str:
    """An environment with its options: “FrozenLake-v1, is_slippery true, map_name 4x4”; the same for the same ones."""
    chosen = (f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in options.items())
    return ", ".join([env_id, *sorted(chosen)])


def scale_of(environment: Environment) -> Scale | None:
    """The returns that become 0 and 1; None where no threshold lies above what random actions earn, or where that was
    not measured with these options."""
    chance, threshold = random_return_of(environment), environment.reward_threshold
    if chance is None or threshold is None or threshold <= chance.mean:
        return None
    return Scale(random=chance.mean, threshold=threshold)
