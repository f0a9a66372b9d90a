"""Settings of the service and the command line: read once and validated.

``read_settings`` reads them from these sources, in this order of precedence: flags, the environment, a ``.env`` file,
the settings saved in the runs folder, a settings file in the working folder, and a settings file in the user's
configuration folder. In a working folder that the user has not trusted, only HARMLESS settings count.

A running service changes the CHANGEABLE settings alone, by ``Settings.apply_saved``.
"""

from __future__ import annotations

import difflib
import ipaddress
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    ByteSize,
    Field,
    JsonValue,
    PrivateAttr,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, NoDecode, SettingsConfigDict

from rlviz.domain.errors import InvalidRequest, pointer_to, validation_text
from rlviz.domain.limits import DEFAULT_FILM, DEFAULT_SNAPSHOT_BYTES, LIMITS
from rlviz.domain.storage_profile import DEFAULT, DEFAULT_PROFILES, StorageProfile
from rlviz.launchers import LAUNCHERS
from rlviz.machine import DEFAULT_NICENESS, machine_memory
from rlviz.placed_file import PlacedFile, read_placed_file
from rlviz.regular_file import NotRegular, read_regular
from rlviz.trust_store import TrustStore, user_folder

_ROOT_PATH = re.compile(r"(?:/(?:[\w.~@:+,=-]|%[0-9A-Fa-f]{2})+)+", re.ASCII)
"""Path segments that need no escaping in HTML, JavaScript or a header."""

_HOST_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", re.ASCII)


def masked_address(url: str) -> str:
    """Return the scheme and host of a web address. Raises ValueError, without the address, if it is not one."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in ("http", "https"):
        raise ValueError("Give an address that starts with http:// or https:// and a host.")
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}/…"


def is_loopback(host: str) -> bool:
    """Return whether ``host`` (a name or an address, without port) is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def checked_root_path(path: str) -> str:
    """Normalize the path below which a proxy serves the app: ``/rl/`` becomes ``/rl``, and ``/`` becomes empty.

    Raises ValueError.
    """
    trimmed = path.rstrip("/")
    if trimmed and (not _ROOT_PATH.fullmatch(trimmed) or {".", ".."} & set(trimmed.split("/"))):
        raise ValueError(
            f"{path[:80]!r} is not a path such as /rlviz: it must start with a slash and contain only letters, digits "
            "and -._~@:+,=."
        )
    return trimmed


