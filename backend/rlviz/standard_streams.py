"""Make commands robust against standard streams that are closed, full, or without a reader."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

_NAMES = ("stdin", "stdout", "stderr")


_BEFORE: list[object] = []
"""The original streams, kept because a collected stream may close its file."""


def settle() -> None:
    """Open closed streams on the null device, and make standard error ignore write errors.

    Otherwise a file that is opened later gets the number of a closed stream, and with it the printed text.
    """
    for number, name in enumerate(_NAMES):
        try:
            os.fstat(number)
        except OSError:
            _open_on_nothing(number, name)
    if isinstance(stream := sys.stdout, io.TextIOWrapper) and not isinstance(stream, _Answer) and _is(stream, 1):
        _replace("stdout", 1, _Answer, stream)
    if isinstance(stream := sys.stderr, io.TextIOWrapper) and not isinstance(stream, _Forgiving) and _is(stream, 2):
        _replace("stderr", 2, _Forgiving, stream)


def output_error() -> OSError | None:
    """Flush standard output and return its write error; None if there was none."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error
    return sys.stdout.error if isinstance(sys.stdout, _Answer) else None


def discard_output() -> None:
    """Drop buffered output and print nothing more, since the interpreter would try to write it again at its end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
    with suppress(OSError, ValueError):
        sys.stdout.flush()


class _Answer(io.TextIOWrapper):
    """Remembers write errors, since an unbuffered stream keeps nothing to write again."""

    error: OSError | None = None

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self.error = error
            raise


class _Forgiving(io.TextIOWrapper):
    """Ignores write errors: a command does not fail because a remark cannot be printed."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def _open_on_nothing(number: int, name: str) -> None:
    reads = name == "stdin"
    nothing = os.open(os.devnull, os.O_RDONLY if reads else os.O_WRONLY)
    if nothing != number:
        os.dup2(nothing, number)
        os.close(nothing)
    os.set_inheritable(number, True)
    stream = open(number, "r" if reads else "w", closefd=False)  # noqa: SIM115  (as long as the process)
    _set(name, stream)


def _replace(name: str, number: int, kind: type[io.TextIOWrapper], stream: io.TextIOWrapper) -> None:
    """Replace a stream by one of ``kind`` on the same file, opened again: the state of the old one is wrong if the
    number now belongs to another file, as in a fork."""
    raw = io.FileIO(number, "w", closefd=False)
    is_raw = isinstance(stream.buffer, io.RawIOBase)
    buffer: Any = raw if is_raw else io.BufferedWriter(raw)
    encoding, errors = stream.encoding, stream.errors
    lines, through = stream.line_buffering, stream.write_through
    _BEFORE.append(stream.detach())
    _set(name, kind(buffer, encoding, errors, line_buffering=lines, write_through=through))


def _set(name: str, stream: io.TextIOWrapper) -> None:
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


def _is(stream: io.TextIOWrapper, number: int) -> bool:
    try:
        return stream.fileno() == number
    except OSError:  # of a stream in memory
        return False
