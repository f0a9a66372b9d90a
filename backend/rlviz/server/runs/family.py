"""Find the family of a run: its ancestors, and all forks of these.

``shared_until`` returns the step up to which several runs share one history.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue
from sqlmodel import Session, col, select

from rlviz.domain.config import ExplorationPlan, RunConfig
from rlviz.domain.errors import RunFolderError, RunNotFound
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.runs.models import Relative, RunFamily, SettingChange

MOST_MEMBERS = 100
"""Maximum number of members to list. Order: the run, its ancestors, its forks, then its nearest other relatives."""


class FamilyService:
    """Reads families from the catalogue, and their settings from the run folders."""

    def __init__(self, database: Database, runs_dir: Path) -> None:
        self._database, self._runs_dir = database, runs_dir

    def find_family(self, run_id: str) -> RunFamily:
        """Return the family of a run. Raises RunNotFound."""
        with self._database.read() as session:
            ancestors, oldest = _ancestors(session, get_run(session, run_id))
            found = {row.id: row for row in ancestors}
            is_whole = _add_descendants(session, found, [run_id])
            for ancestor in [*(row.id for row in ancestors[1:]), oldest]:
                is_whole = _add_descendants(session, found, [ancestor]) and is_whole
        children: dict[str, list[RunRow]] = {}
        for row in sorted(found.values(), key=lambda row: row.created_at):
            if row.parent is not None:
                children.setdefault(row.parent["run_id"], []).append(row)
        members = [self._relative(one, found.get(one)) for one in _tree(oldest, children)]
        return RunFamily(run_id=run_id, members=members, whole=is_whole)

    def _relative(self, run_id: str, row: RunRow | None) -> Relative:
        born = None if row is None else row.parent
        return Relative(
            run_id=run_id,
            deleted=row is None,
            name=None if row is None else row.name,
            status=None if row is None else row.state,
            best_moving_average=None if row is None else row.best_moving_average,
            parent_id=None if born is None else born["run_id"],
            forked_at=None if born is None else born["step"],
            changes=[] if row is None or born is None else self._changes(row),
        )

    def _changes(self, row: RunRow) -> list[SettingChange]:
        assert row.parent is not None
        own, parent = self._config(row.id), self._config(row.parent["run_id"])
        if own is None or own.parent is None:
            return []
        born = own.parent
        configured = {} if parent is None else {**parent.env_options, **_hyperparameters(parent)}
        was, after = {**configured, **born.in_force}, {**own.env_options, **own.hyperparameters}
        changes = [
            SettingChange(name=name, before=was.get(name), after=after.get(name), in_parent=False)
            for name in born.changed
        ]
        changes += [
            SettingChange(name=name, before=configured.get(name), after=value, in_parent=True)
            for name, value in born.in_force.items()
            if name not in born.changed and configured.get(name) != value
        ]
        if parent is not None:
            changes += [
                SettingChange(name=name, before=getattr(parent, name), after=getattr(own, name), in_parent=False)
                for name in ("seed", "total_timesteps")
                if getattr(parent, name) != getattr(own, name)
            ]
            changes += _changed_exploration(parent, own)
        return changes

    def _config(self, run_id: str) -> RunConfig | None:
        try:
            return RunFolder(self._runs_dir, run_id).read_config()
        except RunFolderError:
            return None


def _changed_exploration(parent: RunConfig, own: RunConfig) -> list[SettingChange]:
    """Return where episodes begin that a fork begins in a cell, if it differs from the parent."""
    plans = [config.exploration or ExplorationPlan() for config in (parent, own)]
    both = [(name, *(getattr(plan, name) for plan in plans)) for name in ("archive", "start_cell")]
    return [
        SettingChange(name=name, before=before, after=after, in_parent=False)
        for name, before, after in both
        if before != after
    ]


def _hyperparameters(config: RunConfig) -> dict[str, JsonValue]:
    known = config.algo in ALGORITHMS.names()
    return ALGORITHMS.get(config.algo).completed(config.hyperparameters) if known else config.hyperparameters


def _ancestors(session: Session, row: RunRow) -> tuple[list[RunRow], str]:
    """Return the run and its ancestors, newest first, and the id of the oldest, which may be deleted."""
    found = [row]
    while (born := found[-1].parent) is not None and len(found) < MOST_MEMBERS:
        if (parent := session.get(RunRow, born["run_id"])) is None:
            return found, born["run_id"]
        found.append(parent)
    return found, found[-1].id


def _add_descendants(session: Session, found: dict[str, RunRow], begin: Sequence[str]) -> bool:
    """Add all descendants of ``begin`` to ``found``, newest first, up to MOST_MEMBERS. Returns whether all fit."""
    is_whole = True
    while begin and is_whole:
        room = MOST_MEMBERS - len(found)
        forks = _forks(session, begin, besides=found, limit=room + 1)
        is_whole = len(forks) <= room
        found.update({row.id: row for row in forks[:room]})
        begin = [row.id for row in forks[:room]]
    return is_whole


def _forks(session: Session, of: Sequence[str], *, besides: Collection[str], limit: int) -> list[RunRow]:
    """Return the forks of the runs ``of``, newest first."""
    parent = col(RunRow.parent)["run_id"].as_string()
    wanted = select(RunRow).where(parent.in_(of), col(RunRow.id).not_in(besides))
    return list(session.exec(wanted.order_by(col(RunRow.created_at).desc()).limit(limit)))


def _tree(run_id: str, children: dict[str, list[RunRow]]) -> Iterator[str]:
    """Yield the run and its descendants, each before its forks."""
    yield run_id
    for row in children.pop(run_id, []):
        yield from _tree(row.id, children)


MOST_ANCESTORS = 50


def shared_until(rows: Sequence[RunRow], get: Callable[[str], RunRow]) -> int:
    """Return the step up to which all of ``rows`` were one run.

    Returns 0 for fewer than two runs and for runs without a common ancestor. A deleted ancestor counts.

    Args:
        rows: The runs.
        get: Returns a run by its id, or raises RunNotFound.
    """
    if len(rows) < 2:
        return 0
    lines = [_line(row, get) for row in rows]
    return int(min(_shared(lines[0], line) for line in lines[1:]))


def _line(row: RunRow, get: Callable[[str], RunRow]) -> dict[str, float]:
    """Map the run and each ancestor to the last step that belongs to the run's history."""
    line: dict[str, float] = {row.id: math.inf}
    until = math.inf
    for _ in range(MOST_ANCESTORS):
        if row.parent is None:
            break
        until = min(until, row.parent["step"])
        line[row.parent["run_id"]] = until
        try:
            row = get(row.parent["run_id"])
        except RunNotFound:
            break
    return line


def _shared(first: dict[str, float], second: dict[str, float]) -> float:
    return max((min(first[run], second[run]) for run in first.keys() & second.keys()), default=0)
