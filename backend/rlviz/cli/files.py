"""Files that commands write: their format, and that they are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import counted, note, print_json
from rlviz.domain.byte_text import byte_text

T = TypeVar("T")

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
    """Write beside ``path``, then rename: it is there whole, or as it was. Returns what ``fill`` does. Raises
    Failure."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            with beside.open("wb") as file:
                filled = fill(file)
            beside.replace(path)
            return filled
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(Exit.FAILED, f"{path} cannot be written ({error.strerror}).") from error


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
