"""Queries on runs. Each uses the caller's session."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, func, literal, or_, true
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from rlviz.domain.config import actor_of
from rlviz.domain.errors import InvalidRequest, RunNotFound, UnknownName
from rlviz.domain.ids import check_run_id, is_run_id
from rlviz.domain.status import ACTIVE, WITH_WORKER, RunStatus, check_transition
from rlviz.server.catalog.models import RunRow

SORTS: dict[str, SQLColumnExpression[Any]] = {
    "created_at": col(RunRow.created_at),
    "name": func.lower(RunRow.name),
    "algo": col(RunRow.algo),
    "env_id": col(RunRow.env_id),
    "preset": col(RunRow.preset),
    "status": col(RunRow.status),
    "ep_rew_mean": col(RunRow.ep_rew_mean),
    "best_moving_average": col(RunRow.best_moving_average),
    "fps": col(RunRow.fps),
    "total_timesteps": col(RunRow.total_timesteps),
    "step": col(RunRow.step),
    "queued_at": col(RunRow.queued_at),
}


IDS_A_QUERY = 500
"""Number of ids in one query."""

PACED_RUNS = 20
"""Number of newest runs from which ``find_pace`` computes a pace."""

_NULLABLE = frozenset({"preset", "ep_rew_mean", "best_moving_average", "fps", "queued_at"})


@dataclass(frozen=True)
class RunQuery:
    """What to list.

    Attributes:
        ids: Only these; None for all.
        sort: A key of SORTS, with ``-`` in front for descending order; with ``values`` any name.
        values: What to sort by, by run id; runs without a value come last. Of a group, the mean of its runs' numbers
            counts. Pages are then found by ``offset`` only.
        grouped: List one run of each group, the first match by id.
        training_first: List running runs before all others, in the same order. Pages are then found by ``offset`` only.
        without_trials: Leave out runs of experiments.
    """

    status: Sequence[str] = ()
    algo: Sequence[str] = ()
    env_id: Sequence[str] = ()
    group_id: Sequence[str] = ()
    tag: Sequence[str] = ()
    ids: Sequence[str] | None = None
    q: str | None = None
    sort: str = "-created_at"
    values: Mapping[str, float | str] | None = None
    limit: int = 50
    cursor: str | None = None
    offset: int = 0
    grouped: bool = False
    training_first: bool = False
    without_trials: bool = False


@dataclass(frozen=True)
class RunList:
    runs: list[RunRow]
    next_cursor: str | None
    total: int
    total_runs: int
    """Like ``total``, but counts every run of a group."""
    trials: int = 0
    """Number of runs that ``without_trials`` left out."""
    training: int = 0
    """Number of entries, on all pages, that ``training_first`` lists before the others."""


def get_run(session: Session, run_id: str) -> RunRow:
    """Raises RunNotFound for an id that is unknown or malformed."""
    row = session.get(RunRow, check_run_id(run_id))
    if row is None:
        raise RunNotFound(run_id)
    return row


def find_runs(session: Session, run_ids: Collection[str]) -> list[RunRow]:
    """Return the runs that exist, in any order."""
    wanted = list(run_ids)
    return [
        row
        for start in range(0, len(wanted), IDS_A_QUERY)
        for row in session.exec(select(RunRow).where(col(RunRow.id).in_(wanted[start : start + IDS_A_QUERY])))
    ]


def environments_of(session: Session, run_ids: Collection[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return environment id and options by run id, for the runs that exist; much cheaper than their rows."""
    wanted = list(run_ids)
    columns = (col(RunRow.id), col(RunRow.env_id), col(RunRow.env_options))
    return {
        run_id: (env_id, options)
        for start in range(0, len(wanted), IDS_A_QUERY)
        for run_id, env_id, options in session.execute(
            sql_select(*columns).where(col(RunRow.id).in_(wanted[start : start + IDS_A_QUERY]))
        )
    }


def run_stamps(session: Session, run_ids: Collection[str]) -> dict[str, str]:
    """Return a text by run id that changes when the run's journals grow, for the runs that exist; much cheaper than
    their rows."""
    wanted = list(run_ids)
    relevant = (RunRow.id, RunRow.status, RunRow.attempt, RunRow.last_event, RunRow.step, RunRow.best_policy)
    columns: list[SQLColumnExpression[Any]] = [col(one) for one in relevant]
    return {
        run_id: f"{status}/{attempt}/{last_event}/{step}/{best_policy}"
        for start in range(0, len(wanted), IDS_A_QUERY)
        for run_id, status, attempt, last_event, step, best_policy in session.execute(
            sql_select(*columns).where(col(RunRow.id).in_(wanted[start : start + IDS_A_QUERY]))
        )
    }


