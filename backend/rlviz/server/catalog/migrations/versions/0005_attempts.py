"""Which attempt to train a run is its newest.

No run of an older catalogue has more than one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("run", sa.Column("attempt", sa.Integer(), nullable=False, server_default="1"))


def downgrade() -> None:
    op.drop_column("run", "attempt")
