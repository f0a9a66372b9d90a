"""The family of a run: the run that it was forked from, the other forks of that one, and its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue
from sqlmodel import Session, col, select

from rlviz.catalog.database import Database
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.rundir.folder import RunFolder

MOST_RELATIVES = 50
"""Siblings, and children, that are told; the newest."""


@dataclass(frozen=True)
class SettingChange:
    """``before`` is None where the parent is gone."""

    name: str
    before: JsonValue
    after: JsonValue


@dataclass(frozen=True, eq=False)
class Relative:
    """``row`` is None for a run that is deleted. ``changes``: what it changed when it was forked at ``forked_at``."""

    run_id: str
    row: RunRow | None
    forked_at: int | None
    changes: Sequence[SettingChange]


@dataclass(frozen=True, eq=False)
class Family:
    """``own``: the run itself. Siblings and children are in the order in which they were made."""

    own: Relative
    parent: Relative | None
    siblings: Sequence[Relative]
    children: Sequence[Relative]


class FamilyService:
    def __init__(self, database: Database, runs_dir: Path) -> None:
        self._database, self._runs_dir = database, runs_dir

    def of(self, run_id: str) -> Family:
        """Raises RunNotFound."""
        with self._database.read() as session:
            row = get_run(session, run_id)
            parent_id = row.parent["run_id"] if row.parent else None
            parent = session.get(RunRow, parent_id) if parent_id else None
            siblings = [one for one in _forks(session, parent_id) if one.id != run_id] if parent_id else []
            children = _forks(session, run_id)
        return Family(
            own=self._relative(row),
            parent=None if parent_id is None else self._parent(parent_id, parent),
            siblings=[self._relative(one) for one in siblings],
            children=[self._relative(one) for one in children],
        )

    def _parent(self, run_id: str, row: RunRow | None) -> Relative:
        return Relative(run_id, None, None, []) if row is None else self._relative(row)

    def _relative(self, row: RunRow) -> Relative:
        forked_at = row.parent["step"] if row.parent else None
        return Relative(row.id, row, forked_at, self._changes(row) if row.parent else [])

    def _changes(self, row: RunRow) -> list[SettingChange]:
        assert row.parent is not None
        own, parent = self._config(row.id), self._config(row.parent["run_id"])
        if own is None or own.parent is None:
            return []
        names = own.parent.changed
        was = {} if parent is None else parent.hyperparameters
        changes = [SettingChange(name, was.get(name), own.hyperparameters.get(name)) for name in names]
        if parent is not None:
            changes += [
                SettingChange(name, getattr(parent, name), getattr(own, name))
                for name in ("seed", "total_timesteps")
                if getattr(parent, name) != getattr(own, name)
            ]
        return changes

    def _config(self, run_id: str) -> RunConfig | None:
        try:
            return RunFolder(self._runs_dir, run_id).read_config()
        except RunFolderError:
            return None


def _forks(session: Session, run_id: str) -> list[RunRow]:
    """The newest forks of a run, in the order in which they were made."""
    of = col(RunRow.parent)["run_id"].as_string() == run_id
    newest = select(RunRow).where(of).order_by(col(RunRow.created_at).desc()).limit(MOST_RELATIVES)
    return list(session.exec(newest))[::-1]
