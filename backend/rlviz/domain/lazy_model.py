"""LazyModel: what every model of data is built on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, ConfigDict

LAZY = ConfigDict(defer_build=True)
"""Of a ``TypeAdapter``: the same for a union of models."""


class LazyModel(BaseModel):
    """A model whose validator is built when it is first used, and not when its module is imported.

    The service imports four hundred models, and needs few of them before it answers.
    """

    model_config = LAZY


@contextmanager
def lazily_built() -> Iterator[None]:
    """The models of libraries that the block imports wait for their first use too."""
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]


def build_all() -> None:
    """Build the validators of all models that have been imported: before a fork, that no fork has to."""
    waiting = [LazyModel]
    while waiting:
        model = waiting.pop()
        model.model_rebuild()
        waiting += model.__subclasses__()