def find_pace(session: Session, algo: str, env_id: str) -> float | None:
    """Return environment steps per core second in the newest completed runs of an algorithm in an environment; None
    if there are none."""
    done = (col(RunRow.algo) == algo, col(RunRow.env_id) == env_id, col(RunRow.status) == RunStatus.COMPLETED.value)
    query = select(RunRow.step, RunRow.core_seconds_before).where(*done, col(RunRow.core_seconds_before) > 0)
    found = list(session.exec(query.order_by(col(RunRow.created_at).desc()).limit(PACED_RUNS)))
    return sum(step for step, _ in found) / sum(seconds or 0.0 for _, seconds in found) if found else None


def move_run(session: Session, run_id: str, target: RunStatus, **changes: Any) -> RunRow:
    """Move a run to ``target`` and set ``changes``. Raises IllegalTransition if the table forbids it."""
    row = get_run(session, run_id)
    check_transition(row.state, target)
    row.sqlmodel_update({**changes, "status": target.value})
    return row


_ORDER_OF_QUEUING = (col(RunRow.queued_at), col(RunRow.id))


def runs_with_status(session: Session, *statuses: RunStatus) -> list[RunRow]:
    """Return the runs in any of ``statuses``, in queue order."""
    query = select(RunRow).where(col(RunRow.status).in_([status.value for status in statuses]))
    return list(session.exec(query.order_by(*_ORDER_OF_QUEUING)))


def run_load(session: Session) -> tuple[int, int]:
    """Return the number of runs with a worker and the number of queued runs. The database counts them without loading
    rows, because every page polls this."""
    status_and_algo = col(RunRow.status), col(RunRow.algo)
    ours = col(RunRow.status).in_([status.value for status in ACTIVE]), ~col(RunRow.is_foreign)
    counts = sql_select(*status_and_algo, func.count()).where(*ours).group_by(*status_and_algo)
    launched = queued = 0
    for status, algo, count in session.connection().execute(counts):
        if status == RunStatus.QUEUED.value:
            queued += count
        elif not actor_of(algo).is_guest:
            launched += count
    return launched, queued


def status_counts(session: Session) -> dict[RunStatus, int]:
    """Return the number of runs of each status, including zeros."""
    query = sql_select(col(RunRow.status), func.count()).select_from(RunRow).group_by(col(RunRow.status))
    found = {RunStatus(name): count for name, count in session.connection().execute(query)}
    return dict.fromkeys(RunStatus, 0) | found


def queue_positions(session: Session) -> dict[str, int]:
    """Return the place in the queue by run id, starting at 1."""
    queued = select(RunRow.id).where(col(RunRow.status) == RunStatus.QUEUED.value).order_by(*_ORDER_OF_QUEUING)
    return {run_id: place for place, run_id in enumerate(session.exec(queued), 1)}


def find_groups(session: Session, group_ids: Sequence[str]) -> dict[str, list[RunRow]]:
    """Return the runs of each group with more than one run, ordered by seed."""
    query = select(RunRow).where(col(RunRow.group_id).in_(group_ids)).order_by(col(RunRow.seed), col(RunRow.id))
    found: dict[str, list[RunRow]] = {}
    for row in session.exec(query):
        found.setdefault(row.group_id, []).append(row)
    return {group_id: rows for group_id, rows in found.items() if len(rows) > 1}


def tag_counts(session: Session) -> list[tuple[str, int]]:
    """Return every tag with its number of runs, in alphabetical order."""
    tags = func.json_each(RunRow.tags).table_valued("value")
    name = func.lower(tags.c.value)
    query = sql_select(tags.c.value, func.count()).select_from(RunRow).join(tags, true())
    found = session.connection().execute(query.group_by(tags.c.value).order_by(name, tags.c.value))
    return [(tag, count) for tag, count in found]


