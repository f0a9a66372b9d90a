"""AnalyticsService: answers queries over all runs, in SQL or as groups of runs by settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.limits import LIMITS
from rlviz.rundir.usage import ANALYTICS
from rlviz.server.analytics.analyst import Analyst
from rlviz.server.analytics.models import ReturnsScale, RunGroupCurves, RunGroups, RunScatter, RunsInGroup, ScatterPoint
from rlviz.server.analytics.tables import OPTION, RETURNS, RunPlaces
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.runs import SORTS, RunQuery, find_runs, matching_ids
from rlviz.server.experiments.results.digests import RunDigestStore
from rlviz.server.metrics.service import MetricsService
from rlviz.server.runs.environments import EnvironmentService
from rlviz.stats.experiments.curves import learning_curves
from rlviz.stats.experiments.trials import LearningCurve, Setting, Trial
from rlviz.stats.groups import Key, Member, make_groups, rank_correlation
from rlviz.stats.return_scale import Place, ReturnScale, return_scale

MOST_RUNS = 50_000
MOST_GROUPS = 60
MOST_POINTS = 5_000
METRIC = "metric:"
"""Prefix of a sort by the newest value of a metric."""

MOST_SORTED, SORTED_SECONDS = 4, 5.0
"""Columns whose values are kept for the next pages of the list, and seconds for which they are."""

MOST_DRAWN = 300
"""Runs in one chart of curves."""

NOT_A_SETTING = frozenset({"id", "name", "cause", "created_at", "started_at", "ended_at"})
"""Columns that differ for every run, so that grouping by them is useless."""

_NONE = "none"


@dataclass(frozen=True)
class Question:
    """``by``: one or two columns of ``runs`` to group by. ``runs``: selects the runs."""

    by: Sequence[str]
    measure: str
    runs: RunQuery


class AnalyticsService:
    def __init__(
        self,
        analyst: Analyst,
        database: Database,
        runs_dir: Path,
        metrics: MetricsService,
        environments: EnvironmentService,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._analyst, self._database = analyst, database
        self._places = RunPlaces(database, environments)
        self._digests = RunDigestStore(runs_dir / ANALYTICS, runs_dir, metrics)
        self._clock, self._sort_lock = clock, Lock()
        self._sorted_by: dict[str, tuple[float, Mapping[str, float | str]]] = {}

    def schema(self) -> dict[str, list[dict[str, str]]]:
        """Return the columns of each table."""
        return self._analyst.schema()

    def query(self, sql: str, limit: int) -> dict[str, Any]:
        """Return the answer to a SELECT. Raises QueryRefused."""
        return self._analyst.ask(sql, most_rows=limit)

    def sort_values(self, name: str) -> Mapping[str, float | str]:
        """Return what the list of runs sorts by, by run id; runs without a value are left out.

        Args:
            name: A column of ``runs``, or ``metric:`` and the name of a metric, whose newest values count.

        Raises UnknownName.
        """
        with self._sort_lock:
            known = self._sorted_by.get(name)
            if known is not None and self._clock() < known[0]:
                return known[1]
            values = self._read_sort_values(name)
            while len(self._sorted_by) >= MOST_SORTED:
                self._sorted_by.pop(next(iter(self._sorted_by)))
            self._sorted_by[name] = (self._clock() + SORTED_SECONDS, values)
            return values

    def _read_sort_values(self, name: str) -> Mapping[str, float | str]:
        if name.startswith(METRIC):
            sql = "SELECT run_id, arg_max(value, step) FROM metrics WHERE name = ? GROUP BY run_id"
            answer = self._analyst.ask(sql, [name.removeprefix(METRIC)], most_rows=MOST_RUNS)
        else:
            columns = {column["name"]: column["kind"] for column in self._analyst.schema()["runs"]}
            if name not in columns:
                raise UnknownName("sort", name, dict.fromkeys([*SORTS, *columns]), "/sort")
            answer = self._analyst.ask(f'SELECT id, "{name}" FROM runs', most_rows=MOST_RUNS)
        rows = ((run_id, _sort_value(value)) for run_id, value in answer["rows"])
        return {run_id: value for run_id, value in rows if value is not None}

    def groups(self, question: Question) -> RunGroups:
        """Return statistics of the measure in each group. Raises UnknownName or InvalidRequest."""
        rows = self._rows([*question.by, question.measure], question)
        members: dict[Key, list[Member]] = {}
        for run_id, *key, value in rows:
            for one in _list_keys(key):
                members.setdefault(one, []).append(Member(run_id, value))
        kept = sorted(members, key=lambda key: -len(members[key]))[:MOST_GROUPS]
        groups = {key: members[key] for key in kept}
        places = self._places_of(rows, [question.measure])
        scale = _scale(
            [[one.run_id for one in ours if one.value is not None] for ours in groups.values()], places, question
        )
        if places:
            groups = {key: [_place_on_scale(scale, places, one) for one in ours] for key, ours in groups.items()}
        return RunGroups(
            by=list(question.by),
            measure=question.measure,
            groups=[RunsInGroup.from_group(group) for group in make_groups(groups)],
            runs=len(rows),
            left_out=len(members) - len(kept),
            scale=ReturnsScale.from_scale(scale),
        )

    def scatter(self, question: Question, x: str) -> RunScatter:
        """Return the numeric column ``x`` and the measure of every run. Raises UnknownName or InvalidRequest."""
        self._check(x, "/x", numbers=True)
        rows = self._rows([*question.by[:1], x, question.measure], question)
        points = [
            ScatterPoint(run_id=run_id, group=" · ".join(_format_key(one) for one in key), x=float(at), y=float(value))
            for run_id, *key, at, value in rows
            if at is not None and value is not None
        ]
        places = self._places_of(rows, [x, question.measure])
        scale = _scale([[one.run_id for one in ours] for ours in _by_group(points).values()], places, question)
        points = [
            point
            for one in points
            if (point := _point_on(scale, places, one, x=x in RETURNS, y=question.measure in RETURNS)) is not None
        ]
        ours = _by_group(points)
        by_group = {name: _correlated(ours[name]) for name in list(ours)[:MOST_GROUPS]}
        together = None if len(scale.places) > 1 and not scale.is_normalised else _correlated(points)
        return RunScatter(
            points=points[:MOST_POINTS],
            count=len(points),
            runs=len(rows),
            correlation=together,
            by_group=by_group,
            scale=ReturnsScale.from_scale(scale),
        )

    def curves(self, question: Question) -> RunGroupCurves:
        """Return the learning curve of each group, with bands. Raises UnknownName or InvalidRequest."""
        rows = self._rows([*question.by, "seed", question.measure], question)
        groups = {
            run_id: (" · ".join(_format_key(one) for one in key) or "All runs", seed, value)
            for run_id, *key, seed, value in rows[:MOST_DRAWN]
        }
        with self._database.read() as session:
            found = find_runs(session, list(groups))
        digests = self._digests.read_digests(found)
        greedy = bool(digests) and all(one.greedy is not None or one.training is None for one in digests.values())
        drawn = {row.id: digests[row.id].greedy if greedy else digests[row.id].training for row in found}
        places = self._places.read_places(drawn)
        titles = dict.fromkeys(title for title, _, _ in groups.values())
        scale = _scale(
            [[one for one in drawn if drawn[one] is not None and groups[one][0] == title] for title in titles],
            places,
            question,
        )
        scores: dict[str, list[float]] = {title: [] for title in titles}
        for run_id, (title, _, value) in groups.items():
            score = value
            if run_id in places and question.measure in RETURNS:
                score = scale.returned(places[run_id], value)
            scores[title] += [] if score is None else [score]
        trials = [
            Trial(
                variant=groups[row.id][0],
                seed=groups[row.id][1],
                run_id=row.id,
                score=None,
                ended=not row.state.has_worker,
                curve=_curve_on(scale, places[row.id], drawn[row.id]),
            )
            for row in found
        ]
        ranked = sorted(scores, key=lambda title: -np.median(scores[title] or [-np.inf]))
        setting = Setting({title: title for title in ranked}, dict.fromkeys(ranked, ""), greedy_curves=greedy)
        return RunGroupCurves(
            curves=learning_curves(trials, setting, ranked, "run"),
            drawn=len(trials),
            runs=len(rows),
            scale=ReturnsScale.from_scale(scale),
        )

    def _places_of(self, rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> dict[str, Place]:
        """Return the environment of each run, or an empty dict if no column is a return: no scale is needed then."""
        return self._places.read_places([row[0] for row in rows]) if RETURNS & set(columns) else {}

    def _rows(self, columns: Sequence[str], question: Question) -> list[list[Any]]:
        """Return the id and ``columns`` of each matching run, newest first."""
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


def _sort_value(value: Any) -> float | str | None:
    """Return a value that can be sorted by; None if there is none."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or None
    if isinstance(value, int | float):
        return float(value) if np.isfinite(value) else None
    return None if value is None else str(value).lower()


