"""The damage of a run's folder. The column starts empty; the service inspects existing runs after its start."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("run", sa.Column("damage", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("run", "damage")
