"""The anatomy of a run's updates."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.anatomy import UpdateAnatomy


class RunAnatomy(Wire):
    run_id: str
    updates: list[UpdateAnatomy] = Field(
        description="Oldest first, evenly over those that were looked into, the newest among them."
    )
