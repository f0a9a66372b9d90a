"""Queries on evaluations. Each takes the caller's session."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from rlviz.catalog.models import EvaluationRow
from rlviz.domain.evaluation import EvaluationStatus

_OPEN = (EvaluationStatus.QUEUED.value, EvaluationStatus.RUNNING.value)


def evaluations_of(session: Session, run_id: str) -> list[EvaluationRow]:
    """Newest first."""
    query = select(EvaluationRow).where(EvaluationRow.run_id == run_id).order_by(col(EvaluationRow.id).desc())
    return list(session.exec(query))


def latest_evaluation(session: Session, run_id: str) -> EvaluationRow | None:
    query = select(EvaluationRow).where(EvaluationRow.run_id == run_id).order_by(col(EvaluationRow.id).desc())
    return session.exec(query.limit(1)).first()


def completed_evaluations(session: Session, run_ids: Sequence[str]) -> list[EvaluationRow]:
    """Of several runs, oldest first."""
    query = select(EvaluationRow).where(
        col(EvaluationRow.run_id).in_(run_ids), EvaluationRow.status == EvaluationStatus.COMPLETED.value
    )
    return list(session.exec(query.order_by(col(EvaluationRow.id))))


def open_evaluations(session: Session, run_id: str | None = None) -> list[EvaluationRow]:
    """Evaluations that are queued or running, oldest first."""
    query = select(EvaluationRow).where(col(EvaluationRow.status).in_(_OPEN))
    if run_id is not None:
        query = query.where(EvaluationRow.run_id == run_id)
    return list(session.exec(query.order_by(col(EvaluationRow.id))))
