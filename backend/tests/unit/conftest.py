"""Fixtures of unit tests. Unit tests start no Python process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.server.catalog.database import Database
from tests.support.catalogues import place_empty_catalogue
from tests.support.streams import World

_watching = False


def _refuse_processes(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook (PEP 578) that refuses Python processes, which take too long. Small programs such as git and ffmpeg
    may run.
    """
    if not _watching or event not in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
        return
    if event == "os.fork" or Path(os.fsdecode(arguments[0])).name.startswith("python"):
        raise RuntimeError("A unit test starts no Python process: move it to tests/scripted or tests/real.")


sys.addaudithook(_refuse_processes)


@pytest.fixture(autouse=True)
def _no_process() -> Iterator[None]:
    global _watching  # an audit hook cannot be removed, so it is switched
    _watching = True
    yield
    _watching = False


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty catalogue."""
    place_empty_catalogue(tmp_path / "rlviz.db")
    database = Database(tmp_path / "rlviz.db")
    yield database
    database.close()


@pytest.fixture
def world(tmp_path: Path, database: Database) -> Iterator[World]:
    """Runs and a stream of them."""
    world = World(tmp_path, database)
    yield world
    for writer in world.writers.values():
        writer.close()
