"""Settings of the service and of the command line: read once, validated, never changed afterwards.

Addresses in settings: which can be reached from other machines, what of one may be shown, and those of
proxies.

Settings: what can be set, validated, never changed afterwards.

Reading the settings: from flags, the environment, a ``.env`` file, a settings file of the working folder, and
one of the user's own configuration, in this order.
"""

from __future__ import annotations

import difflib
import ipaddress
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
"""Segments that can stand in HTML, in JavaScript and in a header without being escaped."""

_HOST_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", re.ASCII)


def masked_address(url: str) -> str:
    """Scheme and host of a web address. Raises ValueError, without the address, if it is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in ("http", "https"):
        raise ValueError("An address that begins with http:// or https:// and a host is needed.")
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}/…"


def is_loopback(host: str) -> bool:
    """Whether ``host`` (a name or an address, without port) is only reachable from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def checked_root_path(path: str) -> str:
    """A path below which a proxy serves the app, as it goes before paths of the app: ``/rl/`` becomes ``/rl``, and
    ``/`` becomes empty. Raises ValueError."""
    trimmed = path.rstrip("/")
    if trimmed and (not _ROOT_PATH.fullmatch(trimmed) or {".", ".."} & set(trimmed.split("/"))):
        raise ValueError(
            f"{path[:80]!r} is not a path such as /rlviz: it begins with a slash, and its parts hold letters, digits "
            "and -._~@:+,= alone."
        )
    return trimmed


