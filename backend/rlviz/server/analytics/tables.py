"""The tables ``runs`` and ``evaluations`` that queries read.

``RUNS`` and ``EVALUATIONS`` define their columns, each with the expression of the catalogue that it is read from.
``RunTables`` reads them, with the settings in the configurations. ``RunPlaces`` gives the environment of each run, with
the scale of its returns.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import orjson

from rlviz.domain.errors import InvalidRequest, RlvizError, UnknownName
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.runs import environments_of
from rlviz.server.metrics.comparison import environment_title, scale_of
from rlviz.server.runs.environments import EnvironmentService
from rlviz.stats.return_scale import Place

Kind = Literal["text", "integer", "number", "truth", "time", "list"]

SQL_TYPES: dict[Kind, str] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "truth": "BOOLEAN",
    "time": "TIMESTAMP",
    "list": "VARCHAR[]",
}

_LARGEST = (1 << 63) - 1


@dataclass(frozen=True)
class ColumnAbout:
    """A column. ``source``: its SQLite expression; empty if it is not read from the catalogue. ``is_return``: whether
    its unit is that of the environment's rewards."""

    name: str
    kind: Kind
    description: str
    source: str = ""
    is_return: bool = False


@dataclass(frozen=True, eq=False)
class FilledColumn:
    about: ColumnAbout
    values: Sequence[Any]

    @cached_property
    def arrow(self) -> Any:
        import pyarrow as pa

        match self.about.kind:
            case "text":
                return pa.array(self.values, pa.string())
            case "integer":
                return pa.array(self.values, pa.int64())
            case "number":
                return pa.array(self.values, pa.float64())
            case "truth":
                return pa.array([None if value is None else bool(value) for value in self.values], pa.bool_())
            case "time":
                micros = [None if value is None else int(value * 1e6) for value in self.values]
                return pa.array(micros, pa.int64()).cast(pa.timestamp("us"))
            case "list":
                lists = [orjson.loads(value) if value else [] for value in self.values]
                return pa.array(lists, pa.list_(pa.string()))


