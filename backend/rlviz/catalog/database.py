"""Opening the catalogue: WAL, foreign keys, schema up to date; and its two kinds of transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlmodel import Session

HEAD = "0001"
"""The newest migration in ``catalog/migrations/versions``; a test holds the two together."""


class Database:
    """The catalogue at ``path``. One transaction a use case; safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.engine = _engine(path)
        self._writing = self.engine.execution_options(begin="BEGIN IMMEDIATE")

    def migrate(self) -> None:
        """Bring the schema up to date.

        Alembic is imported only when there is something to do, so that a normal start stays fast.
        """
        if self._revision() != HEAD:
            from rlviz.catalog.migrations.run import upgrade

            upgrade(self.engine)

    def is_indexed(self) -> bool:
        """Whether the run folders were ever read into this catalogue, to the end."""
        with self.engine.connect() as connection:
            return bool(connection.execute(text("PRAGMA user_version")).scalar())

    @contextmanager
    def read(self) -> Iterator[Session]:
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """One writing transaction: it takes the write lock at once, and commits unless the block raises."""
        with Session(self._writing, expire_on_commit=False) as session, session.begin():
            session.connection()  # begins; otherwise the first statement would
            yield session

    def close(self) -> None:
        self.engine.dispose()

    def _revision(self) -> str | None:
        with self.engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def mark_indexed(session: Session) -> None:
    """Note that the run folders were read, in the transaction that writes their rows: both come true, or neither."""
    session.connection().exec_driver_sql("PRAGMA user_version = 1")


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 10, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))

    return engine
