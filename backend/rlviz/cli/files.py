"""Files that commands write: their format, and that a regular one is there whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import counted, note, print_json
from rlviz.domain.byte_text import byte_text

T = TypeVar("T")

_MOST_LINKS = 40

FORMATS = ("csv", "json", "parquet")


def format_for(wanted: str | None, output: Path | None) -> str:
    """The format asked for, else that of the file's name. Raises Failure for a name that ends in neither."""
    if wanted is not None:
        return str(wanted)
    ending = output.suffix.lstrip(".").lower() if output is not None else "csv"
    if ending not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise Failure(Exit.BAD_INPUT, f"{output} does not say its format: end it in one of {known}, or give --format.")
    return ending


def check_target(wanted: str, output: Path | None, terminal: bool) -> None:
    """Raises Failure where the table could not be written, before anything is fetched."""
    if output is None:
        if wanted == "parquet" and terminal:
            raise Failure(Exit.BAD_INPUT, "Parquet cannot be printed. Give --output FILE, or pipe it on.")
    elif output.is_dir() or not output.absolute().parent.is_dir():
        raise Failure(Exit.BAD_INPUT, f"{output} cannot be written: it has to be a file in a folder that is there.")


def replace_file(path: Path, fill: Callable[[BinaryIO], T]) -> T:
    """Have ``fill`` write a file that becomes ``path``; return what it returns. Raises Failure.

    A regular file is replaced in one step: it is there whole, or as it was. A link is followed, and the file that it
    leads to is replaced. Anything else (a device, a pipe, ``/dev/stdout``) stays what it is and is written to, once
    ``fill`` has ended well.
    """
    try:
        if (through := _not_replaced(path)) is not None:
            return _write_through(path, through, fill)
        return _replace(path.resolve(), fill)
    except BrokenPipeError:  # its reader has seen enough
        raise
    except OSError as error:
        raise Failure(Exit.FAILED, f"{path} cannot be written ({error.strerror}).") from error


def _not_replaced(path: Path) -> int | None:
    """The flags to open what is at ``path`` with; None if it may be replaced. Raises OSError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        return os.O_WRONLY
    return os.O_WRONLY | os.O_APPEND if _leads_to_open_file(path) else None


def _leads_to_open_file(path: Path) -> bool:
    """Whether it is a name that the system has for a file that is open already, as ``/dev/stdout``."""
    place = path.absolute()
    for _ in range(_MOST_LINKS):
        if place.is_relative_to("/dev") or place.is_relative_to("/proc"):
            return True
        if not place.is_symlink():
            return False
        place = place.parent / place.readlink()
    return False


def _replace(path: Path, fill: Callable[[BinaryIO], T]) -> T:
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            if path.exists():
                shutil.copymode(path, beside)
            filled = fill(file)
        beside.replace(path)
        return filled
    finally:
        beside.unlink(missing_ok=True)


def _write_through(path: Path, flags: int, fill: Callable[[BinaryIO], T]) -> T:
    with tempfile.TemporaryFile() as spool:
        filled = fill(spool)
        spool.seek(0)
        with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "wb") as target:
            shutil.copyfileobj(spool, target)
    return filled


def say_written(path: Path, as_json: bool, **facts: Any) -> None:
    """What was written: beside the answer, or as the answer in JSON; ``facts`` are counts, by what they count."""
    if path.is_file():
        facts["bytes"] = path.stat().st_size
    if as_json:
        print_json({"path": str(path), **facts})
        return
    words = [
        byte_text(count) if name == "bytes" else counted(count, name.removesuffix("s")) for name, count in facts.items()
    ]
    note(f"{path}: {', '.join(words)}")
