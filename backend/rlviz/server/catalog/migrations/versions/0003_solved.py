"""When a run was solved, its reward threshold, and when its newest step was reached.

The new columns are filled from the run folders: the migration marks the catalogue as not indexed,
so the next start of the service rebuilds it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

COLUMNS = (
    ("step_at", sa.Float),
    ("reward_threshold", sa.Float),
    ("solved_step", sa.Integer),
    ("solved_at", sa.Float),
    ("solved_by", sa.String),
)


def upgrade() -> None:
    for name, kind in COLUMNS:
        op.add_column("run", sa.Column(name, kind()))
    op.execute("PRAGMA user_version = 0")


def downgrade() -> None:
    for name, _ in reversed(COLUMNS):
        op.drop_column("run", name)
