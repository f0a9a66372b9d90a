"""Help that fits the terminal, however narrow; the library's own takes 50 columns at least."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

_LEAST = 20
_WIDEST = 100
_TERMS = 30
_INDENT = "    "


_LibraryContext: Any = TyperCommand.context_class  # typer gives it no public name
_LibraryFormatter: Any = _LibraryContext.formatter_class


class _Formatter(_LibraryFormatter):  # type: ignore[misc]
    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        columns = min(shutil.get_terminal_size().columns, _WIDEST)
        super().__init__(indent_increment, width or max(columns, _LEAST), max_width)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, plain_usage(args), prefix)

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = _TERMS, col_spacing: int = 2) -> None:
        room = self.width - self.current_indent
        fitting = [(_broken(term, room) if len(term) > room else term, text) for term, text in rows]
        super().write_dl(fitting, min(col_max, self.width // 3), col_spacing)


def plain_usage(pieces: str) -> str:
    """Usage without the braces that the library puts around what has to be given."""
    return re.sub(r"\{([^{}]*)\}", r"\1", pieces)


def _broken(term: str, room: int) -> str:
    """``--format <csv|json>``, with its values in a line of their own, or in several."""
    name, _, values = re.sub(r" (?=[<\[])", "\n", term, count=1).partition("\n")
    lines = [""]
    for value in re.findall(r"[^|]+\|?", values):
        if lines[-1] and len(lines[-1] + value) > room - len(_INDENT):
            lines.append("")
        lines[-1] += value
    return "\n".join([name, *(_INDENT + line for line in lines if line)])


class FittingContext(_LibraryContext):  # type: ignore[misc]
    formatter_class = _Formatter


def fit(command: Any) -> Any:
    """``command``, with those below it, whose help fits the terminal."""
    command.context_class = FittingContext
    for inner in getattr(command, "commands", {}).values():
        fit(inner)
    return command
