"""Support reverse proxies: apply their headers, and serve the app below a root path.

A proxy may strip the root path, as nginx does with ``location /rl/ { proxy_pass http://127.0.0.1:8000/; }``, or pass it
on. Paths within the app never contain it; ``link`` adds it to every address in a response. ``ServiceAddress`` is the
file ``service.json`` in the runs folder, by which commands find the service.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.settings import Settings, checked_root_path, proxy_network

FORWARDED_HOST = "rlviz.forwarded_host"
"""Key of a scope: the ``X-Forwarded-Host`` that a trusted proxy sent."""

_ROOT_PATH: ContextVar[str] = ContextVar("root path of the current request", default="")


def root_path() -> str:
    """Return the path below which the client of the current request sees the app; empty at the top."""
    return _ROOT_PATH.get()


def link(path: str) -> str:
    """Return the address of ``path``, such as ``/api/runs``, as the client of the current request sees it."""
    return root_path() + path


class ProxyHeaders:
    """Applies the headers of a reverse proxy, before all other middleware.

    - From an address in RLVIZ_TRUSTED_PROXIES, the headers ``X-Forwarded-For``, ``-Proto``, ``-Host`` and ``-Prefix``
      replace the client's address, the scheme, the host and the root path. From other addresses they are ignored.
    - RLVIZ_ROOT_PATH is removed from the start of a path.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._networks = [proxy_network(address) for address in settings.trusted_proxies]
        self._root_path = settings.root_path
        self._decoded_root_path = unquote(settings.root_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope, prefix = {**scope, "path": self._stripped(scope["path"])}, self._root_path
        client = scope.get("client")
        if client and self._is_trusted(client[0]):
            headers = Headers(scope=scope)
            scope["client"] = (self._client(headers) or client[0], 0)
            scope["scheme"] = _scheme(headers, scope)
            scope[FORWARDED_HOST] = headers.get("x-forwarded-host")
            prefix = _prefix(headers) or prefix
        token = _ROOT_PATH.set(prefix)
        try:
            await self._app(scope, receive, send)
        finally:
            _ROOT_PATH.reset(token)

    def _stripped(self, path: str) -> str:
        root = self._decoded_root_path
        if root and (path == root or path.startswith(f"{root}/")):
            return path[len(root) :] or "/"
        return path

    def _client(self, headers: Headers) -> str | None:
        """Return the last address of ``X-Forwarded-For`` that is not a trusted proxy; earlier ones can be forged."""
        forwarded = [part.strip() for line in headers.getlist("x-forwarded-for") for part in line.split(",")]
        for part in reversed(forwarded):
            address = _address(part)
            if address is None:
                return None
            if not self._is_trusted(address):
                return address
        return None

    def _is_trusted(self, address: str) -> bool:
        if not self._networks:
            return False
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
            parsed = parsed.ipv4_mapped
        return any(parsed in network for network in self._networks)


def _address(text: str) -> str | None:
    """Return the address in ``192.0.2.1``, ``192.0.2.1:4711``, ``2001:db8::1`` or ``[2001:db8::1]:4711``; None for
    other text."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def _scheme(headers: Headers, scope: Scope) -> str:
    plain, secure = ("http", "https") if scope["type"] == "http" else ("ws", "wss")
    match headers.get("x-forwarded-proto", "").lower():
        case "https" | "wss":
            return secure
        case "http" | "ws":
            return plain
    return str(scope.get("scheme", plain))


def _prefix(headers: Headers) -> str:
    try:
        return checked_root_path(headers.get("x-forwarded-prefix", ""))
    except ValueError:
        return ""


NAME = "service.json"


@dataclass(frozen=True)
class ServiceAddress:
    """The address of a running service.

    Attributes:
        url: Address for programs on this machine.
        process: Identity of its process.
        session: Cookie value that it accepts; empty without a token.
        host: Address that it listens on.
    """

    url: str
    process: str
    session: str = ""
    host: str = ""

    @property
    def pid(self) -> int:
        """Process id of the service; 0 if unknown."""
        identity = ProcessIdentity.parse(self.process)
        return identity.pid if identity else 0

    @property
    def is_alive(self) -> bool:
        """Whether the process that wrote the file is still running."""
        identity = ProcessIdentity.parse(self.process)
        return identity is not None and identity.is_alive()

    def write(self, runs_dir: Path) -> None:
        """Replace the file atomically. Only this user can read it."""
        temporary = runs_dir / f".{NAME}.{os.getpid()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(self), file)
        temporary.replace(runs_dir / NAME)

    def remove(self, runs_dir: Path) -> None:
        """Remove the file, unless another service has replaced it."""
        if read_address(runs_dir) == self:
            with suppress(OSError):
                (runs_dir / NAME).unlink()


def read_address(runs_dir: Path) -> ServiceAddress | None:
    """Return the address in the file, which may be out of date; None if it is missing or invalid."""
    try:
        found = json.loads((runs_dir / NAME).read_bytes())
        address = ServiceAddress(**found)
    except (OSError, ValueError, TypeError):
        return None
    return address if all(isinstance(value, str) for value in asdict(address).values()) else None
