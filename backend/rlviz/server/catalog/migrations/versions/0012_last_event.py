"""The number of a run's newest event, which tells a page that it has new events to read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("run", sa.Column("last_event", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("run", "last_event")
