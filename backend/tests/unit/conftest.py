"""What many unit tests need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.catalog.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty catalogue."""
    database = Database(tmp_path / "rlviz.db")
    database.migrate()
    yield database
    database.close()
