"""The experiment that a run is a trial of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("run", sa.Column("experiment_id", sa.String(), nullable=True))
    op.create_index("ix_run_experiment_id_group_id_id", "run", ["experiment_id", "group_id", "id"])


def downgrade() -> None:
    op.drop_index("ix_run_experiment_id_group_id_id", "run")
    op.drop_column("run", "experiment_id")
