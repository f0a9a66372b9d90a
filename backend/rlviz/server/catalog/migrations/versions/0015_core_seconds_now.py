"""Processor seconds so far of a run that trains; null if its worker cannot be measured."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("run", sa.Column("core_seconds_now", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "core_seconds_now")
