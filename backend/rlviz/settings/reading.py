"""Reading the settings: from flags, the environment, a ``.env`` file and a settings file, in this order."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from rlviz.domain.errors import InvalidRequest, pointer_to
from rlviz.domain.validation_text import validation_text
from rlviz.placed_file import PlacedFile, read_placed_file
from rlviz.settings.settings import NAMES, PREFIX, Settings


def read_settings(**flags: Any) -> Settings:
    """The settings of this process; ``flags`` count before all else. Raises InvalidRequest, which names each bad
    flag, variable, or file with line and column, its value and what is allowed."""
    environment, dotenv = EnvSettingsSource(Settings)(), DotEnvSettingsSource(Settings)()
    chosen = flags.get("config_file") or environment.get("config_file") or dotenv.get("config_file")
    path = Path(chosen) if chosen else next((Path(name) for name in NAMES if Path(name).is_file()), None)
    file = read_placed_file(path, "settings") if path is not None else None
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    places: dict[str, str] = {}
    if file is not None:
        for name, value in file.values.items():
            values[name], sources[name] = value, _place(name, file)
            places[name] = f"{sources[name]}: {name}"
    for source, given in ((".env", dotenv), ("environment", environment), ("flag", flags)):
        for name, value in given.items():
            if name in Settings.model_fields:
                values[name], sources[name] = value, source
                places[name] = f"--{name.replace('_', '-')}" if source == "flag" else f"{PREFIX}{name}".upper()
    try:
        settings = Settings(_env_file=None, **values)
    except ValidationError as error:
        problems = []
        for item in error.errors():
            place = f"{places.get(str(item['loc'][0]), item['loc'][0])}: " if item["loc"] else ""
            problems.append(f"{place}{validation_text(item)}")
        raise InvalidRequest("Settings cannot be used. " + "; ".join(problems)) from error
    settings.note_sources(sources)
    return settings


def _place(name: str, file: PlacedFile) -> str:
    """Where ``file`` sets ``name``. Raises InvalidRequest, with the nearest name, if there is no such setting."""
    if name not in Settings.model_fields:
        near = difflib.get_close_matches(name.lower().removeprefix(PREFIX.lower()), Settings.model_fields, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(Settings.model_fields)}."
        raise InvalidRequest(f"{file.place(pointer_to(name))}: There is no setting {name[:80]!r}. {hint}")
    return file.place(pointer_to(name))
