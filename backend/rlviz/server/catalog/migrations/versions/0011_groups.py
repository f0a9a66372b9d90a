"""Groups of runs that differ only in their seed. Each existing run is a group of its own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("run", sa.Column("group_id", sa.String(), nullable=False, server_default=sa.text("''")))
    op.execute("UPDATE run SET group_id = id")
    op.create_index("ix_run_group_id", "run", ["group_id"])


def downgrade() -> None:
    op.drop_index("ix_run_group_id", "run")
    op.drop_column("run", "group_id")
