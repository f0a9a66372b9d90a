"""Notify the user of important changes, on the page and through a webhook.

``news_of`` decides what is worth a notification. ``NotificationBuffer`` numbers the newest ones for streams that
reconnect, ``Webhook`` posts them, and ``MemoryWatch`` warns when memory is nearly full.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from threading import Condition, Lock, Thread
from typing import Any

from pydantic import Field

from rlviz.domain.config import RunActor
from rlviz.domain.events import RuleMessages
from rlviz.domain.plain_text import chat_text, one_line
from rlviz.domain.status import RunStatus
from rlviz.machine import MemoryUse, memory_use
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.run import ENDED_FROM_OUTSIDE
from rlviz.server.events import ExperimentEnded
from rlviz.server.wire import Wire
from rlviz.settings import masked_address
from rlviz.stats.solved import SolvedBy

log = logging.getLogger(__name__)


class NotificationKind(StrEnum):
    RULE = "rule"
    SOLVED = "solved"
    COMPLETED = "completed"
    STOPPED = "stopped"  # by something outside of this app; a stop from the app is not news
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"  # nearly full


@dataclass(frozen=True)
class News:
    """What happened to a run, to an experiment, or to the machine; ``title`` names it, ``message`` may be empty.

    ``run_id``, ``run_name`` and ``step`` are None of an experiment, ``experiment_id`` is None of a run, and all are
    None of the machine.
    """

    kind: NotificationKind
    run_id: str | None
    run_name: str | None
    title: str
    message: str
    step: int | None
    experiment_id: str | None = None


@dataclass(frozen=True)
class Notification:
    """News with its ``number``, by which notifications are ordered, and its time (Unix, seconds)."""

    number: int
    time: float
    news: News


@dataclass(frozen=True)
class Known:
    """The notifications of a run that were sent.

    Attributes:
        ended: The newest attempt whose end was reported.
        ended_at: When it ended (Unix seconds).
        solved: Whether solving was reported.
        messages: Number of reported messages of rules.
    """

    ended: int
    ended_at: float
    solved: bool
    messages: int

    @classmethod
    def from_row(cls, row: RunRow) -> Known:
        """Return the state with everything that ``row`` has."""
        ended = row.attempt if row.state.has_ended else row.attempt - 1
        messages = RuleMessages.model_validate(row.rule_messages).count
        return cls(ended, row.ended_at or 0.0, row.solved is not None, messages)

    def with_all(self, other: Known) -> Known:
        """Merge two states. Changes can arrive out of order, so nothing is forgotten."""
        return Known(
            max(self.ended, other.ended),
            max(self.ended_at, other.ended_at),
            self.solved or other.solved,
            max(self.messages, other.messages),
        )


def news_of(row: RunRow, known: Known, *, is_trial: bool = False) -> list[News]:
    """Return the news in ``row`` that are not ``known``; none for runs in which a person plays.

    ``is_trial``: the run belongs to an experiment, which reports its own end, so only rules cause news.
    """
    if row.actor is RunActor.HUMAN:
        return []
    messages = RuleMessages.model_validate(row.rule_messages).after(known.messages)
    found = [_news(row, NotificationKind.RULE, f"Rule {one.rule} of", one.message, one.step) for one in messages]
    if is_trial:
        return found
    if (solved := row.solved) is not None and not known.solved:
        how = "in an evaluation" if solved.by is SolvedBy.EVALUATION else "by its episodes"
        after = f" after {row.solved_seconds:,.0f} s of training" if row.solved_seconds is not None else ""
        message = f"The reward threshold was reached at step {solved.step:,}{after}, {how}."
        found.append(_news(row, NotificationKind.SOLVED, "Solved:", message, solved.step))
    is_refused = bool(row.ended_at) and row.ended_at == known.ended_at  # a later attempt, which did not come about
    if row.state.has_ended and row.attempt > known.ended and not is_refused and (ending := _ending(row)) is not None:
        found.append(ending)
    return found


def news_of_experiment(event: ExperimentEnded) -> News:
    if event.cause is not None:
        kind, title, message = NotificationKind.FAILED, f"Experiment failed: {event.name}", event.cause
    else:
        trials = f"{event.scored:,} {'trial has' if event.scored == 1 else 'trials have'}"
        kind, title, message = NotificationKind.COMPLETED, f"Experiment finished: {event.name}", f"{trials} a score."
    return News(kind, None, None, title, message, None, event.experiment_id)


def _ending(row: RunRow) -> News | None:
    match row.state:
        case RunStatus.COMPLETED:
            message = row.ended_early or f"After {row.step:,} steps."
            return _news(row, NotificationKind.COMPLETED, "Finished:", message, row.step)
        case RunStatus.STOPPED if row.cause == ENDED_FROM_OUTSIDE or row.ended_early is not None:
            return _news(row, NotificationKind.STOPPED, "Stopped:", row.cause or "", row.step)
        case RunStatus.FAILED:
            return _news(row, NotificationKind.FAILED, "Failed:", row.cause or "", row.step)
        case RunStatus.INTERRUPTED:
            return _news(row, NotificationKind.INTERRUPTED, "Interrupted:", row.cause or "", row.step)
    return None


def _news(row: RunRow, kind: NotificationKind, what: str, message: str, step: int) -> News:
    return News(kind, row.id, row.name, f"{what} {row.name}", message, step)


MOST_NOTIFICATIONS = 100


class NotificationBuffer:
    """For every thread.

    Numbers are clock milliseconds, so that they keep growing after a restart and a client can request those after the
    last one it has.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._kept: deque[Notification] = deque(maxlen=MOST_NOTIFICATIONS)
        self._last = int(clock() * 1_000)
        self._lock = Lock()

    @property
    def last(self) -> int:
        """The number before that of the next notification."""
        return self._last

    def post(self, news: News) -> Notification:
        with self._lock:
            now = self._clock()
            self._last = max(self._last + 1, int(now * 1_000))
            notification = Notification(self._last, round(now, 3), news)
            self._kept.append(notification)
        return notification

    def after(self, number: int) -> list[Notification]:
        """Return the kept notifications with greater numbers, oldest first."""
        if number >= self._last:
            return []
        with self._lock:
            return [one for one in self._kept if one.number > number]