def list_runs(session: Session, query: RunQuery) -> RunList:
    """Return one page of runs. Raises InvalidRequest for an unknown sort, a cursor of another list, or text with a NUL
    character, where SQLite would end the text."""
    name = query.sort.removeprefix("-")
    if query.values is not None:
        return _list_by_values(session, query, query.values)
    if name not in SORTS:
        raise UnknownName("sort", name, SORTS, "/sort")
    key, descending = SORTS[name], query.sort.startswith("-")
    conditions = _conditions(query)
    trials = 0
    if query.without_trials:
        trials = _count(session, [*conditions, col(RunRow.experiment_id).is_not(None)])
        conditions.append(col(RunRow.experiment_id).is_(None))
    total_runs, matching = _count(session, conditions), conditions
    total = _count_groups(session, matching) if query.grouped else total_runs
    if query.grouped:
        first = sql_select(func.min(col(RunRow.id))).where(*matching).group_by(col(RunRow.group_id))
        # An expression instead of the column, so that SQLite does not look up ten thousand ids and sort their rows, but
        # follows the index of the order and reads only the rows of the page.
        conditions = [(literal("") + col(RunRow.id)).in_(first.correlate(None))]
    order = [key.desc(), col(RunRow.id).desc()] if descending else [key.asc(), col(RunRow.id).asc()]
    if name in _NULLABLE and not descending:
        order.insert(0, key.is_(None).asc())  # SQLite sorts null below every value

    def rows_of(conditions: Sequence[ColumnElement[bool]], offset: int, limit: int) -> list[tuple[RunRow, Any]]:
        page = select(RunRow, key).where(*conditions).order_by(*order)
        return list(session.exec(page.offset(offset).limit(limit)))

    if query.training_first:
        if query.cursor is not None:
            raise InvalidRequest.field("/cursor", "A list with training_first has no cursors. Use offset.")
        trains = _trains(query)
        count = _count_groups if query.grouped else _count
        training = count(session, [*matching, trains])
        found = rows_of([*conditions, trains], query.offset, query.limit) if query.offset < training else []
        if len(found) < query.limit:
            found += rows_of([*conditions, ~trains], max(0, query.offset - training), query.limit - len(found))
        return RunList([row for row, _ in found], None, total, total_runs, trials, training)
    if query.cursor is not None:
        conditions.append(_beyond(key, query, descending))
    found = rows_of(conditions, query.offset, query.limit + 1)
    rows = found[: query.limit]
    more = len(found) > query.limit
    next_cursor = _encode(query.sort, rows[-1]) if more else None
    return RunList([row for row, _ in rows], next_cursor, total, total_runs, trials)


def _list_by_values(session: Session, query: RunQuery, values: Mapping[str, float | str]) -> RunList:
    """Return one page of runs in the order of ``values``, which the catalogue does not have. Raises InvalidRequest."""
    if query.cursor is not None:
        raise InvalidRequest.field("/cursor", f"A list sorted by {query.sort[:80]!r} has no cursors. Use offset.")
    conditions = _conditions(query)
    trials = 0
    if query.without_trials:
        trials = _count(session, [*conditions, col(RunRow.experiment_id).is_not(None)])
        conditions.append(col(RunRow.experiment_id).is_(None))
    columns = col(RunRow.id), col(RunRow.group_id), col(RunRow.status)
    found = session.connection().execute(sql_select(*columns).where(*conditions).order_by(col(RunRow.id)))
    entries: dict[str, list[tuple[str, str]]] = {}
    for run_id, group_id, status in found:
        entries.setdefault(group_id if query.grouped else run_id, []).append((run_id, status))
    descending = query.sort.startswith("-")
    keys = [
        (_value_of_group([values[one] for one, _ in runs if one in values]), runs[0][0], runs)
        for runs in entries.values()
    ]
    known = [key for key in keys if key[0] is not None]
    known.sort(key=lambda key: (isinstance(key[0], str), key[0], key[1]), reverse=descending)
    missing = sorted((key for key in keys if key[0] is None), key=lambda key: key[1], reverse=descending)
    ordered = [*known, *missing]
    training = 0
    if query.training_first:
        ordered.sort(key=lambda key: all(status not in _TRAINING for _, status in key[2]))
        training = sum(any(status in _TRAINING for _, status in runs) for _, _, runs in ordered)
    ids = [first for _, first, _ in ordered[query.offset : query.offset + query.limit]]
    rows = {row.id: row for row in find_runs(session, ids)}
    total_runs = sum(map(len, entries.values()))
    return RunList([rows[one] for one in ids if one in rows], None, len(entries), total_runs, trials, training)


