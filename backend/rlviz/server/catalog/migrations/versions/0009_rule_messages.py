"""Messages of rules to the user. Messages of existing runs are not shown again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("run", sa.Column("rule_messages", sa.JSON(), nullable=False, server_default='{"count":0}'))


def downgrade() -> None:
    op.drop_column("run", "rule_messages")
