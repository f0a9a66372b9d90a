"""Finds and reads the runs in a file or folder that the user imports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rlviz.domain.errors import ImportRefused
from rlviz.exchange.imports import csv_logs, exported, rl_zoo, tensorboard_logs
from rlviz.exchange.imports.found_run import ALGORITHMS, FoundRun, record_seed

MOST_FOLDERS = 20_000
MOST_RUNS = 1_000

KNOWN = (
    "TensorBoard event files (*.tfevents.*), Monitor files (monitor.csv, *.monitor.csv), progress.csv and "
    "progress.json, folders with these, log folders of the RL Zoo, what `rlviz export` wrote, and a zip archive of a "
    "folder of these"
)

_ZOO_FOLDER = re.compile(r"(?P<env>.+-v\d+)_(?P<run>\d+)")
_CLEANRL_FOLDER = re.compile(r"(?P<env>.+?)__(?P<algo>.+?)__(?P<seed>\d{1,20})__\d+")
_SB3_FOLDER = re.compile(r"(?P<algo>[A-Za-z0-9]+)_\d+")


@dataclass
class Logs:
    """The files of one run."""

    place: Path
    """Their folder, or the single file."""
    events: list[Path] = field(default_factory=list)
    monitors: list[Path] = field(default_factory=list)
    progress: list[Path] = field(default_factory=list)
    exported: list[Path] = field(default_factory=list)
    evaluations: list[Path] = field(default_factory=list)
    problem: str | None = None
    """Why its folder cannot be read."""

    def __bool__(self) -> bool:
        return bool(self.problem or self._files())

    def _files(self) -> list[Path]:
        return self.events or self.monitors or self.progress or self.exported or self.evaluations

    @property
    def written_at(self) -> float:
        """Return when the newest relevant file was written, in Unix seconds. Raises OSError."""
        return max(path.stat().st_mtime for path in self._files())

    def runs(self) -> Iterator[Logs]:
        """Yield the runs in the folder: logs form one run, and each exported file is a run of its own."""
        exports, self.exported = self.exported, []
        if self:
            yield self
        for path in exports:
            yield Logs(path, exported=[path])

    def add_file(self, path: Path) -> None:
        """Add a file of a known kind. An unreadable file counts if its name fits."""
        try:
            self._add_file(path)
        except OSError:
            if path.name == csv_logs.PROGRESS_NAME:
                self.progress.append(path)

    def _add_file(self, path: Path) -> None:
        if tensorboard_logs.is_event_file(path):
            self.events.append(path)
        elif path.name == rl_zoo.EVALUATIONS:
            self.evaluations.append(path)
        elif csv_logs.is_monitor_name(path):
            self.monitors.append(path)
        elif exported.is_exported(path):
            if path.stem not in (other.stem for other in self.exported):
                self.exported.append(path)
        elif csv_logs.is_progress_json(path):
            self.progress.append(path)
        elif path.suffix.lower() == ".csv":
            kinds = {csv_logs.MONITOR: self.monitors, csv_logs.PROGRESS: self.progress}
            if (kind := csv_logs.kind_of_csv(path)) is not None:
                kinds[kind].append(path)


def find_logs(path: Path) -> list[Logs]:
    """Return the runs at ``path``: one per folder with known files, or for the single file.

    Links are not followed. Raises ImportRefused if there are none or too many, and OSError.
    """
    if path.is_file():
        logs = Logs(path)
        logs.add_file(path)
        found = [logs] if logs else []
    elif path.is_dir():
        found = list(_logs_below(path))
    else:
        raise ImportRefused(f"There is no file or folder {path}.")
    if not found and path.suffix.lower() == ".zip" and path.is_file():
        raise ImportRefused(f"{path.name!r} is not a complete zip archive. Pack or copy it again.")
    if not found:
        raise ImportRefused(f"{path.name!r} contains no run that can be imported. Supported: {KNOWN}.")
    return found


def _logs_below(root: Path) -> Iterator[Logs]:
    runs = 0
    closed: list[OSError] = []
    for number, (folder, folders, names) in enumerate(os.walk(root, onerror=closed.append)):
        if number >= MOST_FOLDERS:
            raise ImportRefused(f"{root.name!r} has more than {MOST_FOLDERS:,} folders. Import those with the logs.")
        folders.sort()
        logs = Logs(Path(folder))
        for name in sorted(names, key=_order):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                logs.add_file(path)
        for one in logs.runs():
            runs += 1
            if runs > MOST_RUNS:
                raise ImportRefused(f"{root.name!r} has more than {MOST_RUNS:,} runs. Import it in parts.")
            yield one
    for error in closed:
        path = Path(str(error.filename))
        yield Logs(path, problem=f"{path.name} cannot be read ({error.strerror}).")


def _order(name: str) -> tuple[int, str]:
    """Sort Parquet before other files with the same metrics."""
    ending = Path(name).suffix.lower()
    return exported.ENDINGS.index(ending) if ending in exported.ENDINGS else 0, name


def read_logs(logs: Logs) -> FoundRun:
    """Read a run from its files. An unreadable file becomes a warning of the run.

    Raises BeyondBounds, ImportRefused for an unreadable folder, and OSError.
    """
    if logs.problem is not None:
        raise ImportRefused(logs.problem)
    found = FoundRun(source="", name=logs.place.name, began=logs.written_at)
    _apply_path(logs.place, found)
    sources = []
    folder = logs.place if logs.place.is_dir() else None
    settings = _zoo_settings(folder) if folder is not None else None
    if settings is not None:
        with found.reading(settings / rl_zoo.ARGUMENTS):
            rl_zoo.read_settings(settings, found)
        sources.append("a folder of the RL Zoo")
    if logs.monitors:
        csv_logs.read_monitors(logs.monitors, found)
        sources.append(csv_logs.MONITOR)
    before = len(found.rows)
    for path in _csv_first(logs.progress):
        with found.reading(path):
            csv_logs.read_progress(path, found)
        sources.append(csv_logs.PROGRESS)
    if logs.events and len(found.rows) == before:  # else they repeat the progress file with fewer digits
        tensorboard_logs.read_event_files(logs.events, found)
        sources.append(tensorboard_logs.SOURCE)
    for path in logs.exported:
        with found.reading(path):
            exported.read_exported(path, found)
        sources.append(exported.SOURCE)
    for path in logs.evaluations:
        with found.reading(path):
            rl_zoo.read_evaluations(path, found)
        sources.append(rl_zoo.EVALUATIONS)
    found.source = sources[0]
    return found


def _csv_first(paths: list[Path]) -> list[Path]:
    """Sort CSV first, because tools that also log JSON write the same numbers to both."""
    return [path for path in paths if path.suffix.lower() == ".csv"] or paths


def _zoo_settings(folder: Path) -> Path | None:
    """Return the path of ``args.yml``: in the run's folder, or in one below it named after the environment."""
    below = (path for path in sorted(folder.iterdir()) if path.is_dir() and not path.is_symlink())
    for place in (folder, *below):
        found = place / rl_zoo.ARGUMENTS
        if found.is_file() and not found.is_symlink() and not (place / rl_zoo.CONFIGURATION).is_symlink():
            return place
    return None


def _apply_path(place: Path, found: FoundRun) -> None:
    """Read settings from folder names of the RL Zoo, CleanRL, and Stable-Baselines3's TensorBoard logs."""
    folder = place if place.is_dir() else place.parent
    if match := _CLEANRL_FOLDER.fullmatch(folder.name):
        found.env_id, found.algo = match["env"], match["algo"]
        record_seed(int(match["seed"]), found)
    elif match := _ZOO_FOLDER.fullmatch(folder.name):
        found.env_id = match["env"]
        if folder.parent.name.lower() in ALGORITHMS:
            found.algo = folder.parent.name.lower()
    elif (match := _SB3_FOLDER.fullmatch(folder.name)) and match["algo"].lower() in ALGORITHMS:
        found.algo = match["algo"].lower()
