"""Start and end of each attempt of a run, to count seconds of training without the pauses between attempts.

Existing runs get their newest attempt; `rlviz rebuild` finds the others.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("run", sa.Column("attempts", sa.JSON(), nullable=False, server_default="[]"))
    op.execute(
        "UPDATE run SET attempts = json_array(json_array(started_at, ended_at)) "
        "WHERE started_at IS NOT NULL AND attempt = 1"
    )


def downgrade() -> None:
    op.drop_column("run", "attempts")
