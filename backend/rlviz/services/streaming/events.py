"""What a stream tells."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.catalog.models import EvaluationRow, RunRow
from rlviz.services.notifications.notification import Notification


@dataclass(frozen=True)
class MetricsEvent:
    """New rows of one run: JSON objects separated by commas, as in the journal.

    ``cursor`` is the position of the stream after them.
    """

    run_id: str
    rows: bytes
    cursor: str


@dataclass(frozen=True, eq=False)
class StatusEvent:
    """The current state of a run. One object for all streams that send the same change."""

    run: RunRow


@dataclass(frozen=True)
class EvaluationEvent:
    evaluation: EvaluationRow


@dataclass(frozen=True)
class EndEvent:
    """The run has ended and every row was delivered; ``status`` is its last, or ``deleted``."""

    run_id: str
    status: str


@dataclass(frozen=True)
class ExperimentEvent:
    """Something about an experiment has changed; whoever shows it asks for it again."""

    experiment_id: str


@dataclass(frozen=True)
class NotificationEvent:
    notification: Notification


StreamEvent = MetricsEvent | StatusEvent | EvaluationEvent | ExperimentEvent | NotificationEvent | EndEvent
