"""The specification of an experiment in a file, whose mistakes are shown with file, line and column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlviz.cli.exits import Exit, Failure, Refused

if TYPE_CHECKING:
    from rlviz.placed_file import PlacedFile


def read_specification(path: Path) -> PlacedFile:
    """Raises InvalidRequest or Failure for a file that holds none."""
    from rlviz.placed_file import read_placed_file

    if not path.exists():
        raise Failure(Exit.NOT_FOUND, f"There is no file {path}. docs/experiments.md shows one.")
    file = read_placed_file(path, "experiments")
    if not file.values:
        raise Failure(Exit.BAD_INPUT, f"{path} is empty. docs/experiments.md shows what an experiment needs.")
    _check_json(file, file.values, "")
    return file


def _check_json(file: PlacedFile, value: Any, pointer: str) -> None:
    """Raises Failure for what cannot be sent, such as a date, or a number that is not finite."""
    from rlviz.domain.errors import pointer_to

    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            _check_json(file, inner, pointer + pointer_to(str(key)))
        return
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        what = f"{value} is a {type(value).__name__}"
        raise Failure(
            Exit.BAD_INPUT, f"{file.place(pointer)}: {what}. Give text, in quotation marks, or a finite number."
        ) from error


def placed(refused: Refused, file: PlacedFile) -> Failure:
    """What the service said of ``file``, each sentence with the place that it is about."""
    if not refused.fields:
        return refused
    said = {f"{file.place(pointer)}: {_name(pointer)}{reason}": None for pointer, reason in refused.fields}
    return Failure(refused.status, "\n".join(said))


def _name(pointer: str) -> str:
    return f"{pointer.removeprefix('/').replace('/', '.')}: " if pointer else ""
