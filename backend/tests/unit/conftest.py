"""What many unit tests need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.catalog.database import Database
from tests.support.streams import World


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty catalogue."""
    database = Database(tmp_path / "rlviz.db")
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def world(tmp_path: Path, database: Database) -> Iterator[World]:
    """Runs, and a stream of them."""
    world = World(tmp_path, database)
    yield world
    for writer in world.writers.values():
        writer.close()
