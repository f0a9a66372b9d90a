"""Checks, upgrades, downgrades and optimizes the catalogue's file, with or without a running service."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from rlviz.domain.errors import InvalidRequest
from rlviz.server.catalog.database import HEAD, REVISIONS, Database, explain_errors, newer_schema_error


@dataclass(frozen=True)
class CatalogueCheck:
    """The result of ``check``. ``problems`` holds one sentence for each problem."""

    revision: str | None
    head: str
    problems: list[str]

    @property
    def pending_migrations(self) -> tuple[str, ...]:
        """Migrations that the next start of the service applies."""
        return pending_migrations(self.revision)


def pending_migrations(revision: str | None) -> tuple[str, ...]:
    """Return the migrations after ``revision``; all of them for None, an empty catalogue."""
    return REVISIONS[REVISIONS.index(revision) + 1 :] if revision in REVISIONS else REVISIONS if not revision else ()


def check(database: Database) -> CatalogueCheck:
    """Check pages, indexes and revision, and compare the tables with the models. Changes nothing.

    Raises CatalogueUnusable if the file cannot be read.
    """
    with explain_errors(database.path), database.engine.connect() as connection:
        pages = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(10)"))]
        problems = [] if pages == ["ok"] else pages
        revision = database.revision()
        if revision is not None and revision not in REVISIONS:
            problems.append(str(newer_schema_error(database.path, revision, HEAD)))
        elif revision == HEAD:
            problems += _differences(connection)
    return CatalogueCheck(revision, HEAD, problems)


def upgrade(database: Database) -> Path | None:
    """Migrate the schema to the newest revision.

    Returns the path of the backup made before; None if there was nothing to do. Raises CatalogueUnusable or
    CatalogueDamaged.
    """
    before = database.revision()
    database.migrate()
    return database.backup_path(before) if before not in (None, HEAD) else None


def downgrade(database: Database, revision: str) -> Path:
    """Migrate the schema back to ``revision``, for an older version of the app, and return the backup made before.

    Newer columns are dropped; the backup and the run folders still hold their values. Raises InvalidRequest.
    """
    known = REVISIONS[: REVISIONS.index(now)] if (now := database.revision()) in REVISIONS else ()
    if revision not in known:
        raise InvalidRequest(f"The catalogue is at {now}; it can be downgraded to {', '.join(known) or 'nothing'}.")
    from rlviz.server.catalog.migrations.run import downgrade as run

    with explain_errors(database.path):
        copy = database.back_up(str(now))
        run(database.engine, revision)
    return copy


def optimize(database: Database) -> tuple[int, int]:
    """Free the space of deleted rows and update the query planner's statistics; return bytes before and after."""
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
    """Return one sentence for each difference between the tables and the models."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlmodel import SQLModel

    import rlviz.server.catalog.models  # noqa: F401  (fills the metadata)

    context = MigrationContext.configure(connection, opts={"compare_type": True})  # type: ignore[arg-type]
    return [_describe_difference(one) for one in compare_metadata(context, SQLModel.metadata)]


def _describe_difference(difference: object) -> str:
    """Return a sentence for one of Alembic's differences, for example ``("add_column", schema, table, column)``.
    Alembic puts several changes of one column in a list."""
    if isinstance(difference, list):
        return " ".join(map(_describe_difference, difference))
    assert isinstance(difference, tuple)
    what, *names = difference
    shown = ".".join(
        str(getattr(name, "name", name)) for name in names if isinstance(name, str) or hasattr(name, "name")
    )
    verb, _, kind = str(what).partition("_")
    says = {"add": "is missing in the file", "remove": "is in the file but in no model"}.get(verb, "differs")
    return f"{kind.replace('_', ' ').capitalize()} {shown} {says}."
