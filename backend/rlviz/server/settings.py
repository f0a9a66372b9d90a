"""The settings that the service runs with, and changes to those that are safe to change on the Settings page."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any, Literal, get_args, get_origin

from pydantic import ByteSize, Field, JsonValue
from pydantic.fields import FieldInfo

from rlviz.domain.errors import InvalidRequest, SettingLocked
from rlviz.regular_file import NotRegular
from rlviz.rundir.files import write_atomically
from rlviz.server.wire import Wire
from rlviz.settings import (
    AFTER_RESTART,
    CHANGEABLE,
    FOR_NEW_RUNS,
    PREFIX,
    SAVED_FILE,
    Settings,
    read_saved_file,
    value_as_json,
)

DAMAGED_FILE = "settings.damaged.json"
"""Where a saved file that cannot be read is kept when the next change replaces it."""


class SettingChange(Wire):
    """How a setting can be changed on the Settings page."""

    kind: Literal["integer", "number", "switch", "choice", "bytes", "json"]
    minimum: float | None
    maximum: float | None
    choices: list[str] = Field(description="The allowed values of a choice.")
    saved: JsonValue = Field(description="The value in settings.json of the runs folder; null if there is none.")
    otherwise: JsonValue = Field(description="The value that counts if nothing is saved.")
    otherwise_source: str
    locked_by: str | None = Field(description="What overrides a saved value: flag, environment or .env; null if none.")
    applies: Literal["now", "new_runs", "restart"] = Field(
        description="When a saved value counts: at once, for runs created from now on, or after the next start."
    )


class SettingInfo(Wire):
    """A setting that the service runs with."""

    name: str
    variable: str = Field(description="The environment variable that sets it.")
    value: JsonValue = Field(description="Secrets are hidden.")
    unit: Literal["bytes"] | None
    source: str = Field(
        description="Where it was set: flag, environment, .env, settings page, a file with the line, or default."
    )
    description: str
    change: SettingChange | None = Field(
        description="How it can be changed; null if only where the service is started, because it names code, a path, "
        "an address or a secret."
    )


class SettingsService:
    """Lists the settings, and saves changes in the runs folder. Thread-safe."""

    def __init__(self, settings: Settings, *wake: Callable[[], None]) -> None:
        """Create the service. ``wake``: called after each change, so that threads act on it at once."""
        self._settings, self._wake = settings, wake
        self._lock = Lock()

    @property
    def problem(self) -> str | None:
        """What is wrong with the file of saved settings; None if nothing is."""
        return self._settings.saved_problem

    def describe(self) -> list[SettingInfo]:
        """Return every setting with its value and source, and how it can be changed."""
        settings = self._settings
        return [
            SettingInfo(
                name=name,
                variable=_variable(name),
                value=settings.as_json(name),
                unit="bytes" if _kind(field) == "bytes" else None,
                source=settings.source_of(name),
                description=field.description or "",
                change=_change(settings, name, field) if name in CHANGEABLE else None,
            )
            for name, field in Settings.model_fields.items()
        ]

    def change(self, changes: Mapping[str, JsonValue]) -> None:
        """Save and apply ``changes``: values by setting; None removes the saved value.

        Nothing is changed if one of them cannot be. Raises InvalidRequest, SettingLocked or OSError.
        """
        with self._lock:
            checked = {name: self._check(name, value) for name, value in changes.items()}
            self._save(checked)
            for name, value in checked.items():
                self._settings.apply_saved(name, value)
            self._settings.note_saved_problem(None)
        for wake in self._wake:
            wake()

    def _check(self, name: str, value: JsonValue) -> Any:
        """Return the value with its type. Raises InvalidRequest or SettingLocked."""
        if name not in Settings.model_fields:
            near = difflib.get_close_matches(name.lower().removeprefix(PREFIX.lower()), sorted(CHANGEABLE), 1)
            hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(sorted(CHANGEABLE))}."
            raise InvalidRequest.field(f"/{name[:80]}", f"There is no setting {name[:80]!r}. {hint}")
        if name not in CHANGEABLE:
            raise InvalidRequest.field(
                f"/{name}",
                f"{_variable(name)} names code, a path, an address or a secret, so it cannot be changed here. Set the "
                "variable and start the service again.",
            )
        if value is None:
            return None
        if (source := self._settings.locked_by(name)) is not None:
            raise SettingLocked(
                f"{_variable(name)} is set by {_SAID[source]}, which overrides a saved value. Remove it there and "
                "start the service again to change it here."
            )
        return self._settings.check_value(name, value)

    def _save(self, checked: Mapping[str, Any]) -> None:
        """Write the file with the changes. Names in it that this version does not know stay. Raises OSError."""
        path = self._settings.runs_dir / SAVED_FILE
        try:
            document = read_saved_file(self._settings.runs_dir)
        except (ValueError, RecursionError, NotRegular):
            document = {}
            with suppress(OSError):
                path.replace(path.with_name(DAMAGED_FILE))
        known = {name: value_as_json(value) for name, value in self._settings.saved.items()}
        unknown = {name: value for name, value in document.items() if name not in Settings.model_fields}
        wanted = {**unknown, **known, **{name: value_as_json(value) for name, value in checked.items()}}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        write_atomically(path, (json.dumps(wanted, indent=2, sort_keys=True) + "\n").encode())


_SAID = {"flag": "a flag", "environment": "an environment variable", ".env": "the .env file"}


def _variable(name: str) -> str:
    return f"{PREFIX}{name}".upper()


def _change(settings: Settings, name: str, field: FieldInfo) -> SettingChange:
    otherwise, source = settings.without_saved(name)
    saved = settings.saved.get(name)
    return SettingChange(
        kind=_kind(field),
        minimum=_bound(field, "ge"),
        maximum=_bound(field, "le"),
        choices=[str(value) for value in get_args(field.annotation)] if _kind(field) == "choice" else [],
        saved=value_as_json(saved),
        otherwise=value_as_json(otherwise),
        otherwise_source=source,
        locked_by=settings.locked_by(name),
        applies="restart" if name in AFTER_RESTART else "new_runs" if name in FOR_NEW_RUNS else "now",
    )


def _kind(field: FieldInfo) -> Literal["integer", "number", "switch", "choice", "bytes", "json"]:
    kinds = {*get_args(field.annotation), field.annotation}
    if ByteSize in kinds:
        return "bytes"
    if get_origin(field.annotation) is Literal:
        return "choice"
    if bool in kinds:
        return "switch"
    if int in kinds:
        return "integer"
    return "number" if float in kinds else "json"


def _bound(field: FieldInfo, name: str) -> float | None:
    return next((float(bound) for part in field.metadata if (bound := getattr(part, name, None)) is not None), None)
