"""Processor seconds of a run; null for runs that ended before they were counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("run", sa.Column("core_seconds_before", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "core_seconds_before")
