"""Reading the settings: from flags, the environment, a ``.env`` file, a settings file of the working folder, and one of
the user's own configuration, in this order.

The working folder may have been downloaded. What it says counts only as far as it can do no harm, unless the user has
trusted the folder (``rlviz trust .``): it must not name code to run, places to write to or addresses to send to.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from rlviz.domain.errors import InvalidRequest, pointer_to
from rlviz.domain.validation_text import validation_text
from rlviz.placed_file import PlacedFile, read_placed_file
from rlviz.regular_file import NotRegular, read_regular
from rlviz.settings.settings import HARMLESS, HARMLESS_TO_OWN_RUNS, NAMES, PREFIX, Settings
from rlviz.trust_store import TrustStore, user_folder

DOTENV = ".env"
MOST_DOTENV_BYTES = 1 << 20


@dataclass(frozen=True)
class _Given:
    """A value, where it was set, and how that is called where it is wrong."""

    value: Any
    source: str
    place: str


def read_settings(**flags: Any) -> Settings:
    """The settings of this process; ``flags`` count before all else. Raises InvalidRequest, which names each bad
    flag, variable, or file with line and column, its value and what is allowed."""
    folder = Path()
    environment = EnvSettingsSource(Settings)()
    found: dict[str, _Given] = {}
    _take_file(_of_user(), found)
    by_folder, chosen = _of_folder(folder, flags.get("config_file") or environment.get("config_file"))
    _take_file(chosen, found)
    runs_dir = flags.get("runs_dir") or environment.get("runs_dir")
    if runs_dir is None and "runs_dir" in found:
        runs_dir = found["runs_dir"].value
    ignored = [] if TrustStore().trusts_folder(folder) else _untrusted(by_folder, folder, runs_dir)
    found |= {name: given for name, given in by_folder.items() if name not in ignored}
    for source, values in (("environment", environment), ("flag", flags)):
        found |= {
            name: _Given(value, source, _said(name, source))
            for name, value in values.items()
            if name in Settings.model_fields
        }
    try:
        settings = Settings(_env_file=None, **{name: given.value for name, given in found.items()})
    except ValidationError as error:
        problems = []
        for item in error.errors():
            name = str(item["loc"][0]) if item["loc"] else ""
            place = f"{found[name].place if name in found else name}: " if name else ""
            problems.append(f"{place}{validation_text(item)}")
        raise InvalidRequest("Settings cannot be used. " + "; ".join(problems)) from error
    settings.note_sources(
        {name: given.source for name, given in found.items()}, {name: by_folder[name].source for name in ignored}
    )
    return settings


def settings_that_need_trust(folder: Path) -> list[str]:
    """Names of the settings in ``folder`` that count only once it is trusted. Raises InvalidRequest for a file that
    cannot be read."""
    by_folder, _ = _of_folder(folder, None)
    return _untrusted(by_folder, folder, None)


def _of_user() -> Path | None:
    """The settings file of the user's own configuration, if there is one."""
    try:
        return _first_file(user_folder())
    except FileNotFoundError:
        return None


def _of_folder(folder: Path, chosen: Any) -> tuple[dict[str, _Given], Path | None]:
    """What the files of ``folder`` set, and the settings file that the user has named, which takes the place of that of
    the folder."""
    found: dict[str, _Given] = {}
    dotenv = _read_dotenv(folder / DOTENV)
    if chosen is None and "config_file" in dotenv and TrustStore().trusts_folder(folder):
        chosen = dotenv["config_file"]
    if chosen is None:
        _take_file(_first_file(folder), found)
    found |= {
        name: _Given(value, DOTENV, _said(name, DOTENV))
        for name, value in dotenv.items()
        if name in Settings.model_fields
    }
    return found, Path(chosen) if chosen is not None else None


def _first_file(folder: Path) -> Path | None:
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


def _take_file(path: Path | None, found: dict[str, _Given]) -> None:
    """Raises InvalidRequest."""
    if path is None:
        return
    file = read_placed_file(path, "settings")
    for name, value in file.values.items():
        source = _place(name, file)
        found[name] = _Given(value, source, f"{source}: {name}")


def _read_dotenv(path: Path) -> Mapping[str, Any]:
    """By the names of settings. Raises InvalidRequest."""
    if not path.is_file():
        return {}
    try:
        read_regular(path, MOST_DOTENV_BYTES)
    except NotRegular as error:
        raise InvalidRequest(f"{path} is no file of settings: {error.strerror}.") from error
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read ({error.strerror}).") from error
    return DotEnvSettingsSource(Settings, env_file=path)()


def _untrusted(by_folder: Mapping[str, _Given], folder: Path, runs_dir: Any) -> list[str]:
    """Names of the settings that do not count. ``runs_dir``: where the user wants the runs; None: where the folder
    says, or below it."""
    has_own_runs = runs_dir is None or _is_within(folder, runs_dir)
    harmless = HARMLESS | HARMLESS_TO_OWN_RUNS if has_own_runs else HARMLESS
    return [
        name
        for name, given in by_folder.items()
        if name not in harmless and not (name == "runs_dir" and _is_within(folder, given.value))
    ]


def _is_within(folder: Path, path: Any) -> bool:
    return isinstance(path, str | Path) and (folder / path).resolve().is_relative_to(folder.resolve())


def _said(name: str, source: str) -> str:
    return f"--{name.replace('_', '-')}" if source == "flag" else f"{PREFIX}{name}".upper()


def _place(name: str, file: PlacedFile) -> str:
    """Where ``file`` sets ``name``. Raises InvalidRequest, with the nearest name, if there is no such setting."""
    if name not in Settings.model_fields:
        near = difflib.get_close_matches(name.lower().removeprefix(PREFIX.lower()), Settings.model_fields, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(Settings.model_fields)}."
        raise InvalidRequest(f"{file.place(pointer_to(name))}: There is no setting {name[:80]!r}. {hint}")
    return file.place(pointer_to(name))
