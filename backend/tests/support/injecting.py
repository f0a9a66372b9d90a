"""Inject faults into functions of this package, which are found by tracing calls."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import rlviz

PRODUCT = str(Path(rlviz.__file__).parent)


class InjectedError(Exception):
    """An error that no code of the package expects."""


class Function(NamedTuple):
    """A function of the package: its file relative to the package, its line and its name."""

    file: str
    line: int
    name: str

    @classmethod
    def of(cls, code: CodeType) -> Function | None:
        if not code.co_filename.startswith(PRODUCT):
            return None
        file = _within_product(code.co_filename)
        return cls(file, code.co_firstlineno, code.co_qualname)

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}"


def file_of(module: ModuleType) -> str:
    """Return the file of a module as ``Function.file`` has it."""
    assert module.__file__ is not None
    return _within_product(module.__file__)


def _within_product(path: str) -> str:
    return Path(path).relative_to(PRODUCT).as_posix()


Chosen = Callable[[Function, FrameType], bool]
"""Whether a call counts: the function, and the frame that has just begun."""


def callers_of(frame: FrameType) -> Iterator[CodeType]:
    """Return the code of the frames above ``frame``, innermost first."""
    above = frame.f_back
    while above is not None:
        yield above.f_code
        above = above.f_back


def is_called_by_product(frame: FrameType) -> bool:
    return frame.f_back is not None and frame.f_back.f_code.co_filename.startswith(PRODUCT)


@contextmanager
def noting(chosen: Chosen) -> Iterator[dict[Function, CodeType]]:
    """Record the functions that are called within the block, in this thread and in those that start in it."""
    found: dict[Function, CodeType] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and (function := Function.of(frame.f_code)) is not None and chosen(function, frame):
            found.setdefault(function, frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


@contextmanager
def failing(function: Function, code: CodeType, chosen: Chosen) -> Iterator[list[InjectedError]]:
    """Make each accepted call of ``function`` raise InjectedError at its start, within the block.

    Of a comprehension and a generator expression, which are made anew at each call, the first call in this thread does.
    Gives a list to which each error is added.
    """
    raised: list[InjectedError] = []

    def inject(frame: FrameType) -> None:
        if chosen(function, frame):
            raised.append(InjectedError(str(function)))
            raise raised[-1]

    gc.unfreeze()  # what is frozen is not among the referrers
    found = [one for one in gc.get_referrers(code) if isinstance(one, FunctionType) and one.__code__ is code]
    if not found:
        with _failing_once(code, inject):
            yield raised
        return
    for one in found:
        one.__code__ = _failing_code(one, inject)
    try:
        yield raised
    finally:
        for one in found:
            one.__code__ = code


@contextmanager
def _failing_once(code: CodeType, inject: Callable[[FrameType], None]) -> Iterator[None]:
    def trace(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code is code:
            inject(frame)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _failing_code(known: FunctionType, inject: Callable[[FrameType], None]) -> CodeType:
    """Return code for ``known`` that calls ``inject`` with its frame before the original code."""
    original = FunctionType(known.__code__, known.__globals__, known.__name__, known.__defaults__, known.__closure__)
    original.__kwdefaults__ = known.__kwdefaults__

    def call(*arguments: Any, **options: Any) -> Any:
        inject(sys._getframe(1))
        return original(*arguments, **options)

    free = known.__code__.co_freevars  # a function takes no code with fewer or more
    names: dict[str, Any] = {}
    exec(
        f"def make({', '.join(free)}):\n"
        " def stub(*arguments, **options):\n"
        f"  if False: ({''.join(name + ', ' for name in free)})\n"
        "  call = 'CALL'\n"
        "  return call(*arguments, **options)\n"
        " return stub\n",
        names,
    )
    stub: FunctionType = names["make"](*free)
    consts = tuple(call if constant == "CALL" else constant for constant in stub.__code__.co_consts)
    return stub.__code__.replace(co_consts=consts)
