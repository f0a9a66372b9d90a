"""Addresses in settings: which can be reached from elsewhere, and what of one may be shown."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


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
