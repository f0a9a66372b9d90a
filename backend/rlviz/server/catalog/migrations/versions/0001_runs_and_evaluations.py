"""Runs and evaluations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("algo", sa.String(), nullable=False),
        sa.Column("env_id", sa.String(), nullable=False),
        sa.Column("preset", sa.String()),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("total_timesteps", sa.Integer(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("notes", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("cause", sa.String()),
        sa.Column("traceback", sa.String()),
        sa.Column("warnings", sa.Integer(), nullable=False),
        sa.Column("last_warning", sa.String()),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("queued_at", sa.Float()),
        sa.Column("started_at", sa.Float()),
        sa.Column("ended_at", sa.Float()),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("episodes", sa.Integer(), nullable=False),
        sa.Column("ep_rew_mean", sa.Float()),
        sa.Column("ep_len_mean", sa.Float()),
        sa.Column("fps", sa.Float()),
        sa.Column("policy_step", sa.Integer()),
        sa.Column("worker_pid", sa.Integer()),
        sa.Column("worker_started_at", sa.Float()),
        sa.Column("boot_id", sa.String()),
    )
    op.create_index("ix_run_created_at_id", "run", ["created_at", "id"])
    op.create_index("ix_run_status_queued_at", "run", ["status", "queued_at"])
    op.create_index("ix_run_algo_created_at", "run", ["algo", "created_at"])
    op.create_index("ix_run_env_id_created_at", "run", ["env_id", "created_at"])
    op.create_table(
        "evaluation",
        sa.Column("run_id", sa.String(), sa.ForeignKey("run.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("return_mean", sa.Float()),
        sa.Column("length_mean", sa.Float()),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("worker_pid", sa.Integer()),
        sa.Column("worker_started_at", sa.Float()),
    )
    op.create_index("ix_evaluation_status", "evaluation", ["status"])


def downgrade() -> None:
    op.drop_table("evaluation")
    op.drop_table("run")
