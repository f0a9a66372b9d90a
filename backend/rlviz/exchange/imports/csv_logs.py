"""CSV logs: Stable-Baselines3's ``monitor.csv`` and ``progress.csv``, and generic tables of numbers. Unusable lines are
skipped with a warning of the run."""

from __future__ import annotations

import heapq
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rlviz.domain.errors import ImportRefused
from rlviz.domain.ids import MAX_TIME
from rlviz.domain.metrics import CLOCK, EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.naming import make_distinct
from rlviz.exchange.imports.found_run import (
    ELAPSED_COLUMNS,
    LOG_STEP_COLUMNS,
    NO_STEP,
    STEP_COLUMNS,
    VALUES_A_ROW,
    FoundRun,
    Rows,
    StepOrder,
    to_step,
)
from rlviz.exchange.imports.json_rows import JSON_ENDINGS, read_json_lines
from rlviz.exchange.imports.text_lines import CsvRecords, first_line, read_lines

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")
_LIKE_A_NUMBER = re.compile(r"[-+]?[\d.,'\u00a0\u202f ]*\d[\d.,'\u00a0\u202f ]*%?")
_LONGEST_INTEGER = 15


class NumberRow(NamedTuple):
    """Numbers of a line, by column."""

    line: int
    values: dict[str, float]


class Comment(NamedTuple):
    """A line that starts with #, without it."""

    line: int
    text: str


def read_column_names(path: Path) -> list[str]:
    """Return the column names in the first line of a CSV file. Raises OSError."""
    record = next(iter(CsvRecords(read_lines(path), lambda cells: True)), None)
    return [] if record is None else record.cells


def read_table(
    path: Path, rows: Rows, is_names: Callable[[list[str]], bool], needs: str
) -> Iterator[NumberRow | Comment]:
    """Yield the numbers of each line of a CSV file, and its comments.

    An unusable line is skipped, and ``rows`` notes its number and the reason.

    Args:
        path: The file.
        rows: Collects the warnings.
        is_names: Whether a line contains column names; concatenated files have several.
        needs: Describes these names in messages.

    Raises:
        ImportRefused: The file is empty or has no names.
        OSError: The file cannot be read.
    """
    records = CsvRecords(read_lines(path), is_names)
    columns: _Columns | None = None
    is_empty = True
    for record in records:
        is_empty = False
        if record.is_comment:
            yield Comment(record.line, record.cells[0])
        elif record.problem is not None and columns is None:
            raise ImportRefused(f"{path.name}, line {record.line}: {record.problem} Is it a CSV file?")
        elif record.problem is not None:
            rows.leave_out(path.name, record.line, record.problem)
        elif record.is_names:
            if not is_names(record.cells):
                raise ImportRefused(f"{path.name} lacks {needs}.")
            columns = _Columns(record.cells, records.delimiter, path.name, rows)
        elif columns is not None:
            yield NumberRow(record.line, columns.numbers(record.line, record.cells))
    if is_empty:
        raise ImportRefused(f"{path.name} is empty. Nothing was logged, or the copy is incomplete.")


class _Columns:
    """Names of the columns, and the format of their numbers."""

    def __init__(self, names: list[str], delimiter: str, file: str, rows: Rows) -> None:
        self._file, self._rows = file, rows
        self._has_decimal_commas = delimiter != ","
        self._has_numbers: set[str] = set()
        self._texts: dict[str, int] = {}
        """Columns with text, and the line of the first text."""
        self._names: list[str] = []
        for number, name in enumerate(names, 1):
            own = name or f"column {number}"
            if own in self._names:
                own = make_distinct(own, {*self._names, *names})
            if own != name:
                why = f"there are two named {name!r}" if name else "it has no name"
                rows.warn(f"{file}: column {number} is called {own!r}, because {why}.")
            self._names.append(own)

    def numbers(self, line: int, cells: list[str]) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, cell in zip(self._names, cells, strict=True):
            if (value := _number(cell, self._has_decimal_commas)) is not None:
                found[name] = value
                self._has_numbers.add(name)
                if name in self._texts:
                    self._warn(name)
            elif cell:
                self._texts.setdefault(name, line)
                if name in self._has_numbers or _LIKE_A_NUMBER.fullmatch(cell):
                    self._warn(name)
        return found

    def _warn(self, name: str) -> None:
        why = f"{name} is not a number; it becomes a gap there and in other such lines"
        self._rows.warn(f"{self._file}, line {self._texts[name]}: {why}.")


