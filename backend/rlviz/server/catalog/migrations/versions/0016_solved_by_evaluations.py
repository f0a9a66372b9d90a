"""Evaluations on request count for when a run was solved.

The columns are filled from the run folders: the migration marks the catalogue as not indexed,
so the next start of the service rebuilds it.
"""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.execute("PRAGMA user_version = 0")


def downgrade() -> None:
    """Nothing to do: an older version reads the same columns."""
