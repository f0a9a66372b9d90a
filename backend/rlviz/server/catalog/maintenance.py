"""Care for the catalogue's file: checking, upgrading, downgrading and optimizing it, with or without a service."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from rlviz.domain.errors import InvalidRequest
from rlviz.server.catalog.database import HEAD, REVISIONS, Database, explain_errors, newer


@dataclass(frozen=True)
class Checked:
    """What a look at the catalogue has found. ``problems``: a sentence each."""

    revision: str | None
    head: str
    problems: list[str]

    @property
    def waiting(self) -> tuple[str, ...]:
        """Migrations that the next start makes."""
        return waiting(self.revision)


def waiting(revision: str | None) -> tuple[str, ...]:
    """Migrations after ``revision``; all of them for None, an empty catalogue."""
    return REVISIONS[REVISIONS.index(revision) + 1 :] if revision in REVISIONS else REVISIONS if not revision else ()


def check(database: Database) -> Checked:
    """Read only: pages, indexes, revision, and whether the tables are those of the models.

    Raises CatalogueUnusable if the file cannot be read.
    """
    with explain_errors(database.path), database.engine.connect() as connection:
        pages = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(10)"))]
        problems = [] if pages == ["ok"] else pages
        revision = database.revision()
        if revision is not None and revision not in REVISIONS:
            problems.append(str(newer(database.path, revision, HEAD)))
        elif revision == HEAD:
            problems += _differences(connection)
    return Checked(revision, HEAD, problems)


def upgrade(database: Database) -> Path | None:
    """Bring the schema up to date; returns the copy that was made before, if there was something to do.

    Raises CatalogueUnusable or CatalogueDamaged.
    """
    before = database.revision()
    database.migrate()
    return database.copy_of(before) if before not in (None, HEAD) else None


def downgrade(database: Database, revision: str) -> Path:
    """Take the schema back to ``revision``, for an older version of the app; returns the copy that was made before.

    Columns that did not exist then are lost, but for that copy and the run folders. Raises InvalidRequest.
    """
    known = REVISIONS[: REVISIONS.index(now)] if (now := database.revision()) in REVISIONS else ()
    if revision not in known:
        raise InvalidRequest(f"The catalogue is at {now}; it can be taken back to {', '.join(known) or 'nothing'}.")
    from rlviz.server.catalog.migrations.run import downgrade as run

    with explain_errors(database.path):
        copy = database.back_up(str(now))
        run(database.engine, revision)
    return copy


def optimize(database: Database) -> tuple[int, int]:
    """Give back what deleted rows took, and renew what the query planner knows; bytes before and after."""
    with explain_errors(database.path):
        before = _bytes(database.path)
        with closing(sqlite3.connect(database.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("VACUUM")
            connection.execute("ANALYZE")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return before, _bytes(database.path)


def _bytes(path: Path) -> int:
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _differences(connection: object) -> list[str]:
    """Where the tables differ from the models."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlmodel import SQLModel

    import rlviz.server.catalog.models  # noqa: F401  (fills the metadata)

    context = MigrationContext.configure(connection, opts={"compare_type": True})  # type: ignore[arg-type]
    return [_described(one) for one in compare_metadata(context, SQLModel.metadata)]


def _described(difference: object) -> str:
    """A sentence for one of Alembic's differences: ``("add_column", schema, table, column)`` and the like, in lists
    where they are changes of one column."""
    if isinstance(difference, list):
        return " ".join(map(_described, difference))
    assert isinstance(difference, tuple)
    what, *names = difference
    shown = ".".join(
        str(getattr(name, "name", name)) for name in names if isinstance(name, str) or hasattr(name, "name")
    )
    verb, _, kind = str(what).partition("_")
    says = {"add": "is missing in the file", "remove": "is in the file, and in no model"}.get(verb, "differs")
    return f"{kind.replace('_', ' ').capitalize()} {shown} {says}."
