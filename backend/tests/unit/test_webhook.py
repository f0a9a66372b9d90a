"""The webhook, with real connections to addresses that hang, refuse or fail."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from rlviz.server.notifications.notifier import News, Notification, NotificationKind, Webhook, WebhookInfo
from tests.support.post_office import SECRET, post_office
from tests.support.waiting import eventually


def notification(number: int = 1) -> Notification:
    news = News(NotificationKind.FAILED, "a", "First", "Failed: First", f"Number {number}.", 900)
    return Notification(number, 12.5, news)


@contextmanager
def webhook(url: str, retries: tuple[float, ...] = (0.0, 0.0), **options: float) -> Iterator[Webhook]:
    hook = Webhook(url, retries=retries, **options)  # type: ignore[arg-type]
    hook.start()
    try:
        yield hook
    finally:
        hook.close()


def settled(hook: Webhook) -> WebhookInfo:
    eventually(lambda: hook.state.waiting == 0, "the webhook's rest")
    return hook.state


def test_a_message_contains_a_sentence_and_structured_fields() -> None:
    with post_office(204) as office, webhook(office.url) as hook:
        hook.send(notification())
        assert settled(hook) == WebhookInfo(address=hook.state.address, waiting=0, sent=1, given_up=0, problem=None)
    assert office.posted == [
        {
            "text": "Failed: First\nNumber 1.",
            "kind": "failed",
            "number": 1,
            "time": 12.5,
            "run_id": "a",
            "run_name": "First",
            "step": 900,
            "title": "Failed: First",
            "message": "Number 1.",
            "experiment_id": None,
        }
    ]


@pytest.mark.parametrize("status", [500, 503, 429, 408])
def test_a_temporary_failure_is_retried_in_order(status: int) -> None:
    with post_office(status, status, 200) as office, webhook(office.url) as hook:
        hook.send(notification(1))
        hook.send(notification(2))
        state = settled(hook)
    assert [one["number"] for one in office.posted] == [1, 1, 1, 2]
    assert (state.sent, state.given_up, state.problem) == (2, 0, None)


def test_a_webhook_that_always_fails_is_given_up_after_its_retries_and_the_next_one_is_sent() -> None:
    with post_office(500, 500, 500, 200) as office, webhook(office.url) as hook:
        hook.send(notification(1))
        hook.send(notification(2))
        state = settled(hook)
    assert [one["number"] for one in office.posted] == [1, 1, 1, 2]
    assert (state.sent, state.given_up) == (1, 1)


@pytest.mark.parametrize("status", [302, 400, 404])
def test_a_refusal_is_not_repeated_and_a_redirect_is_not_followed(status: int) -> None:
    with post_office(status) as office, webhook(office.url) as hook:
        hook.send(notification())
        state = settled(hook)
    assert len(office.posted) == 1
    assert (state.given_up, state.problem) == (1, f"It answered {status}.")


def test_a_webhook_that_hangs_is_abandoned_at_its_timeout() -> None:
    with post_office(None, 200) as office, webhook(office.url, timeout=0.1) as hook:
        hook.send(notification())
        assert settled(hook).sent == 1
    assert len(office.posted) == 2


def test_an_unreachable_webhook_is_named_without_its_secrets() -> None:
    with closing(socket.socket()) as taken:  # bound, but not listening
        taken.bind(("127.0.0.1", 0))
        with webhook(f"http://127.0.0.1:{taken.getsockname()[1]}/{SECRET}") as hook:
            hook.send(notification())
            state = settled(hook)
    assert (state.given_up, state.problem) == (1, "It cannot be reached (ConnectError).")


def test_a_hanging_webhook_blocks_no_caller_and_the_oldest_excess_messages_are_dropped() -> None:
    with post_office(None) as office, webhook(office.url, capacity=3) as hook:
        hook.send(notification(0))
        office.arrived.wait()
        for number in range(1, 6):
            hook.send(notification(number))  # returns, though nothing can be sent
        assert (hook.state.waiting, hook.state.given_up) == (4, 2)
        office.answers = [200]
        office.release.set()
        settled(hook)
    assert [one["number"] for one in office.posted if one["number"]] == [3, 4, 5]


def test_no_secret_of_the_webhook_address_is_logged_or_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with post_office(500, 404, 200) as office, webhook(office.url) as hook:
        for number in range(3):
            hook.send(notification(number))
        state = settled(hook)
    assert SECRET in office.url
    assert SECRET not in caplog.text + repr(state)
    assert state.address == f"http://127.0.0.1:{office.url.rsplit(':', 1)[1].split('/')[0]}/…"
    assert "is tried again. It answered 500." in caplog.text
