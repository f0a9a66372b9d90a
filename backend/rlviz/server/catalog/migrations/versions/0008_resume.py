"""How a run was resumed from a snapshot, and the parent of a fork.

Existing runs were trained in one attempt.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("trained_before", sa.Float(), nullable=False, server_default="0"),
        sa.Column("parent", sa.JSON(), nullable=True),
        sa.Column("resumed", sa.JSON(), nullable=True),
        sa.Column("saves_at", sa.Integer(), nullable=True),
        sa.Column("superseded", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("solved_seconds", sa.Float(), nullable=True),
    ]


def upgrade() -> None:
    for column in columns():
        op.add_column("run", column)
    op.execute(
        "UPDATE run SET solved_seconds = max(0.0, solved_at - started_at) "
        "WHERE solved_at IS NOT NULL AND started_at IS NOT NULL"
    )


def downgrade() -> None:
    for column in columns():
        op.drop_column("run", column.name)
