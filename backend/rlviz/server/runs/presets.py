"""OwnPresets: presets of the user's own, a file each in the runs folder."""

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

log = logging.getLogger(__name__)

FOLDER = "presets"
MOST_BYTES = 100_000
MOST_PRESETS = 500


class OwnPresets:
    """Read again only when the folder has changed. For several threads."""

    def __init__(self, runs_dir: Path) -> None:
        self._folder = runs_dir / FOLDER
        self._lock = Lock()
        self._known: tuple[object, tuple[OwnPreset, ...]] = (None, ())

    def all(self) -> Sequence[OwnPreset]:
        """By title. Files that are none, or with which nothing can be trained, are left out and logged."""
        with self._lock:
            files = self._files()
            stamp = [(path.name, *_stamp(path)) for path in files]
            if stamp != self._known[0]:
                found = [preset for path in files if (preset := _read(path)) is not None]
                self._known = stamp, tuple(sorted(found, key=lambda preset: (preset.title.lower(), preset.id)))
            return self._known[1]

    def keep(self, preset: OwnPreset) -> None:
        """Write its file. Raises InvalidRequest if there is one of that id, if its title is that of a built-in preset,
        or if there are too many; or OSError."""
        if is_built_in_title(preset.title):
            raise InvalidRequest.field(
                "/title", f"{preset.title!r} is what a built-in preset is called. Choose another title."
            )
        with self._lock:
            path = self._path(preset.id)
            if path.exists() or path.is_symlink():
                raise InvalidRequest.field("/title", f"There is a preset {preset.id!r} already. Choose another title.")
            if len(self._files()) >= MOST_PRESETS:
                raise InvalidRequest("", [FieldError("", f"{MOST_PRESETS} presets are the most. Delete some.")])
            self._folder.mkdir(exist_ok=True)
            with atomic_write(path) as file:
                file.write(preset.model_dump_json(indent=2).encode())

    def delete(self, preset_id: str) -> None:
        """Raises PresetNotFound."""
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
    """When the file was changed, in nanoseconds, and its bytes; (0, 0) if it is gone."""
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
            raise ValueError(f"longer than {MOST_BYTES:,} bytes")  # noqa: TRY301 - all that is wrong is told below
        preset = OwnPreset.model_validate_json(content)
        if preset.id != path.stem:
            raise ValueError(f"its id is {preset.id!r}")  # noqa: TRY301
        ALGORITHMS.get(preset.algorithm).validate(preset.hyperparameters, preset.total_timesteps)
    except (OSError, ValueError, ValidationError, RlvizError) as error:
        log.warning("The preset in %s is left out: %s", path, error)
        return None
    return preset