def check_by(by: Sequence[str]) -> Sequence[str]:
    """Return ``by``. Raises InvalidRequest for too many columns or a repeated one."""
    if len(by) > LIMITS.analytics_by.maximum or len(set(by)) < len(by):
        raise InvalidRequest.field("/by", f"Group by up to {LIMITS.analytics_by.maximum} columns, each once.")
    return by


def _list_keys(values: Sequence[Any]) -> list[Key]:
    """Return the groups of a run; a run with several tags is in the group of each."""
    keys: list[Key] = [()]
    for value in values:
        ones = (value or [None]) if isinstance(value, list) else [value]
        keys = [(*key, None if one is None else _format_key(one)) for key in keys for one in ones]
    return keys


def _format_key(value: Any) -> str:
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


def _scale(groups: Iterable[Sequence[str]], places: dict[str, Place], question: Question) -> ReturnScale:
    """Return the scale of returns for ``groups``, each a list of run ids."""
    return return_scale(
        ([places[one] for one in ours if one in places] for ours in groups),
        by_environment=any(name == "env_id" or name.startswith(OPTION) for name in question.by),
    )


def _place_on_scale(scale: ReturnScale, places: dict[str, Place], member: Member) -> Member:
    place = places.get(member.run_id)
    if place is None:
        return replace(member, value=None)
    stratum = place.title if scale.is_normalised else ""
    return replace(member, value=scale.returned(place, member.value), stratum=stratum)


def _point_on(
    scale: ReturnScale, places: dict[str, Place], point: ScatterPoint, *, x: bool, y: bool
) -> ScatterPoint | None:
    """Return the point on the scale; None if a value cannot be normalised. ``x``, ``y``: whether these are returns."""
    place = places.get(point.run_id)
    at = scale.returned(place, point.x) if x and place is not None else point.x
    value = scale.returned(place, point.y) if y and place is not None else point.y
    return None if at is None or value is None else point.model_copy(update={"x": at, "y": value})


def _curve_on(scale: ReturnScale, place: Place, curve: LearningCurve | None) -> LearningCurve | None:
    if curve is None or not scale.is_normalised:
        return curve
    return None if place.scale is None else place.scale.normalised_curve(curve)


def _by_group(points: Iterable[ScatterPoint]) -> dict[str, list[ScatterPoint]]:
    ours: dict[str, list[ScatterPoint]] = {}
    for point in points:
        ours.setdefault(point.group, []).append(point)
    return ours


def _correlated(points: Sequence[ScatterPoint]) -> float | None:
    return rank_correlation([point.x for point in points], [point.y for point in points])
