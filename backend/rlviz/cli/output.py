"""Print tables that fit the terminal, numbers, JSON and progress. Colours appear only on a terminal."""

from __future__ import annotations

import codecs
import io
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, BinaryIO, Protocol, TextIO, cast

import typer

from rlviz.domain.plain_text import json_text, one_line, visible
from rlviz.stats.number_text import decimal

_MARK = f"\x00{secrets.token_hex(8)}\x00"
"""Marks the colour in the text that ``coloured`` returns. The digits are random, so that no other text contains them.
"""

BARS = "▁▂▃▄▅▆▇█"
_GAP = "  "
_LONGEST = 48
"""Maximum characters of a cell on a terminal."""

_LEAST_WORDS = 8
"""Minimum width to which a last column of words is cut before it is dropped."""

_NARROWEST = 6
"""Minimum width of a column before another is dropped."""

STATUS_COLOURS = {
    "running": typer.colors.GREEN,
    "completed": typer.colors.CYAN,
    "failed": typer.colors.RED,
    "interrupted": typer.colors.RED,
    "paused": typer.colors.YELLOW,
    "pausing": typer.colors.YELLOW,
}


def is_terminal(stream: TextIO | None = None) -> bool:
    return (stream or sys.stdout).isatty()


def width() -> int:
    """Return the width of the terminal in columns."""
    return shutil.get_terminal_size().columns


def coloured(text: str, colour: str | None) -> str:
    """Return ``text`` in ``colour`` if standard output is a terminal and NO_COLOR is not set (no-color.org).

    Only ``say`` turns the marks around the text into colours, so that a name cannot contain a colour code.
    """
    plain = colour is None or not is_terminal() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain or colour is None else f"{_MARK}{colour}{_MARK}{text}{_MARK}{_MARK}"


def say(text: str = "") -> None:
    """Print a line of the answer on standard output, with control characters escaped."""
    plain, *marked = text.split(_MARK)
    parts = [visible(plain)]
    for colour, part in zip(marked[::2], marked[1::2], strict=True):
        parts += [typer.style("", fg=colour or None, reset=not colour), visible(part)]
    sys.stdout.write("".join(parts) + "\n")


class _Shown(io.RawIOBase):
    """Prints UTF-8 bytes with control characters escaped."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        taken = bytes(content)
        sys.stdout.write(visible(self._decoder.decode(taken)))
        return len(taken)


def answer_bytes() -> BinaryIO:
    """Return standard output for text in bytes; on a terminal, control characters are escaped."""
    return cast(BinaryIO, _Shown() if is_terminal() else sys.stdout.buffer)


def note(text: str) -> None:
    """Print a remark on standard error, to keep piped output clean; nothing with ``--quiet``."""
    if not _quiet:
        warn(text)


def warn(text: str) -> None:
    """Print a warning on standard error, also with ``--quiet``."""
    sys.stderr.write(visible(text) + "\n")


_quiet = False


def be_quiet(quiet: bool) -> None:
    """Print only answers and warnings, and no progress (``--quiet``)."""
    global _quiet
    _quiet = quiet


def print_json(value: Any) -> None:
    """Print JSON, with non-ASCII characters escaped if the terminal cannot show them."""
    knows_all = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    say(json_text(value, indent=2, ascii_only=not knows_all))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, keep: int = 1) -> None:
    """Print a table.

    On a narrow terminal, long cells are cut and the last columns dropped, except for the first ``keep``. A pipe or
    file gets the complete table.
    """
    cells = [list(map(one_line, row)) for row in (header, *rows)]
    if is_terminal():
        cells = fit_columns(cells, width(), keep)
    widths = _widths(cells)
    for number, row in enumerate(cells):
        line = [_padded(cell, size, number) for cell, size in zip(row, widths, strict=True)]
        say(_GAP.join(line).rstrip())


def fit_columns(cells: list[list[str]], columns: int, keep: int = 1) -> list[list[str]]:
    """Return the first columns that fit into ``columns`` characters; a last column of words fills the rest.

    The first ``keep`` columns become narrower, the widest first, before one of them is dropped.
    """
    cut = [[_cut(cell, _LONGEST) for cell in row] for row in cells]
    while len(cut[0]) > keep and _taken(_widths(cut)) > columns and not _has_words(cut, columns):
        cut = [row[:-1] for row in cut]
    if _has_words(cut, columns):
        room = columns - _taken(_widths(cut)) + _widths(cut)[-1]
        cut = [[*row[:-1], _cut(whole[len(row) - 1], room)] for row, whole in zip(cut, cells, strict=True)]
    widths = _widths(cut)
    while _taken(widths) > columns and max(widths) > 1:
        if len(widths) > 1 and max(widths) <= _NARROWEST:
            widths.pop()
        else:
            widths[widths.index(max(widths))] -= 1
    return [[_cut(cell, size) for cell, size in zip(row, widths, strict=False)] for row in cut]


def _has_words(cells: list[list[str]], columns: int) -> bool:
    """Return whether the last column has words and room for some; numbers must not be cut."""
    room = columns - _taken(_widths(cells)) + _widths(cells)[-1]
    return room >= max(_LEAST_WORDS, len(cells[0][-1])) and any(" " in row[-1] for row in cells[1:])


def _widths(cells: list[list[str]]) -> list[int]:
    return [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _padded(cell: str, size: int, number: int) -> str:
    colour = typer.colors.BRIGHT_BLACK if number == 0 else STATUS_COLOURS.get(cell)
    return coloured(cell, colour) + " " * (size - len(cell))


def _cut(text: str, size: int) -> str:
    """Cut text to ``size`` characters. A single word, such as an id, is cut in the middle, since its end is
    distinctive."""
    if len(text) <= size:
        return text
    end = 0 if " " in text or size < _NARROWEST else (size - 1) // 2
    return text[: size - 1 - end] + "…" + text[len(text) - end :]


def number(value: float | None, digits: int = 4) -> str:
    """Format a number with up to ``digits`` significant digits, integers in full; a dash for None."""
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}" if abs(value) < 10 ** (digits - 1) else f"{value:.1f}"


def score_text(value: float | None) -> str:
    """Format a score as on the pages: 338.6, -1,176; a dash for None."""
    return "–" if value is None else decimal(value)


def counted(count: int, one: str) -> str:
    """Format a count, such as ``1 run`` or ``2,000 runs``."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def duration(seconds: float | None) -> str:
    """Format a duration, such as 45 s, 3 min or 2 h 05 min; a dash for None."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def solved_words(run: dict[str, Any]) -> str:
    """Return when a run was solved, such as ``at step 800, after 12 s``; ``no`` if it ended unsolved."""
    solved = run["solved"]
    if solved is None:
        return "no" if run["status"] == "completed" else "not yet"
    after = "" if solved["seconds"] is None else f", after {duration(solved['seconds'])}"
    return f"at step {solved['step']}{after}"


def clock(seconds: float) -> str:
    """Return a Unix time as local time of day."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%H:%M:%S")