def proxy_network(address: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """Parse an address or a network in CIDR notation. Raises ValueError."""
    try:
        return ipaddress.ip_network(address, strict=False)
    except ValueError as error:
        raise ValueError(
            f"{address[:80]!r} is neither an address nor a network such as 127.0.0.1 or 10.0.0.0/8."
        ) from error


def checked_host_name(name: str) -> str:
    """Return a host name or an address without port in lower case. Raises ValueError."""
    try:
        return str(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        if _HOST_NAME.fullmatch(name):
            return name.lower()
    raise ValueError(f"{name[:80]!r} is not a host name such as rl.example.org, without scheme and port.")


PREFIX = "RLVIZ_"
NAMES = ("rlviz.toml", "rlviz.yaml", "rlviz.yml")
"""Names of settings files in the working folder and in the user's configuration folder; in each, the first existing
file is read."""

HARMLESS = frozenset(
    {
        *("port", "max_concurrent_runs", "warm_worker", "niceness", "memory_limit", "max_sessions", "log_format"),
        *("snapshot_bytes", "keep_film", "keep_clips", "storage", "min_free_disk", "max_bytes"),
        *("on_exit", "terminate_after_seconds", "kill_after_seconds"),
    }
)
"""Settings that count from an untrusted working folder. The others name code, paths or addresses, or open the service
to other machines; ``runs_dir`` counts if it is inside the folder."""

HARMLESS_TO_OWN_RUNS = frozenset({"keep_eval_videos", "trash_days", "resume", "resume_attempts"})
"""Settings that delete or start something: they count from an untrusted folder for runs inside that folder."""

CHANGEABLE = (HARMLESS | HARMLESS_TO_OWN_RUNS) - {"port"}
"""Settings that the Settings page can change. They are saved in the runs folder, which may come from elsewhere."""

AFTER_RESTART = frozenset({"log_format", "niceness", "warm_worker"})
"""CHANGEABLE settings that the service reads only when it starts."""

FOR_NEW_RUNS = frozenset({"keep_film", "snapshot_bytes"})
"""CHANGEABLE settings that a run copies into its configuration when it is created."""

SAVED_FILE = "settings.json"
"""File in the runs folder with the settings that were changed on the Settings page."""

SAVED_SOURCE = "settings page"
MOST_SAVED_BYTES = 1 << 20

_SECRET: dict[str, JsonValue] = {"secret": True}
"""Marks a field whose variable is not passed to child processes (``rlviz.child_environment``)."""

_PACKAGED_PAGES = Path(__file__).resolve().parent / "pages"
"""The built front end in an installed package."""

_BUILT_PAGES = Path(__file__).resolve().parents[2] / "frontend" / "out"
"""The built front end in a checkout."""


class Settings(BaseSettings):
    """Each field is set by ``RLVIZ_<FIELD>``; ``rlviz config`` shows them with their source."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", env_file_encoding="utf-8-sig", extra="ignore", frozen=True
    )

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)
    _ignored: dict[str, str] = PrivateAttr(default_factory=dict)
    _saved: dict[str, Any] = PrivateAttr(default_factory=dict)
    _without_saved: dict[str, tuple[Any, str]] = PrivateAttr(default_factory=dict)
    _saved_problem: str | None = PrivateAttr(None)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65_535, description="Port to listen on; 0 for any free port.")
    runs_dir: Path = Field(Path("runs"), description="Folder that holds the runs and their catalogue.")
    launcher: str = Field(
        "process",
        description="Where training runs: in one process per run, in a thread of the service, or not at all: recorded "
        "runs are replayed (for tests and demos).",
    )
    max_concurrent_runs: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Maximum number of runs that train at the same time; others wait. Default: number of cores.",
    )
    warm_worker: bool = Field(
        True,
        description="Keep one process ready from which workers are forked, so that runs start at once. It needs about "
        "350 MB of memory, which the workers share.",
    )
    niceness: int = Field(
        DEFAULT_NICENESS,
        ge=0,
        le=19,
        description="Priority of workers relative to everything else on the machine: 0 is normal priority, 10 keeps "
        "the app's pages responsive, 19 is the lowest priority. No effect with RLVIZ_LAUNCHER=thread.",
    )
    memory_limit: ByteSize = Field(
        default_factory=lambda: ByteSize(machine_memory() * 0.6),
        ge=10**8,
        description="Memory for the buffers of all runs together, for example 8GB. Default: 60 % of the machine's.",
    )
    snapshot_bytes: ByteSize = Field(
        ByteSize(DEFAULT_SNAPSHOT_BYTES),
        ge=1_000_000,
        description="Maximum total size of the snapshots of each new run, for example 2GB. The newest snapshot and "
        "named ones are always kept.",
    )
    keep_eval_videos: int = Field(
        3,
        ge=1,
        le=1_000,
        description="Number of newest evaluation videos to keep for each run; summaries are always kept.",
    )
    keep_film: int = Field(
        DEFAULT_FILM,
        ge=LIMITS.film.minimum,
        le=LIMITS.film.maximum,
        description="Number of policies (weights only) to keep for the filmstrip of each new run; 0: none. If "
        "policies are large, fewer are kept, so that they take at most about 64 MB per run.",
    )
    max_sessions: int = Field(
        2,
        ge=0,
        le=32,
        description="Maximum number of simultaneous sessions. A session is one viewer who watches or plays; each "
        "session is a process.",
    )
    keep_clips: ByteSize = Field(
        ByteSize(200_000_000),
        ge=1_000_000,
        description="Maximum total size of the clips of a run's filmstrip, for example 200MB. The least recently "
        "watched are deleted first and made again on request.",
    )
    storage: dict[str, dict[str, Any]] = Field(
        {},
        description="How much is recorded, by family of environments, as JSON: "
        '{"atari": {"detail": "off"}, "box2d": {"frames_every": 1, "max_bytes": "1GB"}}.',
    )
    trash_days: float = Field(
        7.0, ge=0, le=3_650, description="Days that a deleted run stays in the trash, where you can restore it."
    )
    on_exit: Literal["pause", "stop", "leave"] = Field(
        "pause",
        description="What Ctrl-C and SIGTERM do with runs that train: pause them until the next start, stop them "
        "with their models saved, or leave them training for the next start to adopt.",
    )
    resume: Literal["ask", "auto"] = Field(
        "ask",
        description="Whether an interrupted run continues automatically from its newest snapshot: ask waits for you, "
        "auto continues.",
    )
    resume_attempts: int = Field(
        3, ge=1, le=1_000, description="How many times in a row an interrupted run continues automatically."
    )
    terminate_after_seconds: float = Field(
        30.0, ge=0.1, le=86_400, description="Seconds after a stop request until a run that still trains gets SIGTERM."
    )
    kill_after_seconds: float = Field(
        10.0, ge=0.1, le=86_400, description="Seconds after SIGTERM until a run that still trains is killed."
    )
    min_free_disk: ByteSize = Field(
        ByteSize(500_000_000),
        ge=0,
        description="Free space to keep on the disk of the runs, for example 2GB. With less, nothing is started.",
    )
    max_bytes: ByteSize | None = Field(
        None,
        ge=1_000_000,
        description="Maximum size of the runs folder, for example 50GB. Above it, nothing is started.",
    )
    trust_runs_dir: bool = Field(
        False,
        description="Whether every run in the runs folder counts as yours, for a folder that several machines or users "
        "share. You still trust imported bundles one by one.",
    )
    archive_dir: Path | None = Field(
        None,
        description="Folder outside the runs folder into which storage rules archive runs, one file each.",
    )
    token: str | None = Field(
        None,
        min_length=8,
        pattern=r"^[!-~]*$",
        json_schema_extra=_SECRET,
        description="Secret that clients must send. Required if the host is not loopback.",
    )
    root_path: str = Field(
        "",
        max_length=500,
        description="Path under which a reverse proxy serves the app, for example /rlviz. Empty: at the root.",
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Addresses or networks of reverse proxies, comma-separated, for example 127.0.0.1. Only their "
        "X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Prefix headers count.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Additional host names, comma-separated, that the app accepts in the Host header. Needed if a "
        "reverse proxy forwards its own host name. Requires a token.",
    )
    log_format: Literal["text", "json"] = Field(
        "text", description="Format of log lines: text, or one JSON object per line for log collectors."
    )
    webhook_url: SecretStr | None = Field(
        None,
        json_schema_extra=_SECRET,
        description="Address that receives every notification (POST, JSON). Shown and logged without its path, which "
        "is usually secret.",
    )
    frontend_dir: Path = Field(
        default_factory=lambda: _PACKAGED_PAGES if _PACKAGED_PAGES.is_dir() else _BUILT_PAGES,
        description="Folder of the built front end, served at /. Default: in the package, otherwise in the checkout.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Additional origins, comma-separated, that can call the API; for front-end development."
    )
    config_file: Path | None = Field(
        None,
        description=f"Settings file in TOML or YAML. Default: {NAMES[0]} or {NAMES[1]} in the working folder. The "
        "environment overrides it. In a folder that you have not trusted, settings that name code, paths or "
        "addresses do not count.",
    )

    @field_validator("launcher")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in LAUNCHERS.names():
            raise ValueError(f"There is no launcher {value!r}. Known: {', '.join(LAUNCHERS.names())}.")
        return value

    environments: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Environments of your own, comma-separated: module:Class or path/to/file.py:Class."
    )

    roms: Path | None = Field(
        None,
        description="Folder with Game Boy games of your own: each subfolder has a ROM, game.gb, and a game.toml.",
    )

    @field_validator("cors_origins", "environments", "trusted_proxies", "allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("root_path")
    @classmethod
    def _root_path(cls, value: str) -> str:
        return checked_root_path(value)

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            proxy_network(address)
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _host_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(checked_host_name, value))

    @model_validator(mode="after")
    def _guard_the_network(self) -> Settings:
        if self.token is not None:
            return self
        if not self.is_loopback:
            raise ValueError(
                f"{PREFIX}HOST={self.host} can be reached from other machines. Set {PREFIX}TOKEN to a secret "
                f"of 8 characters or more, or leave {PREFIX}HOST at 127.0.0.1."
            )
        if public := next((name for name in self.allowed_hosts if not is_loopback(name)), None):
            raise ValueError(
                f"{PREFIX}ALLOWED_HOSTS={public} lets other machines in through a reverse proxy. Set {PREFIX}TOKEN to "
                "a secret of 8 characters or more."
            )
        return self

    @model_validator(mode="after")
    def _archive_elsewhere(self) -> Settings:
        if self.archive_dir is not None and self.archive_dir.resolve().is_relative_to(self.runs_dir.resolve()):
            raise ValueError(
                f"{PREFIX}ARCHIVE_DIR={self.archive_dir} lies in the runs folder. Choose a folder outside."
            )
        return self

    @field_validator("webhook_url")
    @classmethod
    def _can_be_posted_to(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            masked_address(value.get_secret_value())
        return value

    @field_validator("storage")
    @classmethod
    def _profiles(cls, value: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for family, changes in value.items():
            if family not in DEFAULT_PROFILES:
                raise ValueError(f"There is no family {family[:80]!r}. Known: {', '.join(DEFAULT_PROFILES)}.")
            _changed(family, changes)
        return value

    def storage_profile(self, family: str) -> StorageProfile:
        """Return the storage profile of environments of ``family``."""
        return _changed(family, self.storage.get(family, {}))

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def webhook_address(self) -> str | None:
        """Where notifications are sent, without the secret part."""
        return masked_address(self.webhook_url.get_secret_value()) if self.webhook_url is not None else None

    def shown(self, name: str) -> Any:
        """Return the value of field ``name`` with secrets hidden."""
        if name == "token" and self.token:
            return "********"
        return self.webhook_address if name == "webhook_url" else getattr(self, name)

    def as_json(self, name: str) -> Any:
        """Return the value of field ``name`` as JSON has it, with secrets hidden; paths are text."""
        return value_as_json(self.shown(name))

    @property
    def memory_a_run(self) -> int:
        """Bytes for the buffers of one run if the maximum number of runs trains at the same time."""
        return self.memory_limit // self.max_concurrent_runs

    def source_of(self, name: str) -> str:
        """Return where field ``name`` was set: flag, environment, .env, a file with the line, or default."""
        return self._sources.get(name, "default")

    def note_sources(self, sources: Mapping[str, str], ignored: Mapping[str, str]) -> None:
        """Store the source of each field, and the settings of an untrusted folder that do not count."""
        self._sources.update(sources)
        self._ignored.update(ignored)

    @property
    def ignored(self) -> str | None:
        """Return a sentence on settings of an untrusted working folder that do not count; None if there are none."""
        if not self._ignored:
            return None
        names = ", ".join(f"{name} ({source})" for name, source in self._ignored.items())
        return f"This folder is not trusted, so these of its settings do not count: {names}. `rlviz trust .` trusts it."

    @property
    def saved(self) -> Mapping[str, Any]:
        """The settings saved in the runs folder. Not all of them count: see ``locked_by``."""
        return self._saved

    @property
    def saved_problem(self) -> str | None:
        """What is wrong with the file of saved settings, and what to do; None if it could be read."""
        return self._saved_problem

    def locked_by(self, name: str) -> str | None:
        """Return the source that overrides a saved value of ``name``: flag, environment or .env; None if none does."""
        source = self.source_of(name)
        return source if source in ("flag", "environment", DOTENV) else None

    def without_saved(self, name: str) -> tuple[Any, str]:
        """Return the value of ``name``, and its source, if nothing were saved for it."""
        return self._without_saved.get(name, (getattr(self, name), self.source_of(name)))

    def check_value(self, name: str, value: JsonValue) -> Any:
        """Validate a value for the CHANGEABLE setting ``name`` and return it with its type.

        Raises InvalidRequest, which points to the setting.
        """
        values = {field: getattr(self, field) for field in type(self).model_fields}
        try:
            return getattr(type(self)(_env_file=None, **{**values, name: value}), name)
        except ValidationError as error:
            texts = "; ".join(validation_text(item) for item in error.errors())
            raise InvalidRequest.field(f"/{name}", texts) from error

    def apply_saved(self, name: str, value: Any, *, at_start: bool = False) -> None:
        """Use a checked value of a CHANGEABLE setting, or with None, the value that counts if nothing is saved.

        ``at_start``: also change settings that the service reads only when it starts.
        """
        if value is None:
            self._saved.pop(name, None)
        else:
            self._saved[name] = value
        if self.locked_by(name) is not None or (name in AFTER_RESTART and not at_start):
            return
        before = self._without_saved.setdefault(name, (getattr(self, name), self.source_of(name)))
        used, source = before if value is None else (value, SAVED_SOURCE)
        self.__dict__[name] = used  # the model is frozen for everyone else
        self._sources[name] = source

    def note_saved_problem(self, problem: str | None) -> None:
        self._saved_problem = problem


def value_as_json(value: Any) -> Any:
    """Return the value of a setting as JSON has it."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, bool | int | float | dict) or value is None else str(value)


def _changed(family: str, changes: dict[str, Any]) -> StorageProfile:
    standard = DEFAULT_PROFILES.get(family, DEFAULT)
    return StorageProfile.model_validate({**standard.model_dump(), **changes})


DOTENV = ".env"
MOST_DOTENV_BYTES = 1 << 20


@dataclass(frozen=True)
class _Given:
    """A value, its source, and the name of the source for error messages."""

    value: Any
    source: str
    place: str


def read_settings(**flags: Any) -> Settings:
    """Read the settings of this process. ``flags`` override all other sources.

    Raises InvalidRequest, which names each bad flag, variable, or file with line and column, its value and what is
    allowed.
    """
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
    _apply_saved_file(settings)
    return settings


def read_saved_file(runs_dir: Path) -> dict[str, Any]:
    """Return the content of the file of saved settings; empty if there is none. Nothing in it is validated.

    Raises ValueError if it is not a JSON object, or OSError.
    """
    try:
        content = read_regular(runs_dir / SAVED_FILE, MOST_SAVED_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    document = json.loads(content)
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - callers handle it like broken JSON
    return document


def _apply_saved_file(settings: Settings) -> None:
    """Use the settings saved in the runs folder. What cannot be used is noted and left out: it never ends a start."""
    path = settings.runs_dir / SAVED_FILE
    try:
        saved = read_saved_file(settings.runs_dir)
    except (ValueError, RecursionError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a JSON object"
        settings.note_saved_problem(
            f"{path} cannot be read ({reason}), so no saved setting counts. Fix or delete the file, or save a setting "
            "on the Settings page: the file is then replaced, and this one kept beside it."
        )
        return
    problems = []
    for name, value in saved.items():
        if name not in CHANGEABLE:
            problems.append(f"{name[:80]!r} is not a setting that can be saved")
            continue
        try:
            settings.apply_saved(name, settings.check_value(name, value), at_start=True)
        except InvalidRequest as error:
            problems.append(f"{name}: {error.fields[0].detail}")
    if problems:
        settings.note_saved_problem(
            f"Some settings in {path} do not count: {'; '.join(problems)}. Change them on the Settings page, or edit "
            "the file and start again."
        )


def settings_that_need_trust(folder: Path) -> list[str]:
    """Return the names of the settings in ``folder`` that count only if you trust it.

    Raises InvalidRequest for a file that cannot be read.
    """
    by_folder, _ = _of_folder(folder, None)
    return _untrusted(by_folder, folder, None)


def _of_user() -> Path | None:
    """Return the settings file in the user's configuration folder; None if there is none."""
    try:
        return _first_file(user_folder())
    except FileNotFoundError:
        return None


def _of_folder(folder: Path, chosen: Any) -> tuple[dict[str, _Given], Path | None]:
    """Return the settings in the files of ``folder``, and the settings file that the user named instead, if any."""
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
    """Read a ``.env`` file as values by setting. Raises InvalidRequest."""
    if not path.is_file():
        return {}
    try:
        read_regular(path, MOST_DOTENV_BYTES)
    except NotRegular as error:
        raise InvalidRequest(f"{path} is not a settings file: {error.strerror}.") from error
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read ({error.strerror}).") from error
    return DotEnvSettingsSource(Settings, env_file=path)()


def _untrusted(by_folder: Mapping[str, _Given], folder: Path, runs_dir: Any) -> list[str]:
    """Return the names of the settings that do not count.

    ``runs_dir``: the runs folder that the user chose; None: as the folder's settings say, or inside the folder.
    """
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
    """Return where ``file`` sets ``name``. Raises InvalidRequest, with the closest name, if there is no such
    setting."""
    if name not in Settings.model_fields:
        near = difflib.get_close_matches(name.lower().removeprefix(PREFIX.lower()), Settings.model_fields, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(Settings.model_fields)}."
        raise InvalidRequest(f"{file.place(pointer_to(name))}: There is no setting {name[:80]!r}. {hint}")
    return file.place(pointer_to(name))
