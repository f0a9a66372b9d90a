"""Copying: files one after the other, each with its SHA-256, and how far that has come."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import IO

Tell = Callable[[str, int, int], None]
"""Is called with the name of what is worked at, and how many of how many are done: bytes, or what else is counted."""

CHUNK = 1 << 20


def tell_nobody(_name: str, _done: int, _total: int) -> None:
    """For whoever does not want to know."""


class Nowhere:
    """Takes bytes and forgets them."""

    def write(self, data: bytes) -> int:
        return len(data)


class Copying:
    """Of ``total`` bytes together."""

    def __init__(self, total: int = 0, tell: Tell = tell_nobody) -> None:
        self._done, self._total, self._tell = 0, total, tell

    def copy(self, name: str, source: IO[bytes], sink: IO[bytes] | Nowhere, most: int) -> tuple[int, str]:
        """Copy ``most`` bytes, or as many as there are; how many those were, and their SHA-256 in hexadecimal."""
        digest, left = hashlib.sha256(), most
        self._tell(name, self._done, self._total)
        while left and (chunk := source.read(min(CHUNK, left))):
            digest.update(chunk)
            sink.write(chunk)
            left -= len(chunk)
            self._done += len(chunk)
            self._tell(name, self._done, self._total)
        return most - left, digest.hexdigest()
