"""Help texts for terminals of any width. The library's own help needs at least 50 columns."""

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
        fitting = [(_break_option(term, room) if len(term) > room else term, text) for term, text in rows]
        super().write_dl(fitting, min(col_max, self.width // 3), col_spacing)


def plain_usage(pieces: str) -> str:
    """Return a usage line without the braces that the library puts around required arguments."""
    return re.sub(r"\{([^{}]*)\}", r"\1", pieces)


def _break_option(term: str, room: int) -> str:
    """Return an option such as ``--format <csv|json>`` with its values on separate lines."""
    name, _, values = re.sub(r" (?=[<\[])", "\n", term, count=1).partition("\n")
    lines = [""]
    for value in re.findall(r"[^|]+\|?", values):
        if lines[-1] and len(lines[-1] + value) > room - len(_INDENT):
            lines.append("")
        lines[-1] += value
    return "\n".join([name, *(_INDENT + line for line in lines if line)])


class FittingContext(_LibraryContext):  # type: ignore[misc]
    formatter_class = _Formatter


def fit_help(command: Any) -> Any:
    """Make the help of ``command`` and its subcommands fit_help the terminal and appear at once; return ``command``."""
    command.context_class = FittingContext
    if inner := getattr(command, "commands", {}):
        list_options = command.get_params
        command.get_params = lambda context: pass_on_defaults(list_options(context))
        for one in inner.values():
            fit_help(one)
    return command


def pass_on_defaults(options: list[Any]) -> list[Any]:
    """Let options of a group keep their default without validation, and return them.

    To validate a value, the library imports pydantic, which takes longer than everything else in a help text.
    """
    for option in options:
        if "process_value" not in vars(option):
            option.process_value = _skip_default(option)
    return options


def _skip_default(option: Any) -> Callable[[Any, Any], Any]:
    check = option.process_value

    def process_value(context: Any, value: Any) -> Any:
        if value is not None and value != option.default:
            return check(context, value)
        return value if option.callback is None else option.callback(context, option, value)

    return process_value
