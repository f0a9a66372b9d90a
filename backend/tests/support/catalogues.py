"""Catalogues without runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from rlviz.server.catalog.database import Database


def place_empty_catalogue(path: Path) -> None:
    """Write a migrated catalogue without rows to ``path``, as ``Database(path).migrate()`` would create it.

    It is migrated once per process and then copied: migrations take longer than most tests that need a catalogue.
    """
    path.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rlviz.db"
        database = Database(path)
        database.migrate()
        database.close()
        assert [one.name for one in path.parent.iterdir()] == [path.name], "no row is left in another file"
        return path.read_bytes()
