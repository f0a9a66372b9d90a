"""Reads the mean return of random actions in each registered environment, measured once and checked in.

``make random-returns`` writes ``random_returns.json`` beside this module. Importing it does not import Gymnasium.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import ConfigDict, Field, TypeAdapter

from rlviz.domain.lazy_model import LAZY, LazyModel
from rlviz.learning.environments.base import Environment

FILE = Path(__file__).with_name("random_returns.json")


class RandomReturn(LazyModel):
    """Returns of whole episodes with random actions, in an environment with its default options."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    std: float = Field(description="Standard deviation of the returns.")
    episodes: int
    seed: int = Field(description="Seed of the first episode; later ones count up.")
    versions: dict[str, str] = Field(description="Versions of the packages that played.")


def find_random_return(environment: Environment) -> RandomReturn | None:
    """Return the measured result; None for a custom environment, or for options other than the defaults."""
    if environment.custom is not None or environment.options != type(environment.options)():
        return None
    return measured().get(environment.id)


@cache
def measured() -> Mapping[str, RandomReturn]:
    return RETURNS.validate_json(FILE.read_bytes()) if FILE.exists() else {}


RETURNS = TypeAdapter(dict[str, RandomReturn], config=LAZY)