def setting_column(name: str, description: str, values: Sequence[Any]) -> FilledColumn:
    """Return a column of settings, with the common kind of its values; JSON text if they have different kinds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return FilledColumn(ColumnAbout(name, "truth", description), values)
    if kinds == {int} and all(value is None or abs(value) <= _LARGEST for value in values):
        return FilledColumn(ColumnAbout(name, "integer", description), values)
    if kinds and kinds <= {int, float}:
        return FilledColumn(ColumnAbout(name, "number", description), [_as_float(value) for value in values])
    texts = [value if value is None or isinstance(value, str) else orjson.dumps(value).decode() for value in values]
    return FilledColumn(ColumnAbout(name, "text", description), texts)


def _as_float(value: Any) -> float | None:
    return None if value is None else float(value)


_TRAINED = """(SELECT sum(json_extract(value, '$[1]') - json_extract(value, '$[0]')) FROM json_each(run.attempts)
 WHERE json_extract(value, '$[1]') IS NOT NULL)"""

_NEWEST_RETURN = """(SELECT return_mean FROM evaluation WHERE evaluation.run_id = run.id AND status = 'completed'
 ORDER BY created_at DESC LIMIT 1)"""


def _plain(name: str, kind: Kind, description: str) -> ColumnAbout:
    return ColumnAbout(name, kind, description, name)


def _return(name: str, description: str, source: str | None = None) -> ColumnAbout:
    return ColumnAbout(name, "number", description, source or name, is_return=True)


RUNS = (
    _plain("id", "text", "Id of the run."),
    _plain("name", "text", "Name."),
    _plain("algo", "text", "Algorithm, or who plays."),
    _plain("env_id", "text", "Environment."),
    _plain("preset", "text", "Preset; null if it has none."),
    _plain("seed", "integer", "Seed of the training."),
    _plain("group_id", "text", "The same for runs that differ only in their seed."),
    _plain("status", "text", "Status."),
    _plain("cause", "text", "Why it ended; null if it ended as planned, or has not ended."),
    _plain("tags", "list", "Tags."),
    _plain("total_timesteps", "integer", "Environment steps to train for."),
    _plain("step", "integer", "Environment steps done."),
    _plain("episodes", "integer", "Episodes finished."),
    _plain("created_at", "time", "UTC."),
    _plain("started_at", "time", "UTC."),
    _plain("ended_at", "time", "UTC."),
    ColumnAbout(
        "ended_hour",
        "text",
        "Hour in which it ended, UTC.",
        "strftime('%Y-%m-%d %H:00', ended_at, 'unixepoch')",
    ),
    _plain("attempt", "integer", "Number of the newest attempt."),
    ColumnAbout("training_seconds", "number", "Seconds of training in the attempts that have ended.", _TRAINED),
    _plain("fps", "number", "Environment steps per second."),
    _return("ep_rew_mean", "Mean return of the last 100 episodes."),
    _plain("ep_len_mean", "number", "Mean length of the last 100 episodes."),
    _return("best_moving_average", "Best average: the highest mean return of 20 episodes in a row."),
    _plain("best_moving_average_step", "integer", "Step at which it was reached."),
    _return(
        "best_policy_return",
        "Mean return of the best policy on fresh episodes.",
        "json_extract(best_policy, '$.mean_return')",
    ),
    _return("evaluation_return", "Mean return of the newest evaluation.", _NEWEST_RETURN),
    _return("reward_threshold", "Return at which the environment counts as solved."),
    ColumnAbout("solved", "truth", "Whether it was solved.", "solved_step IS NOT NULL"),
    _plain("solved_step", "integer", "Step at which it was solved."),
    _plain("solved_seconds", "number", "Seconds of training until it was solved."),
    _plain("warnings", "integer", "Number of warnings."),
    ColumnAbout("parent_id", "text", "Run that it was forked from.", "json_extract(parent, '$.run_id')"),
)

_SUMMARY = "json_extract(record, '$.summary.episode_return.{}')"

EVALUATIONS = (
    _plain("run_id", "text", "Id of the run."),
    _plain("id", "text", "Id of the evaluation, within its run."),
    _plain("status", "text", "Status."),
    _plain("created_at", "time", "UTC."),
    _plain("return_mean", "number", "Mean return of its episodes."),
    ColumnAbout("return_std", "number", "Population standard deviation of the returns.", _SUMMARY.format("std")),
    ColumnAbout("return_min", "number", "Lowest return.", _SUMMARY.format("min")),
    ColumnAbout("return_max", "number", "Highest return.", _SUMMARY.format("max")),
    _plain("length_mean", "number", "Mean length of its episodes."),
    ColumnAbout("episodes", "integer", "Number of episodes requested.", "json_extract(record, '$.episodes')"),
    ColumnAbout("seed", "integer", "Seed of the first episode.", "json_extract(record, '$.seed')"),
    ColumnAbout("deterministic", "truth", "Whether it played greedily.", "json_extract(record, '$.deterministic')"),
    ColumnAbout("policy", "text", "latest or best.", "json_extract(record, '$.policy')"),
    ColumnAbout(
        "checkpoint_step", "integer", "Step of the policy that played.", "json_extract(record, '$.checkpoint_step')"
    ),
)

METRICS = (
    ColumnAbout("run_id", "text", "Id of the run."),
    ColumnAbout("name", "text", "Name of the metric, for instance episode/reward."),
    ColumnAbout("step", "number", "Environment step of the row."),
    ColumnAbout("time", "number", "Unix seconds."),
    ColumnAbout("value", "number", "Value; NaN for null in the journal."),
)

RETURNS = frozenset(column.name for column in RUNS if column.is_return)
"""Columns of ``runs`` whose values are only comparable within one environment."""

HYPERPARAMETER, OPTION = "hp_", "option_"
"""Prefixes of the columns of ``runs`` with hyperparameters and options of the environment."""


MOST_SETTINGS = 200
"""Maximum number of columns of settings, because a configuration written by hand can name any number."""

_SETTING_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")

Table = Sequence[FilledColumn]


@dataclass(frozen=True)
class _Settings:
    """Settings in a configuration that are not in the catalogue."""

    hyperparameters: dict[str, Any]
    experiment: dict[str, Any]


_UNREADABLE = _Settings({}, {})


class RunTables:
    """Reads the catalogue at ``path`` and never writes to it. For one thread."""

    def __init__(self, path: Path) -> None:
        self._runs_dir = path.parent
        self._connection = sqlite3.connect(path, timeout=10, isolation_level=None)
        self._connection.execute("PRAGMA query_only = ON")
        self._settings: dict[str, _Settings] = {}
        self._columns: tuple[Sequence[str], list[FilledColumn]] = ((), [])

    def version(self) -> int:
        """Return a number that changes when the catalogue changes."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def read(self) -> dict[str, Table]:
        """Return both tables by name, read in one transaction."""
        self._connection.execute("BEGIN")
        try:
            runs, rest = self._select(RUNS, "run", ("env_options",))
            evaluations, _ = self._select(EVALUATIONS, "evaluation", ())
        finally:
            self._connection.execute("ROLLBACK")
        ids = runs[0].values
        known, settings = self._columns
        if known != ids:  # settings never change, so the same runs have the same
            settings = list(self._settings_of(ids, rest["env_options"]))
            self._columns = (ids, settings) if len(self._settings) == len(ids) else ((), [])
        return {"runs": [*runs, *settings], "evaluations": evaluations}

    def _select(
        self, columns: Sequence[ColumnAbout], table: str, more: Sequence[str]
    ) -> tuple[list[FilledColumn], dict[str, Sequence[Any]]]:
        wanted = ", ".join([*(column.source for column in columns), *more])
        order = "created_at DESC, id DESC"
        rows = self._connection.execute(f"SELECT {wanted} FROM {table} ORDER BY {order}").fetchall()
        values: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * (len(columns) + len(more))
        filled = [FilledColumn(column, one) for column, one in zip(columns, values, strict=False)]
        return filled, dict(zip(more, values[len(columns) :], strict=True))

    def _settings_of(self, ids: Sequence[str], options: Sequence[str]) -> Iterable[FilledColumn]:
        settings = [self._read_settings(run_id) for run_id in ids]
        self._settings = {run_id: one for run_id, one in zip(ids, settings, strict=True) if one is not _UNREADABLE}
        given = [orjson.loads(text) if text else {} for text in options]
        yield from _spread([one.hyperparameters for one in settings], HYPERPARAMETER, "Hyperparameter")
        yield from _spread(given, OPTION, "Option of the environment")
        for name, about in (("id", "Experiment that it is a trial of."), ("variant", "Variant of the experiment.")):
            yield setting_column(f"experiment_{name}", about, [one.experiment.get(name) for one in settings])

    def _read_settings(self, run_id: str) -> _Settings:
        """Return the settings of a run; none while its configuration cannot be read."""
        if (known := self._settings.get(run_id)) is not None:
            return known
        try:
            config = orjson.loads(read_small(RunFolder(self._runs_dir, run_id).config_path))
            found = _Settings(dict(config["hyperparameters"]), dict(config.get("experiment") or {}))
        except (OSError, ValueError, LookupError, TypeError, RlvizError):
            return _UNREADABLE
        return found


