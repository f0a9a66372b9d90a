"""AnalyticsService: questions over all runs, in SQL or put together from settings and a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rlviz.analysis.experiments.curves import Curves, learning_curves
from rlviz.analysis.experiments.trials import Setting, Trial
from rlviz.analysis.grouping import Group, Key, Member, grouped, rank_correlation
from rlviz.catalog.database import Database
from rlviz.catalog.runs import RunQuery, find_runs, matching_ids
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.limits import LIMITS
from rlviz.rundir.usage import ANALYTICS
from rlviz.services.analytics.analyst import Analyst
from rlviz.services.experiment_results.digests import RunDigestStore
from rlviz.services.use_cases.metrics import MetricsService
from rlviz.services.use_cases.run_curves import RunCurvesCache

MOST_RUNS = 50_000
MOST_GROUPS = 60
MOST_POINTS = 5_000
MOST_DRAWN = 300
"""Runs of one picture of curves."""

NOT_A_SETTING = frozenset({"id", "name", "cause", "created_at", "started_at", "ended_at"})
"""Columns that differ from run to run, so that nothing can be grouped by them."""

_NONE = "none"


@dataclass(frozen=True)
class Question:
    """``by``: one or two columns of ``runs`` to group by. ``runs``: which of them it is about."""

    by: Sequence[str]
    measure: str
    runs: RunQuery


@dataclass(frozen=True)
class Groups:
    """``runs``: number of runs that it is about. ``left_out``: groups beyond the MOST_GROUPS with the most runs."""

    groups: Sequence[Group]
    runs: int
    left_out: int


@dataclass(frozen=True)
class Point:
    run_id: str
    group: str
    x: float
    y: float


@dataclass(frozen=True)
class Scatter:
    """``points``: those that have both values, MOST_POINTS at most of ``count``. ``correlation``: Spearman's, of all of
    them together; ``by_group``: of each group."""

    points: Sequence[Point]
    count: int
    runs: int
    correlation: float | None
    by_group: dict[str, float | None]


@dataclass(frozen=True)
class GroupCurves:
    """``drawn``: runs that the curves are of, the newest of ``runs``."""

    curves: Curves
    drawn: int
    runs: int


class AnalyticsService:
    def __init__(self, analyst: Analyst, database: Database, runs_dir: Path, metrics: MetricsService) -> None:
        self._analyst, self._database = analyst, database
        self._digests = RunDigestStore(runs_dir / ANALYTICS, runs_dir, metrics, RunCurvesCache(metrics))

    def schema(self) -> dict[str, list[dict[str, str]]]:
        """The columns of each table."""
        return self._analyst.schema()

    def query(self, sql: str, limit: int) -> dict[str, Any]:
        """The answer to a SELECT. Raises QueryRefused."""
        return self._analyst.ask(sql, most_rows=limit)

    def groups(self, question: Question) -> Groups:
        """What the measure amounts to in each group. Raises UnknownName or InvalidRequest."""
        rows = self._rows([*question.by, question.measure], question)
        members: dict[Key, list[Member]] = {}
        for run_id, *key, value in rows:
            for one in _keys(key):
                members.setdefault(one, []).append(Member(run_id, value))
        kept = sorted(members, key=lambda key: -len(members[key]))[:MOST_GROUPS]
        found = grouped({key: members[key] for key in kept})
        return Groups(found, len(rows), len(members) - len(kept))

    def scatter(self, question: Question, x: str) -> Scatter:
        """Every run's ``x``, a number, and measure. Raises UnknownName or InvalidRequest."""
        self._check(x, "/x", numbers=True)
        rows = self._rows([*question.by[:1], x, question.measure], question)
        points = [
            Point(run_id, " · ".join(_said(one) for one in key), float(at), float(value))
            for run_id, *key, at, value in rows
            if at is not None and value is not None
        ]
        ours: dict[str, list[Point]] = {}
        for point in points:
            ours.setdefault(point.group, []).append(point)
        by_group = {name: _correlated(ours[name]) for name in list(ours)[:MOST_GROUPS]}
        return Scatter(points[:MOST_POINTS], len(points), len(rows), _correlated(points), by_group)

    def curves(self, question: Question) -> GroupCurves:
        """Learning curves of each group, with bands. Raises UnknownName or InvalidRequest."""
        rows = self._rows([*question.by, "seed", question.measure], question)
        scores: dict[str, list[float]] = {}
        groups: dict[str, tuple[str, int]] = {}
        for run_id, *key, seed, value in rows[:MOST_DRAWN]:
            title = " · ".join(_said(one) for one in key) or "All runs"
            groups[run_id] = (title, seed)
            scores.setdefault(title, []).extend([] if value is None else [value])
        with self._database.read() as session:
            found = find_runs(session, list(groups))
        digests = self._digests.of(found)
        greedy = bool(digests) and all(one.greedy is not None or one.training is None for one in digests.values())
        trials = [
            Trial(
                variant=groups[row.id][0],
                seed=groups[row.id][1],
                run_id=row.id,
                score=None,
                ended=row.state.has_ended,
                curve=digests[row.id].greedy if greedy else digests[row.id].training,
            )
            for row in found
        ]
        ranked = sorted(scores, key=lambda title: -np.median(scores[title] or [-np.inf]))
        setting = Setting({title: title for title in ranked}, dict.fromkeys(ranked, ""), greedy_curves=greedy)
        return GroupCurves(learning_curves(trials, setting, ranked), len(trials), len(rows))

    def _rows(self, columns: Sequence[str], question: Question) -> list[list[Any]]:
        """The id and ``columns`` of each run, newest first."""
        for place, name in enumerate(question.by):
            self._check(name, f"/by/{place}", settings=True)
        self._check(question.measure, "/measure", numbers=True)
        with self._database.read() as session:
            ids = matching_ids(session, question.runs)
        selected = ", ".join(["id", *(f'"{name}"' for name in columns)])
        where = "" if ids is None else "WHERE id IN (SELECT unnest(?::VARCHAR[]))"
        sql = f"SELECT {selected} FROM runs {where} ORDER BY created_at DESC, id"
        answer = self._analyst.ask(sql, [] if ids is None else [ids], most_rows=MOST_RUNS)
        rows: list[list[Any]] = answer["rows"]
        return rows

    def _check(self, name: str, pointer: str, *, numbers: bool = False, settings: bool = False) -> None:
        kinds = {column["name"]: column["kind"] for column in self._analyst.schema()["runs"]}
        if numbers:
            kinds = {known: kind for known, kind in kinds.items() if kind in ("number", "integer")}
        if settings:
            kinds = {known: kind for known, kind in kinds.items() if known not in NOT_A_SETTING}
        if name not in kinds:
            raise UnknownName("column", name, kinds, pointer)


def check_by(by: Sequence[str]) -> Sequence[str]:
    """Raises InvalidRequest for more columns than a table has directions."""
    if len(by) > LIMITS.analytics_by.maximum or len(set(by)) < len(by):
        raise InvalidRequest.field("/by", f"Group by up to {LIMITS.analytics_by.maximum} columns, each once.")
    return by


def _keys(values: Sequence[Any]) -> list[Key]:
    """The groups that a run is in: of several tags it is in that of each."""
    keys: list[Key] = [()]
    for value in values:
        ones = (value or [None]) if isinstance(value, list) else [value]
        keys = [(*key, None if one is None else _said(one)) for key in keys for one in ones]
    return keys


def _said(value: Any) -> str:
    match value:
        case None:
            return _NONE
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case list():
            return ", ".join(map(str, value)) or _NONE
    return str(value)


def _correlated(points: Sequence[Point]) -> float | None:
    return rank_correlation([point.x for point in points], [point.y for point in points])
