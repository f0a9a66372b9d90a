"""Opening the catalogue: WAL, foreign keys, migrations; and its read and write transactions.

Explanations of what can be wrong with the catalogue's file.
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

_AGAIN = "Run `rlviz rebuild`: it keeps the file under another name and makes the catalogue again from the run folders."


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system within the block into CatalogueUnusable or CatalogueDamaged, which say
    what to do."""
    try:
        yield
    except DatabaseError as error:
        raise explain(path, str(error.orig)) from error
    except OSError as error:
        if is_disk_full(error):
            raise CatalogueUnusable(full_disk(path.parent)) from error
        raise CatalogueUnusable(f"The runs folder {path.parent} cannot be used ({error}).") from error


def explain(path: Path, reason: str) -> CatalogueUnusable:
    if "locked" in reason:
        return CatalogueUnusable(
            f"{path} is locked: another program has it open and does not let go. Close it (a database browser, "
            "perhaps), then start again."
        )
    if "malformed" in reason or "not a database" in reason:
        return damaged(path, reason)
    if "readonly" in reason or "unable to open" in reason:
        return CatalogueUnusable(
            f"{path} cannot be written ({reason}). See that this user may write the file and the folder it lies in."
        )
    if "full" in reason or ("disk I/O" in reason and _has_no_room(path.parent)):
        return CatalogueUnusable(f"{path} cannot be written ({reason}). {full_disk(path.parent)}")
    return CatalogueUnusable(f"{path} cannot be used ({reason}).")


def _has_no_room(folder: Path) -> bool:
    """SQLite does not say that the disk is full where it cannot make its shared memory."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free < _LEAST_ROOM_BYTES
    return False


def damaged(path: Path, reason: str) -> CatalogueDamaged:
    return CatalogueDamaged(f"{path} is damaged ({reason}). {_AGAIN}")


def newer(path: Path, revision: str, known: str) -> CatalogueDamaged:
    return CatalogueDamaged(
        f"{path} was made by another version of RL Gym Visualizer (its schema is {revision!r}, this version knows "
        f"schemas up to {known!r}). Install that version again, or go on with this one: {_AGAIN}"
    )


REVISIONS = tuple(
    sorted(path.name[:4] for path in (Path(__file__).parent / "migrations" / "versions").glob("[0-9]*.py"))
)
"""The migrations in order; the name of each file begins with its number. A test compares with the order of Alembic."""

HEAD = REVISIONS[-1]


class Database:
    """The catalogue at ``path``. Safe to use from several threads."""

    def __init__(self, path: Path, *, busy_seconds: float = 10.0) -> None:
        """``busy_seconds``: seconds to wait for another writer."""
        self.path = path
        self.engine = _engine(path, busy_seconds)
        self._writing = self.engine.execution_options(begin="BEGIN IMMEDIATE")

    def migrate(self) -> None:
        """Migrate the schema; before that, copy a catalogue with an older schema beside itself.

        Alembic is imported only if there is something to do, so that a normal start stays fast. Raises
        CatalogueUnusable if it cannot be written, CatalogueDamaged if it is not a catalogue of this product.
        """
        with explain_errors(self.path):
            self._check()
            revision = self.revision()
            if revision == HEAD:
                return
            if revision is not None:
                if revision not in REVISIONS:
                    raise newer(self.path, revision, HEAD)
                self.back_up(revision)
            from rlviz.server.catalog.migrations.run import upgrade

            upgrade(self.engine)

    def set_aside(self) -> Path:
        """Rename the file, so that a new catalogue can take its place; return the new path."""
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
        """A write transaction: it takes the write lock at once, and commits unless the block raises."""
        with Session(self._writing, expire_on_commit=False) as session, session.begin():
            session.connection()  # begins; otherwise the first statement would
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
            raise damaged(self.path, str(found))

    def back_up(self, revision: str) -> Path:
        """Copy the catalogue, including its write-ahead log, to ``rlviz-<revision>.db``, and return that."""
        copy = self.copy_of(revision)
        begun = copy.with_name(f".{copy.name}.tmp")
        begun.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(begun)) as target:
            source.backup(target)
        begun.replace(copy)
        return copy

    def copy_of(self, revision: str | None) -> Path:
        """Where the copy of a catalogue of that schema is put."""
        return self._beside(str(revision))

    def _beside(self, label: str) -> Path:
        return self.path.with_name(f"{self.path.stem}-{label}{self.path.suffix}")

    def revision(self) -> str | None:
        """The migration that it has come to; None: it has no tables yet."""
        with self.engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def mark_indexed(session: Session) -> None:
    """Note that the run folders were read, in the same transaction that writes their rows."""
    session.connection().exec_driver_sql("PRAGMA user_version = 1")


def _from_json(text: str) -> Any:
    """Several times as fast as the standard library's, of which a list of runs needs thousands; numbers that JSON has
    no word for (NaN, Infinity) are left to that."""
    try:
        return orjson.loads(text)
    except ValueError:
        return json.loads(text)


def _engine(path: Path, busy_seconds: float) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),  # a text would be parsed: %20, ? and # have a meaning in addresses
        connect_args={"timeout": busy_seconds, "check_same_thread": False},
        max_overflow=45,  # with the 5 that are kept, more than there are threads: none waits for a connection
        json_deserializer=_from_json,
    )

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
