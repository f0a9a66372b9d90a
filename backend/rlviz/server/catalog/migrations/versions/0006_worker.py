"""Store a worker as one text that only its launcher reads. Version 0.1.0 stored its process in two columns.

With that text the new version adopts a run that trains during the upgrade.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_PROCESS = "'process:' || worker_pid || ':' || worker_started_at || ':'"
_KNOWN = "worker_pid IS NOT NULL AND worker_started_at IS NOT NULL"


def upgrade() -> None:
    for table in ("run", "evaluation"):
        op.add_column(table, sa.Column("worker", sa.String()))
    op.execute(f"UPDATE run SET worker = {_PROCESS} || coalesce(boot_id, '') WHERE {_KNOWN}")
    op.execute(f"UPDATE evaluation SET worker = {_PROCESS} WHERE {_KNOWN}")
    for table, column in _process_columns():
        op.drop_column(table, column.name)


def downgrade() -> None:
    """Workers are forgotten: what trains is then known by the lock of its folder alone."""
    for table, column in _process_columns():
        op.add_column(table, column)
    for table in ("run", "evaluation"):
        op.drop_column(table, "worker")


def _process_columns() -> list[tuple[str, sa.Column[object]]]:
    return [
        ("run", sa.Column("worker_pid", sa.Integer())),
        ("run", sa.Column("worker_started_at", sa.Float())),
        ("run", sa.Column("boot_id", sa.String())),
        ("evaluation", sa.Column("worker_pid", sa.Integer())),
        ("evaluation", sa.Column("worker_started_at", sa.Float())),
    ]