EVERY_SECONDS = 15.0

RELIEF = 0.05
"""How far memory must fall below a level before reaching it again is news."""


class MemoryWatch:
    """Warns once for each level, until memory has fallen clearly below it."""

    def __init__(self, notify: Callable[[News], None], *, use: Callable[[], MemoryUse] = memory_use) -> None:
        self._notify, self._use = notify, use
        self._reached = 0.0

    def check(self) -> None:
        """Notify if memory has reached a new level. Raises OSError if its use cannot be read."""
        use = self._use()
        if use.level > self._reached:
            self._reached = use.level
            log.warning("%s %s", use.words, use.to_do)
            title = f"Memory is {use.share:.0%} full"
            self._notify(News(NotificationKind.MEMORY, None, None, title, f"{use.words} {use.to_do}", None))
        elif use.share < self._reached - RELIEF:
            self._reached = use.level


WAITING_AT_MOST = 100
"""Maximum number of queued notifications; the oldest are dropped."""

RETRY_SECONDS = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Seconds between attempts to send a notification: six attempts within about six minutes."""

TIMEOUT_SECONDS = 10.0
"""Timeout in seconds for connecting, sending, and the start of the response, each."""

FAREWELL_SECONDS = 2.0
"""Seconds that the service waits at its end for queued notifications."""

_AGAIN = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})


class WebhookInfo(Wire):
    """State of the webhook since the service started."""

    address: str = Field(description="Scheme and host; the rest may be secret.")
    waiting: int
    sent: int
    given_up: int
    problem: str | None = Field(description="Problem of the last attempt; null if it succeeded.")


class Webhook:
    """Posts notifications from its own thread. ``send`` never blocks. A 2xx response counts as sent; redirects are not
    followed."""

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
        for library in ("httpx", "httpcore"):  # at INFO they log complete addresses
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
        """Wait briefly for queued notifications; the rest is lost."""
        with self._changed:
            done = self._changed.wait_for(lambda: not (self._waiting or self._sending), FAREWELL_SECONDS)
            if not done:
                log.warning("%d notifications were not sent to %s before the end", len(self._waiting), self._address)
            self._closing = True
            self._changed.notify_all()

    @property
    def state(self) -> WebhookInfo:
        with self._changed:
            waiting = len(self._waiting) + self._sending
            return WebhookInfo(
                address=self._address,
                waiting=waiting,
                sent=self._sent,
                given_up=self._given_up,
                problem=self._problem,
            )

    def _loop(self) -> None:
        import httpx  # here, since most services never need it

        with httpx.Client(timeout=self._timeout) as client:

            def post(notification: Notification) -> _Outcome:
                try:  # as a stream, since the response body is not needed
                    with client.stream("POST", self._url, json=payload(notification)) as answer:
                        return _outcome(answer.status_code)
                except httpx.TimeoutException:
                    return _Outcome(f"It did not answer within {self._timeout:g} seconds.", again=True)
                except httpx.HTTPError as error:  # its message may contain the address
                    return _Outcome(f"It cannot be reached ({type(error).__name__}).", again=True)
                except Exception as error:
                    return _Outcome(f"It cannot be used ({type(error).__name__}).", again=False)

            while (notification := self._next()) is not None:
                self._deliver(notification, post)

    def _next(self) -> Notification | None:
        """Wait for and return the oldest notification; None when the service ends."""
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
            self._record(outcome, is_over=is_over)
            if is_over or self._closes_within(wait or 0.0):
                return

    def _record(self, outcome: _Outcome, *, is_over: bool) -> None:
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
    """Result of an attempt. ``problem``: None if it was sent. ``again``: another attempt may succeed."""

    problem: str | None
    again: bool = False


def _outcome(status: int) -> _Outcome:
    if 200 <= status < 300:
        return _Outcome(None)
    return _Outcome(f"It answered {status}.", again=status >= 500 or status in _AGAIN)


def payload(notification: Notification) -> dict[str, Any]:
    """Return the posted JSON. ``text`` is for chat services, and contains no mentions or links."""
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


class Notifier:
    """Notifies of each event once. Thread-safe; all methods return at once."""

    def __init__(self, webhook_url: str | None) -> None:
        self.buffer = NotificationBuffer()
        self.webhook = Webhook(webhook_url) if webhook_url is not None else None
        self._known: dict[str, Known] = {}
        self._lock = Lock()

    def start(self, known: Iterable[RunRow]) -> None:
        """Start the webhook. ``known``: runs as the last service saw them; later changes are news."""
        self._known.update((row.id, Known.from_row(row)) for row in known)
        if self.webhook is not None:
            self.webhook.start()

    def handle_run(self, row: RunRow, *, is_trial: bool = False) -> None:
        """Notify of the news in a changed run. The state of a run seen for the first time is not news.

        ``is_trial``: it belongs to an active experiment.
        """
        with self._lock:
            now = Known.from_row(row)
            known = self._known.setdefault(row.id, now)
            self._known[row.id] = known.with_all(now)
        for news in news_of(row, known, is_trial=is_trial):
            self.notify(news)

    def handle_experiment(self, event: ExperimentEnded) -> None:
        self.notify(news_of_experiment(event))

    def notify(self, news: News) -> None:
        notification = self.buffer.post(news)
        if self.webhook is not None:
            self.webhook.send(notification)

    def close(self) -> None:
        if self.webhook is not None:
            self.webhook.close()