def _value_of_group(values: Sequence[float | str]) -> float | str | None:
    """Return the mean of the numbers, as a line of the list shows it; otherwise the first text. None without values."""
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) == len(values):
        return sum(numbers) / len(numbers) if numbers else None
    return min(value for value in values if isinstance(value, str))


_TRAINING = [status.value for status in WITH_WORKER]


def _trains(query: RunQuery) -> ColumnElement[bool]:
    """The condition for runs that train; of groups for those with a run that does."""
    trains = col(RunRow.status).in_(_TRAINING)
    if not query.grouped:
        return trains
    return col(RunRow.group_id).in_(sql_select(col(RunRow.group_id)).where(trains).correlate(None))


def matching_ids(session: Session, query: RunQuery) -> list[str] | None:
    """Return the ids of all matching runs, newest first; None if the query has no conditions. Raises
    InvalidRequest."""
    conditions = _conditions(query)
    if not conditions:
        return None
    return list(session.exec(select(RunRow.id).where(*conditions).order_by(col(RunRow.created_at).desc())))


def _count(session: Session, conditions: Sequence[ColumnElement[bool]]) -> int:
    return session.exec(select(func.count()).select_from(RunRow).where(*conditions)).one()


def _count_groups(session: Session, conditions: Sequence[ColumnElement[bool]]) -> int:
    return session.exec(select(func.count(func.distinct(col(RunRow.group_id)))).where(*conditions)).one()


def _conditions(query: RunQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.status:
        conditions.append(col(RunRow.status).in_(query.status))
    if query.algo:
        conditions.append(col(RunRow.algo).in_(query.algo))
    if query.env_id:
        conditions.append(col(RunRow.env_id).in_(query.env_id))
    if query.group_id:
        conditions.append(col(RunRow.group_id).in_(query.group_id))
    if query.ids is not None:
        conditions.append(col(RunRow.id).in_(query.ids))
    if query.tag:
        tags = func.json_each(RunRow.tags).table_valued("value")
        conditions.append(sql_select(tags.c.value).where(tags.c.value.in_(query.tag)).exists())
    if query.q:
        if "\0" in query.q:
            raise InvalidRequest.field("/q", "A search is text without NUL characters.")
        tags = func.json_each(RunRow.tags).table_valued("value")
        tag = sql_select(tags.c.value).where(tags.c.value.icontains(query.q, autoescape=True)).exists()
        texts = map(col, (RunRow.name, RunRow.id, RunRow.env_id, RunRow.notes))
        conditions.append(or_(tag, *(text.icontains(query.q, autoescape=True) for text in texts)))
    return conditions


def _beyond(key: SQLColumnExpression[Any], query: RunQuery, descending: bool) -> ColumnElement[bool]:
    """Return the condition for rows after the cursor. Rows without a value come last."""
    value, run_id = _decode(query)
    beyond = col(RunRow.id) < run_id if descending else col(RunRow.id) > run_id
    if value is None:
        return and_(key.is_(None), beyond)
    return or_(key < value if descending else key > value, key.is_(None), and_(key == value, beyond))


def _encode(sort: str, last: tuple[RunRow, Any]) -> str:
    row, value = last
    return base64.urlsafe_b64encode(json.dumps([sort, value, row.id]).encode()).decode()


def _is_key(value: object, sort: str) -> bool:
    """Whether ``value`` has a possible type for the column. SQLite's integers have 64 bits."""
    if value is None:
        return sort.removeprefix("-") in _NULLABLE
    return isinstance(value, str | float) or (type(value) is int and abs(value) < 1 << 63)


def _decode(query: RunQuery) -> tuple[Any, str]:
    try:
        sort, value, run_id = json.loads(base64.urlsafe_b64decode(query.cursor or ""))
        valid = sort == query.sort and _is_key(value, sort) and is_run_id(str(run_id))
        str(value).encode()  # SQLite takes no lone surrogates
    except (ValueError, TypeError, RecursionError):
        valid = False
    if not valid:
        raise InvalidRequest.field(
            "/cursor", "This cursor belongs to another list. Use next_cursor of the previous page with the same sort."
        )
    return value, run_id