def _number(cell: str, has_decimal_commas: bool) -> float | None:
    """Return a number; None for an empty cell or text. Whole numbers stay integers."""
    if has_decimal_commas and _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    if "_" in cell:  # Python allows it between digits
        return None
    try:
        is_whole = cell.lstrip("+-").isdecimal() and len(cell) <= _LONGEST_INTEGER
        return int(cell) if is_whole else float(cell)
    except ValueError:
        return {"True": 1, "False": 0}.get(cell)


PROGRESS_NAME = "progress.csv"
MONITOR, PROGRESS = "Stable-Baselines3's Monitor", "a progress file"

RETURN, LENGTH, TIME = "r", "l", "t"
_MONITOR_COLUMNS = "one of the columns r, l and t: return, length and seconds of each episode"
_STEP_COLUMN = f"a column of steps: {', '.join(STEP_COLUMNS[:2])} or step"


def is_monitor_name(path: Path) -> bool:
    return path.name == "monitor.csv" or path.name.endswith(".monitor.csv")


def kind_of_csv(path: Path) -> str | None:
    """Return which kind of log a CSV file is, by name and first line; None for other tables. Raises OSError."""
    if is_monitor_name(path) or first_line(path).startswith("#{"):
        return MONITOR
    is_progress = path.name == PROGRESS_NAME or any(name in STEP_COLUMNS for name in read_column_names(path))
    return PROGRESS if is_progress else None


# Monitor files


class _Episode(NamedTuple):
    after: float
    """Seconds since its process started, or Unix seconds if the file says when that was."""
    episode_return: float
    length: int
    others: dict[str, float]


@dataclass
class _Part:
    """What one process wrote into a monitor file. ``began``: Unix seconds; None if unknown."""

    began: float | None
    episodes: list[_Episode] = field(default_factory=list)


def read_monitors(paths: Iterable[Path], found: FoundRun) -> None:
    """Add the episodes of all environments of one run, in the order in which they ended. Steps are their summed
    lengths.

    Episodes of a file keep their order. If its seconds decrease, another process continued the file: its times
    continue from the earlier ones. An unreadable file is skipped with a warning.
    """
    files: list[list[_Part]] = []
    for path in paths:
        with found.reading(path):
            files.append([])
            _read_parts(path, found, files[-1])
    step = 0
    for number, episode in enumerate(
        heapq.merge(*_with_times(files, found.began), key=lambda episode: episode.after), 1
    ):
        step += episode.length
        values = {EPISODE_REWARD: episode.episode_return, EPISODE_LENGTH: episode.length, EPISODE_INDEX: number}
        found.rows.add(step, episode.after, {**values, **episode.others})


def _read_parts(path: Path, found: FoundRun, parts: list[_Part]) -> None:
    """Add the parts of a monitor file to ``parts``, including those before an error."""
    for row in read_table(path, found.rows, _has_columns, _MONITOR_COLUMNS):
        if isinstance(row, Comment):
            if (head := _read_head(row, path.name, found)) is not None:
                parts.append(head)
            continue
        values = dict(row.values)
        time, length, episode_return = values.pop(TIME, None), values.pop(LENGTH, None), values.pop(RETURN, None)
        steps = None if length is None else to_step(length)
        if time is None or not math.isfinite(time) or steps is None or episode_return is None:
            found.rows.leave_out(path.name, row.line, "Return, length and time must be numbers.")
            continue
        if not parts:
            parts.append(_Part(None))
        elif parts[-1].episodes and time < parts[-1].episodes[-1].after:
            parts.append(_Part(None))
            found.rows.warn(
                f"{path.name}, line {row.line}: seconds decrease, as if a second process continued the file. Its "
                "episodes keep the order of the file, and its times continue from the earlier ones."
            )
        parts[-1].episodes.append(_Episode(time, episode_return, steps, values))
        found.rows.hold(len(values) + VALUES_A_ROW)


def _has_columns(cells: list[str]) -> bool:
    return {RETURN, LENGTH, TIME} <= set(cells)


