"""The step at which training ends, and how long an update takes.

The new columns are filled from the run folders: the migration marks the catalogue as not indexed,
so the next start of the service rebuilds it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("run", sa.Column("end_step", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("run", sa.Column("update_seconds", sa.Float()))
    op.execute("PRAGMA user_version = 0")


def downgrade() -> None:
    op.drop_column("run", "update_seconds")
    op.drop_column("run", "end_step")
