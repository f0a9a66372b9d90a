"""The data of server-sent events."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from pydantic import BaseModel, Field

from rlviz.domain.ids import Instant, utc
from rlviz.domain.metrics import MetricRecord
from rlviz.server.notifications.notifier import Notification as NotificationNotification
from rlviz.server.notifications.notifier import NotificationKind
from rlviz.server.runs.models import Evaluation, Run
from rlviz.server.wire import Wire


class MetricsEventData(Wire):
    """`event: metrics`: all new rows. Carries an `id` to resume from."""

    run_id: str
    rows: list[MetricRecord]


class StatusEventData(Wire):
    """`event: status`: sent at the start, at each change, and once a second with progress."""

    run: Run


class EvaluationEventData(Wire):
    """`event: evaluation`: an evaluation was requested, progressed or ended."""

    evaluation: Evaluation


class Notification(Wire):
    """A message for a user who is not looking at the page."""

    number: int = Field(description="Increases with each notification, also over restarts.")
    time: Instant
    kind: NotificationKind
    run_id: str | None = Field(description="null if it is about an experiment or the machine.")
    run_name: str | None
    step: int | None
    title: str = Field(description="What happened, with the name of the run or experiment.")
    message: str = Field(description="One more sentence; may be empty.")
    experiment_id: str | None = Field(None, description="null if it is about a run or the machine.")


class NotificationEventData(Wire):
    """`event: notification`: a rule has a message, a run was solved or ended unexpectedly, an experiment ended, or
    memory is nearly full. Runs of an experiment only send messages of rules."""

    notification: Notification


class ExperimentEventData(Wire):
    """`event: experiment`: an experiment was created, progressed, ended or was deleted. Request it again."""

    experiment_id: str


class EndEventData(Wire):
    """`event: end`: the run has ended, is paused or was deleted, and all its rows are delivered."""

    run_id: str
    status: Literal["paused", "completed", "stopped", "failed", "interrupted", "deleted"]


STREAM_EVENTS: dict[str, type[BaseModel]] = {
    "metrics": MetricsEventData,
    "status": StatusEventData,
    "evaluation": EvaluationEventData,
    "notification": NotificationEventData,
    "experiment": ExperimentEventData,
    "end": EndEventData,
}


def view_notification(notification: NotificationNotification) -> Notification:
    return Notification(number=notification.number, time=utc(notification.time), **asdict(notification.news))
