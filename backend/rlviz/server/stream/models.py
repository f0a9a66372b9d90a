"""Server-sent events.

What a stream says.
"""

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
    """`event: metrics`: every row that is new. Carries an `id`, to resume from."""

    run_id: str
    rows: list[MetricRecord]


class StatusEventData(Wire):
    """`event: status`: at the beginning, at each change, and with progress once a second."""

    run: Run


class EvaluationEventData(Wire):
    """`event: evaluation`: an evaluation was asked for, has gone on, or ended."""

    evaluation: Evaluation


class Notification(Wire):
    """Something that is worth telling a person who looks elsewhere."""

    number: int = Field(description="Grows from each to the next, over restarts too.")
    time: Instant
    kind: NotificationKind
    run_id: str | None = Field(description="null: it is about an experiment or the machine.")
    run_name: str | None
    step: int | None
    title: str = Field(description="What happened, with the name of the run or the experiment if it is about one.")
    message: str = Field(description="A sentence more; may be empty.")
    experiment_id: str | None = Field(None, description="null: it is about a run or the machine.")


class NotificationEventData(Wire):
    """`event: notification`: a rule has a message, a run was solved or has ended without being asked to, an
    experiment has ended, or memory is nearly full. Runs of an experiment have messages of rules alone."""

    notification: Notification


class ExperimentEventData(Wire):
    """`event: experiment`: an experiment was created, has gone on, ended or was deleted; ask for it again."""

    experiment_id: str


class EndEventData(Wire):
    """`event: end`: the run has ended, is paused, or was deleted, and all its rows were delivered."""

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
