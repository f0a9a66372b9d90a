"""Best moving average and sparkline, options of the environment, the best policy, and why training ended early.

The new columns are filled from the run folders: the migration marks the catalogue as not indexed,
so the next start of the service rebuilds it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    for column in (
        sa.Column("env_options", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("best_moving_average", sa.Float()),
        sa.Column("best_moving_average_step", sa.Integer()),
        sa.Column("sparkline", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("best_policy", sa.JSON()),
        sa.Column("ended_early", sa.String()),
    ):
        op.add_column("run", column)
    op.create_index("ix_run_ep_rew_mean_id", "run", ["ep_rew_mean", "id"])
    op.create_index("ix_run_best_moving_average_id", "run", ["best_moving_average", "id"])
    op.execute("PRAGMA user_version = 0")


def downgrade() -> None:
    op.drop_index("ix_run_best_moving_average_id", "run")
    op.drop_index("ix_run_ep_rew_mean_id", "run")
    for name in (
        "ended_early",
        "best_policy",
        "sparkline",
        "best_moving_average_step",
        "best_moving_average",
        "env_options",
    ):
        op.drop_column("run", name)
