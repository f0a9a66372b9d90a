"""RunTables: ``runs`` and ``evaluations`` as columns, read from the catalogue and from the configurations."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from rlviz.domain.errors import RlvizError
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import RunFolder
from rlviz.services.analytics.columns import ColumnAbout, FilledColumn, setting_column
from rlviz.services.analytics.run_columns import EVALUATIONS, HYPERPARAMETER, OPTION, RUNS

MOST_SETTINGS = 200
"""Columns of settings at most; a configuration that was written by hand could name any number."""

_SETTING_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")

Table = Sequence[FilledColumn]


@dataclass(frozen=True)
class _Settings:
    """What a configuration says that the catalogue does not."""

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
        """Another number once the catalogue has changed."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def read(self) -> dict[str, Table]:
        """Both tables, by name, as they were at one moment."""
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
        """Of a configuration that cannot be read: none, until it can be."""
        if (known := self._settings.get(run_id)) is not None:
            return known
        try:
            config = orjson.loads(read_small(RunFolder(self._runs_dir, run_id).config_path))
            found = _Settings(dict(config["hyperparameters"]), dict(config.get("experiment") or {}))
        except (OSError, ValueError, LookupError, TypeError, RlvizError):
            return _UNREADABLE
        return found


def _spread(settings: Sequence[dict[str, Any]], prefix: str, what: str) -> Iterable[FilledColumn]:
    """A column for each name, in alphabetical order."""
    names = sorted({name for one in settings for name in one if _SETTING_NAME.fullmatch(name)})
    for name in names[:MOST_SETTINGS]:
        yield setting_column(f"{prefix}{name}", f"{what} {name}.", [one.get(name) for one in settings])
