"""Functions that tests call in a confined process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic_core import SchemaError

from rlviz.domain.errors import UnknownName


def add(first: int, second: int) -> int:
    print("this is no answer")
    return first + second


def process_id() -> int:
    return os.getpid()


def take(size: int) -> int:
    return len(bytearray(size))


def answer(size: int) -> bytes:
    return bytes(size)


def end(code: int) -> None:
    os._exit(code)


def wait(tidied: Path) -> None:
    try:
        time.sleep(3_600)
    finally:
        tidied.touch()


def refuse(name: str) -> None:
    raise UnknownName("algorithm", name, ["ppo", "dqn"], "/algo")


def fail() -> None:
    raise FileNotFoundError(2, "No such file or directory", "none")


def fail_like_pydantic() -> None:
    """Raise an error whose class cannot be created without arguments."""
    raise SchemaError("no validator")


def wait_like_pydantic() -> None:
    """Replace the time limit's error by another, as pydantic does while it builds a validator."""
    try:
        time.sleep(3_600)
    except BaseException:
        fail_like_pydantic()


def count(to: int) -> Iterator[int]:
    yield from range(1, to + 1)
    if to > 3:
        raise UnknownName("number", str(to), ["1"], "/to")