def sparkline(values: Iterable[float | None], columns: int) -> str:
    """Return a line of bars, one for each of up to ``columns`` points. Gaps are skipped."""
    known = [value for value in values if value is not None]
    if len(known) > columns > 0:
        known = [known[index * len(known) // columns] for index in range(columns - 1)] + known[-1:]
    if not known:
        return ""
    low, high = min(known), max(known)
    if high == low:
        return BARS[3] * len(known)
    return "".join(BARS[round((value - low) / (high - low) * (len(BARS) - 1))] for value in known)


class Advance(Protocol):
    def __call__(self, done: int, total: int | None, text: str | None = None) -> None:
        """Show ``done`` of ``total``. None leaves ``total`` or ``text`` unchanged."""


def steps_text(run: dict[str, Any], of: str = "/") -> str:
    """Return the steps, such as ``134/5000``; only ``134`` if the length of the run is unknown."""
    return f"{run['step']}{of}{run['end_step']}" if run["end_step"] else str(run["step"])


@contextmanager
def progress(text: str, total: int | None = None) -> Iterator[Advance]:
    """Show a progress bar if standard error is a terminal, and yield a function that advances it.

    Without a total, the bar only pulses.
    """
    with _bar(text, total) as change:

        def advance(done: int, total: int | None, text: str | None = None) -> None:
            change(completed=done, total=total, **({} if text is None else {"description": text}))

        yield advance


@contextmanager
def waiting(text: str) -> Iterator[Callable[[str], None]]:
    """Show a progress bar of unknown length; yields a function that changes its text."""
    with _bar(text, None) as change:
        yield lambda text: change(description=text)


@contextmanager
def _bar(text: str, total: int | None) -> Iterator[Callable[..., None]]:
    if _quiet or not is_terminal(sys.stderr):
        yield lambda **_changes: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    said = TextColumn("{task.description}", markup=False)
    columns = said, BarColumn(None), TaskProgressColumn(), TimeRemainingColumn(compact=True)
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task(one_line(text), total=total)

        def change(**changes: Any) -> None:
            said = {"description": one_line(changes["description"])} if "description" in changes else {}
            bar.update(task, **{**changes, **said})

        yield change
