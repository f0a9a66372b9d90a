"""Opens the catalogue's SQLite file, migrates it, and gives read and write transactions.

Errors of SQLite and of the file system become CatalogueUnusable or CatalogueDamaged, whose text says what to do.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import URL, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session

from rlviz.domain.disk_full import is_disk_full
from rlviz.domain.errors import CatalogueDamaged, CatalogueUnusable
from rlviz.rundir.lock import full_disk

_LEAST_ROOM_BYTES = 1_000_000

_AGAIN = "Run `rlviz rebuild`: it keeps the file under another name and rebuilds the catalogue from the run folders."


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system in the block into CatalogueUnusable or CatalogueDamaged."""
    try:
        yield
    except DatabaseError as error:
        raise explain_error(path, str(error.orig)) from error
    except OSError as error:
        if is_disk_full(error):
            raise CatalogueUnusable(full_disk(path.parent)) from error
        raise CatalogueUnusable(f"The runs folder {path.parent} cannot be used ({error}).") from error


def explain_error(path: Path, reason: str) -> CatalogueUnusable:
    if "locked" in reason:
        return CatalogueUnusable(
            f"{path} is locked: another program has it open. Close that program (perhaps a database browser), then "
            "start again."
        )
    if "malformed" in reason or "not a database" in reason:
        return damaged_error(path, reason)
    if "readonly" in reason or "unable to open" in reason:
        return CatalogueUnusable(
            f"{path} cannot be written ({reason}). Check that this user may write the file and its folder."
        )
    if "full" in reason or ("disk I/O" in reason and _has_no_room(path.parent)):
        return CatalogueUnusable(f"{path} cannot be written ({reason}). {full_disk(path.parent)}")
    return CatalogueUnusable(f"{path} cannot be used ({reason}).")


def _has_no_room(folder: Path) -> bool:
    """Whether the disk is full. SQLite does not say so if it cannot create its shared memory file."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < _LEAST_ROOM_BYTES
    return False


def damaged_error(path: Path, reason: str) -> CatalogueDamaged:
    return CatalogueDamaged(f"{path} is damaged ({reason}). {_AGAIN}")


def newer_schema_error(path: Path, revision: str, known: str) -> CatalogueDamaged:
    return CatalogueDamaged(
        f"{path} was made by another version of RL Gym Visualizer (its schema is {revision!r}, this version knows "
        f"schemas up to {known!r}). Install that version again, or continue with this one: {_AGAIN}"
    )


REVISIONS = tuple(
    sorted(path.name[:4] for path in (Path(__file__).parent / "migrations" / "versions").glob("[0-9]*.py"))
)
"""The migrations in order, from the numbers at the start of their file names. A test compares this with Alembic."""

HEAD = REVISIONS[-1]


class Database:
    """The catalogue at ``path``. Safe to use from several threads."""

    def __init__(self, path: Path, *, busy_seconds: float = 10.0) -> None:
        """``busy_seconds``: seconds to wait for another writer."""
        self.path = path
        self.engine = _engine(path, busy_seconds)
        self._writing = self.engine.execution_options(begin="BEGIN IMMEDIATE")

    def migrate(self) -> None:
        """Migrate the schema. A catalogue with an older schema is first copied to a file beside it.

        Alembic is imported only if there is something to do, so that a normal start stays fast.

        Raises:
            CatalogueUnusable: The file cannot be written.
            CatalogueDamaged: The file is not a catalogue of this product.
        """
        with explain_errors(self.path):
            self._check()
            revision = self.revision()
            if revision == HEAD:
                return
            if revision is not None:
                if revision not in REVISIONS:
                    raise newer_schema_error(self.path, revision, HEAD)
                self.back_up(revision)
            from rlviz.server.catalog.migrations.run import upgrade

            upgrade(self.engine)

    def set_aside(self) -> Path:
        """Rename the file to make room for a new catalogue, and return the new path."""
        self.close()
        aside = next(path for number in itertools.count(1) if not (path := self._beside(f"damaged-{number}")).exists())
        self.path.rename(aside)
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        return aside

    def is_indexed(self) -> bool:
        """Whether all run folders have been read into this catalogue."""
        with self.engine.connect() as connection:
            return bool(connection.execute(text("PRAGMA user_version")).scalar())

    @contextmanager
    def read(self) -> Iterator[Session]:
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a write transaction: it takes the write lock at once, and commits unless the block raises."""
        with Session(self._writing, expire_on_commit=False) as session, session.begin():
            session.connection()  # begins the transaction now, not at the first statement
            yield session

    def close(self) -> None:
        self.engine.dispose()

    def _check(self) -> None:
        """Raises SQLite's error if the file cannot be written or its pages are inconsistent."""
        with self._writing.connect() as connection:
            connection.begin().rollback()
        with self.engine.connect() as connection:
            found = connection.execute(text("PRAGMA quick_check(1)")).scalar()
        if found != "ok":
            raise damaged_error(self.path, str(found))

    def back_up(self, revision: str) -> Path:
        """Copy the catalogue, including its write-ahead log, to ``rlviz-<revision>.db``, and return that path."""
        copy = self.backup_path(revision)
        partial = copy.with_name(f".{copy.name}.tmp")
        partial.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(partial)) as target:
            source.backup(target)
        partial.replace(copy)
        return copy

    def backup_path(self, revision: str | None) -> Path:
        """Return the path for a copy of the catalogue with the schema ``revision``."""
        return self._beside(str(revision))

    def _beside(self, label: str) -> Path:
        return self.path.with_name(f"{self.path.stem}-{label}{self.path.suffix}")

    def revision(self) -> str | None:
        """The newest migration that was applied; None if there are no tables yet."""
        with self.engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def mark_indexed(session: Session) -> None:
    """Record that all run folders were read, in the transaction that writes their rows."""
    session.connection().exec_driver_sql("PRAGMA user_version = 1")


def _from_json(text: str) -> Any:
    """Parse a JSON column with orjson, because a list of runs needs thousands of them. The standard library reads what
    orjson rejects: NaN and Infinity."""
    try:
        return orjson.loads(text)
    except ValueError:
        return json.loads(text)


def _engine(path: Path, busy_seconds: float) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),  # a string would be parsed as a URL, with %20, ? and #
        connect_args={"timeout": busy_seconds, "check_same_thread": False},
        max_overflow=45,  # with the pool of 5, more than there are threads: none waits for a connection
        json_deserializer=_from_json,
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # ``begin`` below starts transactions, not the driver
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))

    return engine
