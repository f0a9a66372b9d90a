"""Registry: a table of names to lazily loaded objects."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from rlviz.domain.errors import UnknownName

T = TypeVar("T")


def load(reference: str) -> Any:
    """Import ``"package.module:attribute"`` and return the attribute.

    Lazy references keep heavy packages out of processes that only need the names.
    """
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Registry(Generic[T]):
    """Maps names to ``"module:attribute"`` references, each loaded on first use.

    ``get`` raises UnknownName, with the nearest known name, for an unknown name.
    """

    def __init__(self, kind: str, references: Mapping[str, str], pointer: str) -> None:
        self._kind, self._references, self._pointer = kind, dict(references), pointer

    def get(self, name: str) -> T:
        if name not in self._references:
            raise UnknownName(self._kind, name, self._references, self._pointer)
        item: T = load(self._references[name])
        return item

    def names(self) -> list[str]:
        return list(self._references)

    def __iter__(self) -> Iterator[T]:
        return (self.get(name) for name in self._references)
