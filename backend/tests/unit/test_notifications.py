"""Notifications: which changes produce one, and only once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rlviz.domain.events import KEPT, EventRecord, RuleFiredData, RuleMessages
from rlviz.domain.status import RunStatus
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.run import ENDED_FROM_OUTSIDE
from rlviz.server.events import ExperimentEnded
from rlviz.server.notifications.notifier import (
    MOST_NOTIFICATIONS,
    News,
    NotificationBuffer,
    NotificationKind,
    Notifier,
)

RUNNING: dict[str, Any] = {"status": "running", "step": 900}


def row(**values: Any) -> RunRow:
    known = {"id": "a", "name": "First", "algo": "ppo", "env_id": "CartPole-v1", "seed": 1, "total_timesteps": 1_000}
    return RunRow(**{**known, "created_at": 0.0, "reward_threshold": 475.0, **RUNNING, **values})


def messages(*texts: str) -> dict[str, Any]:
    found = RuleMessages()
    for number, text in enumerate(texts, start=1):
        fired = RuleFiredData(rule=2, says="When it falls: notify", notify=text)
        found = found.with_one(EventRecord(seq=number, time=5.0, step=100 * number, data=fired), fired)
    return found.model_dump(mode="json")


def notified(*rows: RunRow, known: tuple[RunRow, ...] = ()) -> list[tuple[NotificationKind, str]]:
    """Return the notifications for these changes, in order."""
    notifier = Notifier(None)
    notifier.start(known)
    for one in rows:
        notifier.handle_run(one)
    return [(one.news.kind, one.news.message) for one in notifier.buffer.after(0)]


def test_the_first_known_state_of_a_run_is_not_notified() -> None:
    assert notified(row(status="failed", cause="OSError: full", rule_messages=messages("look"))) == []


@pytest.mark.parametrize(
    ("ending", "news"),
    [
        ({"status": "completed"}, (NotificationKind.COMPLETED, "After 900 steps.")),
        ({"status": "completed", "ended_early": "Rule 1."}, (NotificationKind.COMPLETED, "Rule 1.")),
        ({"status": "failed", "cause": "OSError: full"}, (NotificationKind.FAILED, "OSError: full")),
        ({"status": "interrupted", "cause": "Killed."}, (NotificationKind.INTERRUPTED, "Killed.")),
        ({"status": "stopped", "cause": ENDED_FROM_OUTSIDE}, (NotificationKind.STOPPED, ENDED_FROM_OUTSIDE)),
    ],
)
def test_an_ending_is_notified_once_and_not_again_by_a_late_older_change(
    ending: dict[str, Any], news: tuple[NotificationKind, str]
) -> None:
    assert notified(row(), row(**ending), row(**ending), row(), row(**ending)) == [news]


@pytest.mark.parametrize("status", [RunStatus.PAUSED, RunStatus.STOPPED, RunStatus.STOPPING, RunStatus.PAUSING])
def test_actions_requested_in_the_app_are_not_notified(status: RunStatus) -> None:
    assert notified(row(), row(status=status.value, cause=None)) == []


def test_the_ending_of_the_next_attempt_is_notified_again() -> None:
    failed, again = row(status="failed", cause="one"), row(status="queued", attempt=2)
    assert notified(row(), failed, again, row(status="failed", cause="two", attempt=2)) == [
        (NotificationKind.FAILED, "one"),
        (NotificationKind.FAILED, "two"),
    ]


def test_solving_is_notified_only_the_first_time() -> None:
    solved = row(solved_step=800, solved_at=3.0, solved_by="evaluation", solved_seconds=12.4)
    message = "The reward threshold was reached at step 800 after 12 s of training, in an evaluation."
    assert notified(row(), solved, row(), solved) == [(NotificationKind.SOLVED, message)]


def test_each_message_of_a_rule_is_notified_once() -> None:
    rows = [row(rule_messages=messages(*texts)) for texts in ((), ("one",), ("one",), ("one", "two", "three"))]
    assert notified(*rows) == [(NotificationKind.RULE, text) for text in ("one", "two", "three")]


def test_the_newest_of_many_simultaneous_messages_are_notified() -> None:
    texts = [str(number) for number in range(20)]
    assert notified(row(), row(rule_messages=messages(*texts))) == [
        (NotificationKind.RULE, text) for text in texts[-KEPT:]
    ]


def test_the_next_service_notifies_what_happened_while_none_ran() -> None:
    known = row(rule_messages=messages("one"))
    ended = row(status="completed", rule_messages=messages("one", "two"))
    assert notified(ended, known=(known,)) == [
        (NotificationKind.RULE, "two"),
        (NotificationKind.COMPLETED, "After 900 steps."),
    ]


def test_a_run_played_by_a_person_is_not_notified() -> None:
    assert notified(row(algo="human"), row(algo="human", status="completed")) == []


def test_notifications_are_numbered_even_if_the_clock_stands_still_and_the_newest_are_kept() -> None:
    news = News(NotificationKind.COMPLETED, "a", "First", "Finished: First", "", 1)
    buffer = NotificationBuffer(clock=lambda: 1.5)
    posted = [buffer.post(replace(news, step=step)) for step in range(MOST_NOTIFICATIONS + 2)]
    assert [one.number for one in posted] == list(range(1_501, 1_501 + len(posted)))
    assert buffer.after(0) == posted[2:]
    assert buffer.after(posted[-2].number) == posted[-1:]
    assert buffer.after(buffer.last) == []


def test_a_trial_leaves_its_ending_to_the_experiment_and_still_notifies_its_rules() -> None:
    notifier = Notifier(None)
    notifier.handle_run(row(), is_trial=True)
    notifier.handle_run(row(status="completed", rule_messages=messages("one")), is_trial=True)
    notifier.handle_experiment(ExperimentEnded("exp-1", "Two of them", 10, None))
    notifier.handle_experiment(ExperimentEnded("exp-2", "Others", 1, "A, seed 0: it snapped"))
    assert [(one.news.kind, one.news.title, one.news.message) for one in notifier.buffer.after(0)] == [
        (NotificationKind.RULE, "Rule 2 of First", "one"),
        (NotificationKind.COMPLETED, "Experiment finished: Two of them", "10 trials have a score."),
        (NotificationKind.FAILED, "Experiment failed: Others", "A, seed 0: it snapped"),
    ]
    assert [one.news.experiment_id for one in notifier.buffer.after(0)] == [None, "exp-1", "exp-2"]
