"""The service itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlviz.api.schemas.wire import Wire


class Health(Wire):
    status: Literal["ok"] = "ok"
    version: str
    launcher: str
    active_runs: int = Field(description="Runs with a worker.")
    queued_runs: int
    max_concurrent_runs: int
    max_sessions: int = Field(description="Sessions at the same time, at most.")
    free_disk_bytes: int = Field(description="Free space where the runs folder lies.")
