"""Deleted runs."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.wire import Wire
from rlviz.domain.times import Instant


class DeletedRun(Wire):
    id: str
    name: str = Field(description="Its id, if it cannot be read any more.")
    algo: str | None = Field(description="Null if its configuration cannot be read.")
    env_id: str | None = Field(description="Null if its configuration cannot be read.")
    deleted_at: Instant
    removed_at: Instant = Field(description="When it will be removed for good; at the latest an hour later.")
    size_bytes: int = Field(description="Room on the disk that removing it makes.")


class TrashList(Wire):
    runs: list[DeletedRun]
    total_bytes: int
