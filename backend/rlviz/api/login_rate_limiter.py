"""LoginRateLimiter: limits how many wrong tokens an address may try."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from cachetools import TTLCache

from rlviz.domain.errors import TooManyLoginAttempts

MAX_ATTEMPTS = 20
WAIT_SECONDS = 60.0
MAX_ADDRESSES = 10_000
"""Number of addresses to remember; beyond it, those whose last attempt is oldest are forgotten."""


class LoginRateLimiter:
    """Makes an address that has tried MAX_ATTEMPTS wrong tokens within WAIT_SECONDS wait."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._times: TTLCache[str, deque[float]] = TTLCache(MAX_ADDRESSES, ttl=WAIT_SECONDS, timer=monotonic)

    def check(self, address: str) -> None:
        """Raises TooManyLoginAttempts. Call it before checking a token, so that a right one is refused too."""
        times = self._times.get(_group(address), deque[float]())
        if len(times) == MAX_ATTEMPTS and self._monotonic() - times[0] < WAIT_SECONDS:
            raise TooManyLoginAttempts("Too many wrong tokens. Wait a minute.")

    def add(self, address: str) -> None:
        group = _group(address)
        times = self._times.get(group, deque[float](maxlen=MAX_ATTEMPTS))
        times.append(self._monotonic())
        self._times[group] = times  # re-inserted, since addresses are ordered by their newest attempt


def _group(address: str) -> str:
    """The address, or the /64 network of an IPv6 address, all of which its owner can use."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or parsed.exploded[:19])
