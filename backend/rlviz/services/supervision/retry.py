"""RetryThrottle: limits how often an operation that keeps failing is retried, and how often that is logged."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import DatabaseError

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""Seconds before an operation that failed (the catalogue is locked, the disk is full) is tried again."""

REPEAT_SECONDS = 60.0


@dataclass
class _Failure:
    retry_at: float
    tell_at: float


class RetryThrottle:
    """Without it, a loop that fails twenty times a second would flood the log."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failures: dict[str, _Failure] = {}

    def may_try(self, what: str) -> bool:
        """Whether ``what`` succeeded the last time, or failed long enough ago."""
        failure = self._failures.get(what)
        return failure is None or self._monotonic() >= failure.retry_at

    def failed(self, what: str, error: Exception) -> None:
        """Log that ``what`` failed, unless that was logged a short while ago."""
        now = self._monotonic()
        failure = self._failures.setdefault(what, _Failure(now, now))
        failure.retry_at = now + RETRY_SECONDS
        if now < failure.tell_at:
            return
        failure.tell_at = now + REPEAT_SECONDS
        expected = isinstance(error, OSError | DatabaseError)
        reason = getattr(error, "orig", None) or error
        log.error("%s failed: %s. Trying again.", what, reason, exc_info=None if expected else error)

    def over(self, what: str) -> None:
        """Note that ``what`` succeeded; logged only if it had failed."""
        if self._failures.pop(what, None) is not None:
            log.info("%s works again", what)
