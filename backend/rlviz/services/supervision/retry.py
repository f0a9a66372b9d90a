"""Trouble that comes again and again: told when it begins, now and then, and when it is over; tried again in time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import DatabaseError

log = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""What failed (the catalogue is locked, the disk is full) is not tried again before."""

REPEAT_SECONDS = 60.0


@dataclass
class _Failure:
    retry_at: float
    tell_at: float


class RetryThrottle:
    """A loop that fails twenty times a second would otherwise fill the disk, or bury what else is logged."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failures: dict[str, _Failure] = {}

    def may_try(self, what: str) -> bool:
        """Whether ``what`` went well the last time, or failed long enough ago."""
        trouble = self._failures.get(what)
        return trouble is None or self._monotonic() >= trouble.retry_at

    def failed(self, what: str, error: Exception) -> None:
        """Log that ``what`` failed, unless that was said a short while ago."""
        now = self._monotonic()
        trouble = self._failures.setdefault(what, _Failure(now, now))
        trouble.retry_at = now + RETRY_SECONDS
        if now < trouble.tell_at:
            return
        trouble.tell_at = now + REPEAT_SECONDS
        expected = isinstance(error, OSError | DatabaseError)
        reason = getattr(error, "orig", None) or error
        log.error("%s failed: %s. Trying again.", what, reason, exc_info=None if expected else error)

    def over(self, what: str) -> None:
        """``what`` went well; that is worth a line only if it had failed."""
        if self._failures.pop(what, None) is not None:
            log.info("%s works again", what)
