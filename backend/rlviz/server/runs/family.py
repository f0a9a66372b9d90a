"""The family of a run: the runs that it was forked from, up to the first, and all that were forked from those.

How far runs share their history: a fork, its parent and its siblings have been one run up to where they
parted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue
from sqlmodel import Session, col, select

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError, RunNotFound
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run

MOST_MEMBERS = 100
"""The run, those that it was forked from, its own forks, and then the nearest others."""


@dataclass(frozen=True)
class SettingChange:
    """``before`` is None where the parent is gone. ``in_parent``: it was changed while the parent trained, and the fork
    went on with that."""

    name: str
    before: JsonValue
    after: JsonValue
    in_parent: bool = False


@dataclass(frozen=True, eq=False)
class Relative:
    """``row`` is None for a run that is deleted. ``changes``: what it changed when it was forked of ``parent_id`` at
    ``forked_at``."""

    run_id: str
    row: RunRow | None
    parent_id: str | None
    forked_at: int | None
    changes: Sequence[SettingChange]


@dataclass(frozen=True, eq=False)
class Family:
    """Each member comes before its forks, and these in the order in which they were made. ``is_whole``: none is left
    out."""

    members: Sequence[Relative]
    is_whole: bool


class FamilyService:
    def __init__(self, database: Database, runs_dir: Path) -> None:
        self._database, self._runs_dir = database, runs_dir

    def of(self, run_id: str) -> Family:
        """Raises RunNotFound."""
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
        return Family(members, is_whole)

    def _relative(self, run_id: str, row: RunRow | None) -> Relative:
        if row is None or row.parent is None:
            return Relative(run_id, row, None, None, [])
        return Relative(run_id, row, row.parent["run_id"], row.parent["step"], self._changes(row))

    def _changes(self, row: RunRow) -> list[SettingChange]:
        assert row.parent is not None
        own, parent = self._config(row.id), self._config(row.parent["run_id"])
        if own is None or own.parent is None:
            return []
        born = own.parent
        configured = {} if parent is None else {**parent.env_options, **_hyperparameters(parent)}
        was, after = {**configured, **born.in_force}, {**own.env_options, **own.hyperparameters}
        changes = [SettingChange(name, was.get(name), after.get(name)) for name in born.changed]
        changes += [
            SettingChange(name, configured.get(name), value, in_parent=True)
            for name, value in born.in_force.items()
            if name not in born.changed and configured.get(name) != value
        ]
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


def _hyperparameters(config: RunConfig) -> dict[str, JsonValue]:
    known = config.algo in ALGORITHMS.names()
    return ALGORITHMS.get(config.algo).completed(config.hyperparameters) if known else config.hyperparameters


def _ancestors(session: Session, row: RunRow) -> tuple[list[RunRow], str]:
    """The run, what it was forked from, and so on; and the id of the first, of which no more may be known."""
    found = [row]
    while (born := found[-1].parent) is not None and len(found) < MOST_MEMBERS:
        if (parent := session.get(RunRow, born["run_id"])) is None:
            return found, born["run_id"]
        found.append(parent)
    return found, found[-1].id


def _add_descendants(session: Session, found: dict[str, RunRow], begin: Sequence[str]) -> bool:
    """Add the forks of ``begin``, theirs, and so on; the newest, as far as there is room. Returns whether all are
    there."""
    is_whole = True
    while begin and is_whole:
        room = MOST_MEMBERS - len(found)
        forks = _forks(session, begin, besides=found, limit=room + 1)
        is_whole = len(forks) <= room
        found.update({row.id: row for row in forks[:room]})
        begin = [row.id for row in forks[:room]]
    return is_whole


def _forks(session: Session, of: Sequence[str], *, besides: Collection[str], limit: int) -> list[RunRow]:
    """The newest first."""
    parent = col(RunRow.parent)["run_id"].as_string()
    wanted = select(RunRow).where(parent.in_(of), col(RunRow.id).not_in(besides))
    return list(session.exec(wanted.order_by(col(RunRow.created_at).desc()).limit(limit)))


def _tree(run_id: str, children: dict[str, list[RunRow]]) -> Iterator[str]:
    """The run and what descends from it, each before its forks."""
    yield run_id
    for row in children.pop(run_id, []):
        yield from _tree(row.id, children)


MOST_ANCESTORS = 50


def shared_until(rows: Sequence[RunRow], get: Callable[[str], RunRow]) -> int:
    """The step up to which all of ``rows`` were one run; 0 if they are not of one family, or fewer than two. ``get``
    finds a run, or raises RunNotFound: a parent that is deleted still has its children in common."""
    if len(rows) < 2:
        return 0
    lines = [_line(row, get) for row in rows]
    return int(min(_shared(lines[0], line) for line in lines[1:]))


def _line(row: RunRow, get: Callable[[str], RunRow]) -> dict[str, float]:
    """The run and those that it was forked from: by id, up to which step each is part of its line."""
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
