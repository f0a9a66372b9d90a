"""Help that fits the terminal, however narrow; the library's own takes 50 columns at least."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
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
    """Return ``command`` with a help that fits the terminal and comes at once; so do those of the commands below it."""
    command.context_class = FittingContext
    if inner := getattr(command, "commands", {}):
        list_options = command.get_params
        command.get_params = lambda context: pass_on_defaults(list_options(context))
        for one in inner.values():
            fit(one)
    return command


def pass_on_defaults(options: list[Any]) -> list[Any]:
    """Have options of a group that are not given passed on as they are, and return them.

    To check them, the library imports pydantic, which takes longer than all else that a help or an error needs.
    """
    for option in options:
        if "process_value" not in vars(option):
            option.process_value = _checking(option)
    return options


def _checking(option: Any) -> Callable[[Any, Any], Any]:
    check = option.process_value

    def process_value(context: Any, value: Any) -> Any:
        if value is not None and value != option.default:
            return check(context, value)
        return value if option.callback is None else option.callback(context, option, value)

    return process_value
