"""Webhook: sends notifications to a web address, in a thread of its own that nothing waits for."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from threading import Condition, Thread
from typing import Any

from rlviz.domain.plain_text import chat_text, one_line
from rlviz.services.notifications.notification import Notification
from rlviz.settings import masked_address

log = logging.getLogger(__name__)

WAITING_AT_MOST = 100
"""Notifications that wait to be sent. Of more, the oldest are given up."""

RETRY_SECONDS = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Waits between attempts to send one notification, six in all within about six minutes."""

TIMEOUT_SECONDS = 10.0
"""For the connection, for sending, and for the first bytes of an answer, each."""

FAREWELL_SECONDS = 2.0
"""How long the end of the service waits for what is still to be sent."""

_AGAIN = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})


@dataclass(frozen=True)
class WebhookState:
    """``address``: without what may be secret in it. ``problem``: of the last attempt; None if it succeeded."""

    address: str
    waiting: int
    sent: int
    given_up: int
    problem: str | None


class Webhook:
    """``send`` never blocks. A notification counts as sent once the answer is 2xx; redirects are not followed."""

    def __init__(
        self,
        url: str,
        *,
        retries: tuple[float, ...] = RETRY_SECONDS,
        timeout: float = TIMEOUT_SECONDS,
        capacity: int = WAITING_AT_MOST,
    ) -> None:
        self._url, self._retries, self._timeout, self._capacity = url, retries, timeout, capacity
        self._address = masked_address(url)
        self._waiting: deque[Notification] = deque()
        self._changed = Condition()
        self._sent = self._given_up = 0
        self._problem: str | None = None
        self._sending = self._closing = False
        self._thread = Thread(target=self._loop, name="webhook", daemon=True)

    def start(self) -> None:
        for library in ("httpx", "httpcore"):  # at INFO they log each address as a whole
            logging.getLogger(library).setLevel(logging.WARNING)
        self._thread.start()

    def send(self, notification: Notification) -> None:
        with self._changed:
            if len(self._waiting) >= self._capacity:
                self._waiting.popleft()
                self._given_up += 1
            self._waiting.append(notification)
            self._changed.notify_all()

    def close(self) -> None:
        """Wait a moment for what is to be sent; the rest is lost."""
        with self._changed:
            done = self._changed.wait_for(lambda: not (self._waiting or self._sending), FAREWELL_SECONDS)
            if not done:
                log.warning("%d notifications were not sent to %s before the end", len(self._waiting), self._address)
            self._closing = True
            self._changed.notify_all()

    @property
    def state(self) -> WebhookState:
        with self._changed:
            waiting = len(self._waiting) + self._sending
            return WebhookState(self._address, waiting, self._sent, self._given_up, self._problem)

    def _loop(self) -> None:
        import httpx  # here, since most services never need it

        with httpx.Client(timeout=self._timeout) as client:

            def post(notification: Notification) -> _Outcome:
                try:  # as a stream: the answer's body is nobody's business, however long it is
                    with client.stream("POST", self._url, json=payload(notification)) as answer:
                        return _outcome(answer.status_code)
                except httpx.TimeoutException:
                    return _Outcome(f"It did not answer within {self._timeout:g} seconds.", again=True)
                except httpx.HTTPError as error:  # whose words may hold the address
                    return _Outcome(f"It cannot be reached ({type(error).__name__}).", again=True)
                except Exception as error:
                    return _Outcome(f"It cannot be used ({type(error).__name__}).", again=False)

            while (notification := self._next()) is not None:
                self._deliver(notification, post)

    def _next(self) -> Notification | None:
        """The oldest that waits, once there is one; None when the service ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            if self._closing:
                return None
            self._sending = True
            return self._waiting.popleft()

    def _deliver(self, notification: Notification, post: Callable[[Notification], _Outcome]) -> None:
        for wait in (*self._retries, None):
            outcome = post(notification)
            is_over = outcome.problem is None or not outcome.again or wait is None
            self._note(outcome, is_over=is_over)
            if is_over or self._closes_within(wait or 0.0):
                return

    def _note(self, outcome: _Outcome, *, is_over: bool) -> None:
        with self._changed:
            self._problem = outcome.problem
            if is_over:
                self._sending = False
                self._sent += outcome.problem is None
                self._given_up += outcome.problem is not None
            self._changed.notify_all()
        if outcome.problem is not None:
            then = "given up" if is_over else "tried again"
            log.warning("A notification to %s is %s. %s", self._address, then, outcome.problem)

    def _closes_within(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._closing, seconds)


@dataclass(frozen=True)
class _Outcome:
    """``problem``: None if it was sent. ``again``: whether another attempt may help."""

    problem: str | None
    again: bool = False


def _outcome(status: int) -> _Outcome:
    if 200 <= status < 300:
        return _Outcome(None)
    return _Outcome(f"It answered {status}.", again=status >= 500 or status in _AGAIN)


def payload(notification: Notification) -> dict[str, Any]:
    """What is posted. ``text`` is what chat services show: nothing in it mentions or links."""
    news = notification.news
    return {
        "text": chat_text(f"{one_line(news.title)}\n{news.message}".rstrip()),
        "kind": news.kind.value,
        "number": notification.number,
        "time": notification.time,
        "run_id": news.run_id,
        "run_name": news.run_name,
        "step": news.step,
        "title": news.title,
        "message": news.message,
        "experiment_id": news.experiment_id,
    }
