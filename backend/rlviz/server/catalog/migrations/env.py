"""Alembic's entry point: runs the migrations on the connection in the configuration's attributes."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

import rlviz.server.catalog.models  # noqa: F401  (fills the metadata)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    transaction_per_migration=True,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
