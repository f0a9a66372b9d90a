"""LazyModel: the base of all data models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, ConfigDict

LAZY = ConfigDict(defer_build=True)
"""Configuration for a ``TypeAdapter``, with the same effect for a union of models."""


class LazyModel(BaseModel):
    """A model that builds its validator on first use instead of on import.

    The service imports about four hundred models and needs few of them to start.
    """

    model_config = LAZY


class Frozen(LazyModel):
    """A model whose fields cannot be set again. Analyses return these, and the API answers with them."""

    model_config = ConfigDict(frozen=True)


@contextmanager
def lazily_built() -> Iterator[None]:
    """Also defer the validators of library models that the block imports."""
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]


def build_all() -> None:
    """Build the validators of all imported models. Call it before a fork, so that no child has to."""
    waiting = [LazyModel]
    while waiting:
        model = waiting.pop()
        model.model_rebuild()
        waiting += model.__subclasses__()
