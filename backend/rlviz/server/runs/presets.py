"""The user's own presets, one file each in the runs folder."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from rlviz.domain.errors import FieldError, InvalidRequest, PresetNotFound, RlvizError
from rlviz.domain.presets import OwnPreset, is_built_in_title
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.files import atomic_write
from rlviz.server.runs.configuration import check_imitates, check_imitation

log = logging.getLogger(__name__)

FOLDER = "presets"
MOST_BYTES = 100_000
MOST_PRESETS = 500


class OwnPresets:
    """Reads, writes and deletes own presets. Reads the folder again only when it has changed. Thread-safe."""

    def __init__(self, runs_dir: Path) -> None:
        self._folder = runs_dir / FOLDER
        self._lock = Lock()
        self._known: tuple[object, tuple[OwnPreset, ...]] = (None, ())

    def all(self) -> Sequence[OwnPreset]:
        """Return the presets ordered by title. Logs and skips files that are invalid or that nothing can train with."""
        with self._lock:
            files = self._files()
            stamp = [(path.name, *_stamp(path)) for path in files]
            if stamp != self._known[0]:
                found = [preset for path in files if (preset := _read(path)) is not None]
                self._known = stamp, tuple(sorted(found, key=lambda preset: (preset.title.lower(), preset.id)))
            return self._known[1]

    def keep(self, preset: OwnPreset) -> None:
        """Save a preset.

        Raises InvalidRequest if its id or title is in use or if there are too many presets, or OSError.
        """
        if is_built_in_title(preset.title):
            raise InvalidRequest.field("/title", f"A built-in preset is named {preset.title!r}. Choose another title.")
        with self._lock:
            path = self._path(preset.id)
            if path.exists() or path.is_symlink():
                raise InvalidRequest.field("/title", f"You already have a preset {preset.id!r}. Choose another title.")
            if len(self._files()) >= MOST_PRESETS:
                raise InvalidRequest("", [FieldError("", f"You can have at most {MOST_PRESETS} presets. Delete some.")])
            self._folder.mkdir(exist_ok=True)
            with atomic_write(path) as file:
                file.write(preset.model_dump_json(indent=2).encode())

    def delete(self, preset_id: str) -> None:
        """Delete a preset. Raises PresetNotFound."""
        with self._lock:
            if preset_id not in {path.stem for path in self._files()}:
                raise PresetNotFound(preset_id)
            self._path(preset_id).unlink()

    def _path(self, preset_id: str) -> Path:
        return self._folder / f"{preset_id}.json"

    def _files(self) -> list[Path]:
        try:
            return sorted(path for path in self._folder.iterdir() if path.suffix == ".json" and _is_file(path))
        except OSError:
            return []


def _stamp(path: Path) -> tuple[int, int]:
    """Return the file's modification time in nanoseconds and its size in bytes; (0, 0) if it does not exist."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and not path.name.startswith(".")


def _read(path: Path) -> OwnPreset | None:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"longer than {MOST_BYTES:,} bytes")  # noqa: TRY301 - logged below
        preset = OwnPreset.model_validate_json(content)
        if preset.id != path.stem:
            raise ValueError(f"its id is {preset.id!r}")  # noqa: TRY301
        algorithm = ALGORITHMS.get(preset.algorithm)
        values = algorithm.validate(preset.hyperparameters, preset.total_timesteps)
        check_imitates(preset.exploration, algorithm)
        check_imitation(preset.exploration, values)
    except (OSError, ValueError, ValidationError, RlvizError) as error:
        log.warning("Skipping the preset in %s: %s", path, error)
        return None
    return preset
