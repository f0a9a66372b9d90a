"""CSV logs: Stable-Baselines3's ``monitor.csv`` and ``progress.csv``."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from rlviz.domain.errors import ImportRefused
from rlviz.domain.records import CLOCK, EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.times import MAX_TIME
from rlviz.exchange.imports.found_run import FoundRun
from rlviz.exchange.imports.names import ELAPSED_COLUMNS, STEP_COLUMNS
from rlviz.exchange.tables import PLACE

MONITOR, PROGRESS = "Stable-Baselines3's Monitor", "a progress file"

MOST_LINE_BYTES = 1 << 20


def kind_of_csv(path: Path) -> str | None:
    """Which log a CSV file is, by its name and its first line; None: another table. Raises ImportRefused, OSError."""
    if path.name == "monitor.csv" or path.name.endswith(".monitor.csv"):
        return MONITOR
    first = _first_line(path)
    if first.startswith("#{"):
        return MONITOR
    columns = first.split(",")
    is_progress = path.name == "progress.csv" or any(name in STEP_COLUMNS for name in columns)
    return PROGRESS if is_progress else None


def is_exported_csv(path: Path) -> bool:
    """Whether ``rlviz export`` wrote it. Raises OSError."""
    return _first_line(path).split(",")[: len(PLACE)] == list(PLACE)


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        return file.readline(MOST_LINE_BYTES + 1).decode("utf-8-sig", "replace").strip()


def read_monitors(paths: list[Path], found: FoundRun) -> None:
    """Add the episodes of all environments of one run, in the order in which they ended. Steps are their lengths, added
    up. Raises ImportRefused, which names file and line, and OSError."""
    episodes = sorted((episode for path in paths for episode in _episodes(path, found)), key=lambda one: one[0])
    step = 0
    for number, (time, episode_return, length, others) in enumerate(episodes, 1):
        step += length
        values = {EPISODE_REWARD: episode_return, EPISODE_LENGTH: length, EPISODE_INDEX: number, **others}
        found.rows.add(step, time, values)


def _episodes(path: Path, found: FoundRun) -> Iterator[tuple[float, float, int, dict[str, float]]]:
    """Time, return, length and further numbers of each episode of a file."""
    columns: list[str] = []
    began = 0.0
    with path.open("rb") as file:
        for line, cells in _table(file, path.name):
            if cells[0].startswith("#"):
                began, columns = _take_head(cells[0][1:], path.name, found), []
            elif not columns:
                columns = cells
                if missing := [name for name in ("r", "l", "t") if name not in columns]:
                    raise ImportRefused(
                        f"{path.name} has no column {', '.join(missing)}. A Monitor file has r, l and t: "
                        "return, length and seconds of each episode."
                    )
            else:
                pairs = ((name, _number(text)) for name, text in zip(columns, cells, strict=False))
                numbers = {name: value for name, value in pairs if value is not None}
                time, length = numbers.pop("t", None), numbers.pop("l", None)
                episode_return = numbers.pop("r", None)
                if time is None or length is None or episode_return is None or not 0 <= length < 2**53:
                    raise ImportRefused(f"{path.name}, line {line}: return, length and time have to be numbers.")
                yield began + time, episode_return, int(length), numbers


def _take_head(text: str, name: str, found: FoundRun) -> float:
    """When the file began, in Unix seconds."""
    try:
        head: Any = json.loads(text)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict):
        raise ImportRefused(
            f"{name} begins with # but no JSON follows. A Monitor file begins with its t_start and env_id."
        )
    if isinstance(env_id := head.get("env_id"), str) and env_id not in ("", "None"):
        found.env_id = found.env_id or env_id
    began = head.get("t_start")
    return float(began) if isinstance(began, int | float) and 0 <= began <= MAX_TIME else 0.0


def read_progress(path: Path, found: FoundRun) -> None:
    """Add the rows of a progress file. Raises ImportRefused, which names the file and what is missing, and OSError."""
    rows: list[tuple[int, float | None, dict[str, float]]] = []
    for line, numbers in csv_rows(path):
        name = _first(STEP_COLUMNS, numbers)
        if name is None or not math.isfinite(step := numbers[name]):
            raise ImportRefused(
                f"{path.name}, line {line} has no number of steps. A column {', '.join(STEP_COLUMNS[:2])} or step is "
                "needed, with a number in every line."
            )
        if not name.startswith(CLOCK):  # which Stable-Baselines3 logs as a metric, too
            del numbers[name]
        elapsed = _first(ELAPSED_COLUMNS, numbers)
        rows.append((int(step), None if elapsed is None else numbers[elapsed], numbers))
    times = [one for _, one, _ in rows if one is not None and math.isfinite(one)]
    began = found.began - (times[-1] if times else 0.0)  # the file was written last when its last row was
    for step, after, values in rows:
        found.rows.add(step, None if after is None else began + after, values)


def csv_rows(path: Path) -> Iterator[tuple[int, dict[str, float]]]:
    """The numbers of each line by the names of the first one, with the line's number. Raises ImportRefused."""
    columns: list[str] = []
    with path.open("rb") as file:
        for line, cells in _table(file, path.name):
            if columns:
                pairs = ((name, _number(text)) for name, text in zip(columns, cells, strict=False))
                yield line, {name: value for name, value in pairs if value is not None}
            columns = columns or cells


def _table(file: BinaryIO, name: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that is not empty, with its number, whatever system wrote it; of one that begins with #
    the whole line. Raises ImportRefused."""
    for number, line in enumerate(_lines(file, name), 1):
        text = line.strip()
        try:
            cells = [text] if text.startswith("#") else next(csv.reader([text]), [])
        except csv.Error as error:
            raise ImportRefused(f"{name}, line {number}: it is no CSV ({error}).") from None
        if cells:
            yield number, [cell.strip() for cell in cells]


def _lines(file: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        number += 1
        if len(line) > MOST_LINE_BYTES:
            raise ImportRefused(f"{name}, line {number} is longer than {MOST_LINE_BYTES:,} bytes. Is it a CSV file?")
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise ImportRefused(f"{name}, line {number} is no text in UTF-8. Is it a CSV file?") from None
    if number == 0:
        raise ImportRefused(f"{name} is empty. Nothing was logged into it, or it was not copied whole.")


def _first(names: tuple[str, ...], row: Mapping[str, float]) -> str | None:
    return next((name for name in names if name in row), None)


def _number(text: str) -> float | None:
    """None for an empty cell, or one that is a text. A whole number stays one."""
    try:
        return int(text) if text.lstrip("-").isdecimal() and len(text) < 16 else float(text)
    except ValueError:
        return {"True": 1, "False": 0}.get(text)