def _read_head(head: Comment, name: str, found: FoundRun) -> _Part | None:
    """Return the part that ``head`` starts; None if it is not a header."""
    try:
        content: Any = json.loads(head.text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        found.rows.leave_out(name, head.line, "It starts with #, but is not followed by JSON.")
        return None
    if isinstance(env_id := content.get("env_id"), str) and env_id not in ("", "None"):
        found.env_id = found.env_id or env_id
    began = content.get("t_start")
    return _Part(float(began) if isinstance(began, int | float) and 0 <= began <= MAX_TIME else None)


def _with_times(files: list[list[_Part]], ended: float) -> list[list[_Episode]]:
    """Return the episodes of each file with Unix seconds that never decrease within it.

    A process that does not say when it started wrote its parts of all files after all earlier parts; the first one
    started so that its last episode is at ``ended``.
    """
    timed: list[list[_Episode]] = [[] for _ in files]
    first = (part.episodes[-1].after for parts in files for part in parts[:1] if part.episodes)
    latest = 0.0
    for number in range(max(map(len, files), default=0)):
        before = latest if number else max(0.0, ended - max(first, default=0.0))
        for episodes, parts in zip(timed, files, strict=True):
            for part in parts[number : number + 1]:
                began = before if part.began is None else part.began
                for episode in part.episodes:
                    time = max(began + episode.after, episodes[-1].after if episodes else 0.0)
                    episodes.append(episode._replace(after=time))
                    latest = max(latest, time)
    return timed


# Progress files


class LoggedRow(NamedTuple):
    """A row of a progress file. ``place``: number of its line."""

    place: int
    values: dict[str, float]


def read_progress(path: Path, found: FoundRun) -> None:
    """Add the rows of a progress file, in CSV or JSON lines.

    Raises ImportRefused, which names the file and what is missing, and OSError.
    """
    rows: list[LoggedRow] = []
    read = read_json_lines if path.suffix.lower() in JSON_ENDINGS else _csv_line_rows
    for row in read(path, found.rows):
        rows.append(LoggedRow(*row))
        found.rows.hold(len(rows[-1].values) + VALUES_A_ROW)
    column = next((name for name in STEP_COLUMNS if any(name in row.values for row in rows)), None)
    _add(path.name, rows, column or "", found)


def is_progress_json(path: Path) -> bool:
    """Return whether it is a JSON lines file that counts steps, as logged by Stable-Baselines3. Raises OSError."""
    if path.suffix.lower() not in JSON_ENDINGS:
        return False
    if path.name == "progress.json":
        return True
    first = first_line(path)
    return first.startswith("{") and any(f'"{name}"' in first for name in LOG_STEP_COLUMNS)


def _csv_line_rows(path: Path, rows: Rows) -> Iterator[tuple[int, dict[str, float]]]:
    table = read_table(path, rows, lambda cells: any(cell in STEP_COLUMNS for cell in cells), _STEP_COLUMN)
    yield from (row for row in table if not isinstance(row, Comment))


def _add(file: str, rows: list[LoggedRow], column: str, found: FoundRun) -> None:
    """Add rows with their steps in ``column``; those without a step are skipped."""
    elapsed = list(_continue_clock(_elapsed(row.values) for row in rows))
    ended = next((one for one in reversed(elapsed) if one is not None), 0.0)
    began = found.began - ended  # the file's last change is the time of its last row
    order = StepOrder(found.rows)
    for row, after in zip(rows, elapsed, strict=True):
        if (step := to_step(row.values.get(column))) is None:
            found.rows.leave_out(file, row.place, NO_STEP)
            continue
        order.check(file, row.place, step)
        values = {name: value for name, value in row.values.items() if name != column or name.startswith(CLOCK)}
        found.rows.add(step, None if after is None else began + after, values)


def _elapsed(values: dict[str, float]) -> float | None:
    name = next((name for name in ELAPSED_COLUMNS if name in values), None)
    return None if name is None or not math.isfinite(values[name]) else values[name]


def _continue_clock(seconds: Iterable[float | None]) -> Iterator[float | None]:
    """Convert seconds since the process started into seconds since training started: where they decrease, another
    process continued."""
    latest = before = 0.0
    for one in seconds:
        if one is None:
            yield None
            continue
        if before + one < latest:
            before = latest
        latest = before + one
        yield latest