def _spread(settings: Sequence[dict[str, Any]], prefix: str, what: str) -> Iterable[FilledColumn]:
    """Yield a column for each setting, in alphabetical order."""
    names = sorted({name for one in settings for name in one if _SETTING_NAME.fullmatch(name)})
    for name in names[:MOST_SETTINGS]:
        yield setting_column(f"{prefix}{name}", f"{what} {name}.", [one.get(name) for one in settings])


class RunPlaces:
    def __init__(self, database: Database, environments: EnvironmentService) -> None:
        self._database, self._environments = database, environments

    def read_places(self, run_ids: Collection[str]) -> dict[str, Place]:
        """Return the environment of each run by run id. Its title names options only if runs have different ones."""
        with self._database.read() as session:
            found = environments_of(session, run_ids)
        kinds = {run_id: (env_id, _sorted(options)) for run_id, (env_id, options) in found.items()}
        places = {kind: self._place(kind[0], orjson.loads(kind[1])) for kind in set(kinds.values())}
        titles: dict[str, set[str]] = {}
        for place in places.values():
            titles.setdefault(place.env_id, set()).add(place.title)
        places = {
            kind: replace(place, title=place.env_id) if len(titles[place.env_id]) == 1 else place
            for kind, place in places.items()
        }
        return {run_id: places[kind] for run_id, kind in kinds.items()}

    def _place(self, env_id: str, options: dict[str, Any]) -> Place:
        try:
            environment = self._environments.get(env_id).resolve(options)
        except (UnknownName, InvalidRequest):  # it is no longer configured
            return Place(environment_title(env_id, options), env_id, None)
        return Place(environment_title(env_id, environment.chosen), env_id, scale_of(environment))


def _sorted(options: dict[str, Any]) -> bytes:
    return orjson.dumps(options, option=orjson.OPT_SORT_KEYS)
