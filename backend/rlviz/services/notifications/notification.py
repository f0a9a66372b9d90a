"""What a person is told, and when a change of a run is worth it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rlviz.analysis.solved import SolvedBy
from rlviz.catalog.models import RunRow
from rlviz.domain.rule_messages import RuleMessages
from rlviz.domain.run_actor import RunActor
from rlviz.domain.status import RunStatus
from rlviz.services.projection.run_projection import ENDED_FROM_OUTSIDE


class NotificationKind(StrEnum):
    RULE = "rule"
    SOLVED = "solved"
    COMPLETED = "completed"
    STOPPED = "stopped"  # by something outside of this app; who asks for a stop here knows of it
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"  # of the machine, nearly full


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
    """What a person was told of a run: the newest attempt whose end they know of, when that was (Unix seconds), and how
    many messages of rules."""

    ended: int
    ended_at: float
    solved: bool
    messages: int

    @classmethod
    def of(cls, row: RunRow) -> Known:
        """All that ``row`` says."""
        ended = row.attempt if row.state.has_ended else row.attempt - 1
        messages = RuleMessages.model_validate(row.rule_messages).count
        return cls(ended, row.ended_at or 0.0, row.solved is not None, messages)

    def with_all(self, other: Known) -> Known:
        """Who was told of both. Changes may come in another order than they happened, so nothing is forgotten."""
        return Known(
            max(self.ended, other.ended),
            max(self.ended_at, other.ended_at),
            self.solved or other.solved,
            max(self.messages, other.messages),
        )


def news_of(row: RunRow, known: Known, *, is_trial: bool = False) -> list[News]:
    """What is worth telling in ``row`` beyond what is ``known``; nothing of runs in which a person plays.

    ``is_trial``: it is one of many of an experiment, which tells of its own end; then only rules have a say.
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


def news_of_experiment(experiment_id: str, name: str, scored: int, cause: str | None) -> News:
    """Its end. ``cause``: why it failed, None if it did not."""
    if cause is not None:
        kind, title, message = NotificationKind.FAILED, f"Experiment failed: {name}", cause
    else:
        trials = f"{scored:,} {'trial has' if scored == 1 else 'trials have'}"
        kind, title, message = NotificationKind.COMPLETED, f"Experiment finished: {name}", f"{trials} a score."
    return News(kind, None, None, title, message, None, experiment_id)


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
