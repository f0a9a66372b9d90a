"""Queries on evaluations. Each uses the caller's session.

An evaluation was either requested or played by a user, or recorded by the run itself (``Origin.RUN``).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from rlviz.domain.evaluation import EvaluationStatus, Origin
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.runs import IDS_A_QUERY
from rlviz.stats.solved import Evaluated, shown_return

_OPEN = (EvaluationStatus.QUEUED.value, EvaluationStatus.RUNNING.value)
_origin = func.coalesce(func.json_extract(EvaluationRow.record, "$.origin"), Origin.ASKED.value)


def list_evaluations(session: Session, run_id: str, *, by_run: bool = False) -> list[EvaluationRow]:
    """Return a run's evaluations, newest first: those by users, or with ``by_run`` those that the run recorded."""
    return list(session.exec(_newest_first(run_id, by_run=by_run)))


def latest_evaluation(session: Session, run_id: str) -> EvaluationRow | None:
    """Return the newest evaluation that a user requested or played."""
    return session.exec(_newest_first(run_id, by_run=False).limit(1)).first()


def newest_evaluation(session: Session, run_id: str) -> EvaluationRow | None:
    """Return the newest evaluation of any origin."""
    query = select(EvaluationRow).where(EvaluationRow.run_id == run_id).order_by(col(EvaluationRow.id).desc())
    return session.exec(query.limit(1)).first()


def best_requested_evaluation(session: Session, run_id: str, *, deterministic: bool) -> EvaluationRow | None:
    """Return the evaluation by a user with the highest mean return; of equal ones the newest.

    ``deterministic``: of those that took the most likely actions, or of those that sampled them.
    """
    query = (
        _newest_first(run_id, by_run=False)
        .order_by(None)
        .where(
            EvaluationRow.status == EvaluationStatus.COMPLETED.value,
            col(EvaluationRow.return_mean).is_not(None),
            func.json_extract(EvaluationRow.record, "$.deterministic") == int(deterministic),
        )
    )
    return session.exec(query.order_by(col(EvaluationRow.return_mean).desc(), col(EvaluationRow.id).desc())).first()


def _newest_first(run_id: str, *, by_run: bool) -> SelectOfScalar[EvaluationRow]:
    wanted = _origin == Origin.RUN.value if by_run else _origin != Origin.RUN.value
    query = select(EvaluationRow).where(EvaluationRow.run_id == run_id, wanted)
    return query.order_by(col(EvaluationRow.id).desc())


def completed_evaluations(session: Session, run_ids: Sequence[str]) -> list[EvaluationRow]:
    """Return the completed evaluations by users of several runs, oldest first."""
    query = select(EvaluationRow).where(
        col(EvaluationRow.run_id).in_(run_ids),
        EvaluationRow.status == EvaluationStatus.COMPLETED.value,
        _origin != Origin.RUN.value,
    )
    return list(session.exec(query.order_by(col(EvaluationRow.id))))


def find_requested_results(session: Session, run_ids: Sequence[str]) -> dict[str, list[Evaluated]]:
    """Return the results of the completed evaluations on request, by run id, oldest first.

    Each has the time of its request. This query is much cheaper than one for the rows.
    """
    query = sql_select(
        col(EvaluationRow.run_id),
        col(EvaluationRow.created_at),
        col(EvaluationRow.return_mean),
        func.json_extract(EvaluationRow.record, "$.checkpoint_step"),
        func.json_array_length(EvaluationRow.record, "$.summary.episodes"),
    ).where(
        col(EvaluationRow.status) == EvaluationStatus.COMPLETED.value,
        col(EvaluationRow.return_mean).is_not(None),
        _origin == Origin.ASKED.value,
    )
    found: dict[str, list[Evaluated]] = {}
    for start in range(0, len(run_ids), IDS_A_QUERY):
        some = query.where(col(EvaluationRow.run_id).in_(run_ids[start : start + IDS_A_QUERY]))
        for run_id, asked_at, mean, step, episodes in session.execute(some.order_by(col(EvaluationRow.id))):
            if step is not None:
                found.setdefault(run_id, []).append(Evaluated(step, asked_at, shown_return(mean, episodes or 0)))
    return found


def open_evaluations(session: Session, run_id: str | None = None) -> list[EvaluationRow]:
    """Return the evaluations that are queued or running, oldest first."""
    query = select(EvaluationRow).where(col(EvaluationRow.status).in_(_OPEN))
    if run_id is not None:
        query = query.where(EvaluationRow.run_id == run_id)
    return list(session.exec(query.order_by(col(EvaluationRow.id))))
