"""Faults injected into functions of this product, whichever they are: the list is made by watching what is called."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import rlviz

PRODUCT = str(Path(rlviz.__file__).parent)


class InjectedError(Exception):
    """Nothing in this product expects it."""


class Function(NamedTuple):
    """A function of the product: its file within the package, and its name there."""

    file: str
    line: int
    name: str

    @classmethod
    def of(cls, code: CodeType) -> Function | None:
        if not code.co_filename.startswith(PRODUCT):
            return None
        file = Path(code.co_filename).relative_to(PRODUCT).as_posix()
        return cls(file, code.co_firstlineno, code.co_qualname)

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}"


Chosen = Callable[[Function, FrameType], bool]
"""Whether a call counts: the function, and the frame that has just begun."""


def callers_of(frame: FrameType) -> Iterator[CodeType]:
    """The code of the frames above ``frame``, innermost first."""
    above = frame.f_back
    while above is not None:
        yield above.f_code
        above = above.f_back


def is_called_by_product(frame: FrameType) -> bool:
    return frame.f_back is not None and frame.f_back.f_code.co_filename.startswith(PRODUCT)


@contextmanager
def noting(chosen: Chosen) -> Iterator[dict[Function, None]]:
    """The functions that are called while the block runs, in every thread that begins in it, in order."""
    found: dict[Function, None] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and (function := Function.of(frame.f_code)) is not None and chosen(function, frame):
            found.setdefault(function)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


@contextmanager
def failing(function: Function, chosen: Chosen) -> Iterator[list[str]]:
    """While the block runs, each call of ``function`` that counts raises at its beginning, in every thread that begins
    in it too. Gives a list with an entry for each."""
    raised: list[str] = []

    def trace(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and Function.of(frame.f_code) == function and chosen(function, frame):
            raised.append(threading.current_thread().name)
            raise InjectedError(str(function))

    def rearm(_frame: FrameType, _event: str, _argument: Any) -> None:
        if sys.gettrace() is None:  # it ends with what it raises
            sys.settrace(trace)

    threading.setprofile(rearm)
    threading.settrace(trace)
    sys.setprofile(rearm)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield raised
    finally:
        sys.setprofile(None)
        sys.settrace(before)
        threading.settrace(None)  # type: ignore[arg-type]
        threading.setprofile(None)  # type: ignore[arg-type]
