"""Settings in a file: ``rlviz.toml`` or ``rlviz.yaml``, one setting a line, with the places where they stand."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlviz.domain.errors import InvalidRequest

NAMES = ("rlviz.toml", "rlviz.yaml", "rlviz.yml")
"""Looked for in the folder that a command is started in; the first that is there is read."""

_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class SettingsFile:
    """``values`` by name of the setting, and ``places`` of their names: line and column, from 1."""

    path: Path
    values: dict[str, Any]
    places: dict[str, tuple[int, int]]

    def place(self, name: str) -> str:
        """For instance ``rlviz.toml:3:1``."""
        line, column = self.places.get(name, (1, 1))
        return f"{self.path}:{line}:{column}"


def find_settings_file(folder: Path) -> Path | None:
    """The settings file of ``folder``; None if there is none."""
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


def read_settings_file(path: Path) -> SettingsFile:
    """Read a file of settings. Raises InvalidRequest, which names line and column of what cannot be read."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InvalidRequest(f"{path} is no file of settings: it has more than {_MAX_BYTES} bytes.")
        text = path.read_text()
    except OSError as error:
        raise InvalidRequest(f"The settings file {path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidRequest(f"{path}:{line}:1: This is no text in UTF-8.") from error
    if path.suffix.lower() == ".toml":
        return _read_toml(path, text)
    if path.suffix.lower() in (".yaml", ".yml"):
        return _read_yaml(path, text)
    raise InvalidRequest(f"The settings file {path} has to end in .toml, .yaml or .yml.")


def _read_toml(path: Path, text: str) -> SettingsFile:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _TOML_PLACE.search(str(error))  # else it says "(at end of document)"
        end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        line, column = match.groups() if match else end
        raise InvalidRequest(f"{path}:{line}:{column}: {str(error).partition(' (at ')[0]}.") from error
    places = {}
    for name in values:
        if match := re.search(rf"^[ \t]*\[?[\"']?({re.escape(name)})\b", text, re.MULTILINE):
            before = text[: match.start(1)]
            places[name] = (before.count("\n") + 1, len(before) - before.rfind("\n"))
    return SettingsFile(path, values, places)


def _read_yaml(path: Path, text: str) -> SettingsFile:
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise InvalidRequest(f"{path}:{line}:{column}: {(error.problem or 'not YAML').capitalize()}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"{path}:1:1: This is no YAML: {error}.") from error
    if values is None:
        return SettingsFile(path, {}, {})
    if not isinstance(values, dict):
        raise InvalidRequest(f"{path}:1:1: Settings are written `name: value`, one a line.")
    places = {str(key.value): (key.start_mark.line + 1, key.start_mark.column + 1) for key, _ in node.value}
    return SettingsFile(path, {str(name): value for name, value in values.items()}, places)
