"""Runs Alembic's migrations from Python, without alembic.ini or a command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Migrate to ``revision``. Each migration records itself inside its own transaction."""
    _run(engine, lambda config: command.upgrade(config, revision))


def downgrade(engine: Engine, revision: str) -> None:
    """Undo every migration after ``revision``. Each records itself inside its own transaction."""
    _run(engine, lambda config: command.downgrade(config, revision))


def _run(engine: Engine, order: Callable[[Config], None]) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        order(config)