def proxy_network(address: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """The network that an address or a network in CIDR notation means. Raises ValueError."""
    try:
        return ipaddress.ip_network(address, strict=False)
    except ValueError as error:
        raise ValueError(
            f"{address[:80]!r} is neither an address nor a network such as 127.0.0.1 or 10.0.0.0/8."
        ) from error


def checked_host_name(name: str) -> str:
    """A host name or an address without a port, in lower case. Raises ValueError."""
    try:
        return str(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        if _HOST_NAME.fullmatch(name):
            return name.lower()
    raise ValueError(f"{name[:80]!r} is not a host name such as rl.example.org, without scheme and port.")


PREFIX = "RLVIZ_"
NAMES = ("rlviz.toml", "rlviz.yaml", "rlviz.yml")
"""Files of settings that are looked for in the folder that a command is started in, and in the user's own configuration
folder; of each, the first that is there is read."""

HARMLESS = frozenset(
    {
        *("port", "max_concurrent_runs", "warm_worker", "niceness", "memory_limit", "max_sessions", "log_format"),
        *("snapshot_bytes", "keep_film", "keep_clips", "storage", "min_free_disk", "max_bytes"),
        *("on_exit", "terminate_after_seconds", "kill_after_seconds"),
    }
)
"""Settings that count from a working folder that the user has not trusted. The others name code, places or addresses,
or open the service to others; ``runs_dir`` counts if it lies within the folder."""

HARMLESS_TO_OWN_RUNS = frozenset({"keep_eval_videos", "trash_days", "resume", "resume_attempts"})
"""The same of settings that have something deleted or begun: they count for runs that lie within the folder."""

_SECRET: dict[str, JsonValue] = {"secret": True}
"""Marks a field whose variable the processes of the service do not get (``rlviz.child_environment``)."""

_PACKAGED_PAGES = Path(__file__).resolve().parent / "pages"
"""The built front end in a package that was installed from a wheel."""

_BUILT_PAGES = Path(__file__).resolve().parents[2] / "frontend" / "out"
"""The built front end in a checkout."""


class Settings(BaseSettings):
    """Each field is set by ``RLVIZ_<FIELD>``; ``rlviz config`` shows them with their source."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", env_file_encoding="utf-8-sig", extra="ignore", frozen=True
    )

    _sources: dict[str, str] = PrivateAttr(default_factory=dict)
    _ignored: dict[str, str] = PrivateAttr(default_factory=dict)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65_535, description="Port to listen on; 0 takes a free one.")
    runs_dir: Path = Field(Path("runs"), description="Folder that holds the runs and their catalogue.")
    launcher: str = Field(
        "process",
        description="Where training runs: one process per run, a thread of the service, or nowhere: recorded runs are "
        "replayed.",
    )
    max_concurrent_runs: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Runs that train at the same time; others wait. Default: number of cores.",
    )
    warm_worker: bool = Field(
        True,
        description="Keep a process ready of which workers are forks, so that they start at once; it takes about "
        "350 MB of memory, which they share.",
    )
    niceness: int = Field(
        DEFAULT_NICENESS,
        ge=0,
        le=19,
        description="How far workers, which train, evaluate, film and play, give way to all else that the machine "
        "does: 0 not at all, 10 so that pages stay fast, 19 as far as they can. A thread that trains never does.",
    )
    memory_limit: ByteSize = Field(
        default_factory=lambda: ByteSize(machine_memory() * 0.6),
        ge=10**8,
        description="Memory for the buffers of all runs together, for instance 8GB. Default: 60 % of the machine's.",
    )
    snapshot_bytes: ByteSize = Field(
        ByteSize(DEFAULT_SNAPSHOT_BYTES),
        ge=1_000_000,
        description="What the snapshots of each new run may take together, for instance 2GB. The newest one and those "
        "with a name stay anyway.",
    )
    keep_eval_videos: int = Field(3, ge=1, le=1_000, description="Newest evaluation videos kept a run.")
    keep_film: int = Field(
        DEFAULT_FILM,
        ge=LIMITS.film.minimum,
        le=LIMITS.film.maximum,
        description="Policies kept of each new run for its filmstrip, weights alone; 0: none. Large ones are kept less "
        "often, so that they take about 64 MB at most.",
    )
    max_sessions: int = Field(
        2,
        ge=0,
        le=32,
        description="Sessions (somebody watches a policy play, or plays) at the same time; each is a process.",
    )
    keep_clips: ByteSize = Field(
        ByteSize(200_000_000),
        ge=1_000_000,
        description="What the clips of one run's filmstrip may take together, for instance 200MB; those that were not "
        "watched for longest go first, and are made again when asked for.",
    )
    storage: dict[str, dict[str, Any]] = Field(
        {},
        description="How much is recorded, by family of environments, as JSON: "
        '{"atari": {"detail": "off"}, "box2d": {"frames_every": 1, "max_bytes": "1GB"}}.',
    )
    trash_days: float = Field(
        7.0, ge=0, le=3_650, description="Days a deleted run stays in the trash, from where it can be brought back."
    )
    on_exit: Literal["pause", "stop", "leave"] = Field(
        "pause",
        description="What Ctrl-C and SIGTERM do with runs that train: pause them, to go on with the next start, stop "
        "them, or leave them training for the next start to take up.",
    )
    resume: Literal["ask", "auto"] = Field(
        "ask", description="Whether a run that was interrupted goes on by itself, from its newest snapshot."
    )
    resume_attempts: int = Field(
        3, ge=1, le=1_000, description="How many times in a row a run that is interrupted goes on by itself."
    )
    terminate_after_seconds: float = Field(
        30.0, ge=0.1, le=86_400, description="A run that does not stop so long after it was asked gets SIGTERM."
    )
    kill_after_seconds: float = Field(
        10.0, ge=0.1, le=86_400, description="A run that goes on so long after SIGTERM is killed."
    )
    min_free_disk: ByteSize = Field(
        ByteSize(500_000_000),
        ge=0,
        description="Free space to keep where the runs lie, for instance 2GB; with less, nothing is started.",
    )
    max_bytes: ByteSize | None = Field(
        None,
        ge=1_000_000,
        description="What everything in the runs folder may take together, for instance 50GB; with more, nothing is "
        "started.",
    )
    trust_runs_dir: bool = Field(
        False,
        description="Whether all that lies in the runs folder counts as yours: for a folder that several machines or "
        "users share. Imported bundles are still trusted one by one.",
    )
    archive_dir: Path | None = Field(
        None,
        description="Folder outside the runs folder that storage rules archive runs into, a file each.",
    )
    token: str | None = Field(
        None,
        min_length=8,
        pattern=r"^[!-~]*$",
        json_schema_extra=_SECRET,
        description="Secret that clients must show. Required when the host is not loopback.",
    )
    root_path: str = Field(
        "",
        max_length=500,
        description="Path below which a reverse proxy serves the app, for instance /rlviz. Empty: at the top.",
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Addresses or networks of reverse proxies, comma-separated, for instance 127.0.0.1. Only their "
        "X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Prefix headers count.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Host names, comma-separated, that the app answers to besides those of this machine, for a reverse "
        "proxy that passes its own name on. They need a token.",
    )
    log_format: Literal["text", "json"] = Field(
        "text", description="Lines of the service's log: text, or a JSON object each, for programs that collect them."
    )
    webhook_url: SecretStr | None = Field(
        None,
        json_schema_extra=_SECRET,
        description="Address that every notification is sent to (POST, JSON). Shown and logged without its path, which "
        "is a secret with most services.",
    )
    frontend_dir: Path = Field(
        default_factory=lambda: _PACKAGED_PAGES if _PACKAGED_PAGES.is_dir() else _BUILT_PAGES,
        description="Folder of the built front end, served at /. Default: in the package, else where it is built.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Other origins, comma-separated, that may call the API; for front-end development."
    )
    config_file: Path | None = Field(
        None,
        description=f"File with settings, in TOML or YAML; without it {NAMES[0]} or {NAMES[1]} of the folder that the "
        "app is started from, if there is one. The environment counts before it. Of a folder that you have not "
        "trusted, settings that name code, places or addresses do not count.",
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
        """The storage profile of environments of ``family``."""
        return _changed(family, self.storage.get(family, {}))

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def webhook_address(self) -> str | None:
        """Where notifications are sent, without what may be secret in it."""
        return masked_address(self.webhook_url.get_secret_value()) if self.webhook_url is not None else None

    def shown(self, name: str) -> Any:
        """The value of field ``name`` as people may see it."""
        if name == "token" and self.token:
            return "********"
        return self.webhook_address if name == "webhook_url" else getattr(self, name)

    @property
    def memory_a_run(self) -> int:
        """Bytes that the buffers of one run may take, if as many runs train as may at the same time."""
        return self.memory_limit // self.max_concurrent_runs

    def source_of(self, name: str) -> str:
        """Where the value of field ``name`` came from: flag, environment, .env, a file with the line, or default."""
        return self._sources.get(name, "default")

    def note_sources(self, sources: Mapping[str, str], ignored: Mapping[str, str]) -> None:
        """Remember where values came from, by the name of the field, and those of an untrusted folder that do not
        count."""
        self._sources.update(sources)
        self._ignored.update(ignored)

    @property
    def ignored(self) -> str | None:
        """What the working folder sets without being trusted, in a sentence; None: nothing."""
        if not self._ignored:
            return None
        names = ", ".join(f"{name} ({source})" for name, source in self._ignored.items())
        return f"This folder is not trusted, so these settings of it do not count: {names}. `rlviz trust .` trusts it."


def _changed(family: str, changes: dict[str, Any]) -> StorageProfile:
    standard = DEFAULT_PROFILES.get(family, DEFAULT)
    return StorageProfile.model_validate({**standard.model_dump(), **changes})


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
