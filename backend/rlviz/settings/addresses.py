"""Addresses in settings: which can be reached from other machines, what of one may be shown, and those of proxies."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

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
