"""Copying: files one after the other, each with its SHA-256, and how far that has come."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import IO

ProgressCallback = Callable[[str, int, int], None]
"""Is called with the name of what is worked at, and how many of how many are done: bytes, or what else is counted."""

CHUNK = 1 << 20


def ignore_progress(_name: str, _done: int, _total: int) -> None:
    """For whoever does not want to know."""


class NullSink:
    """Takes bytes and forgets them."""

    def write(self, data: bytes) -> int:
        return len(data)


class Copying:
    """Of ``total`` bytes together."""

    def __init__(self, total: int = 0, on_progress: ProgressCallback = ignore_progress) -> None:
        self._done, self._total, self._on_progress = 0, total, on_progress

    def copy(self, name: str, source: IO[bytes], sink: IO[bytes] | NullSink, most: int) -> tuple[int, str]:
        """Copy ``most`` bytes, or as many as there are; how many those were, and their SHA-256 in hexadecimal."""
        digest, left = hashlib.sha256(), most
        self._on_progress(name, self._done, self._total)
        while left and (chunk := source.read(min(CHUNK, left))):
            digest.update(chunk)
            sink.write(chunk)
            left -= len(chunk)
            self._done += len(chunk)
            self._on_progress(name, self._done, self._total)
        return most - left, digest.hexdigest()
