"""Runs that were imported."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.runs import Run
from rlviz.api.schemas.wire import Wire


class RefusedLog(Wire):
    place: str = Field(description="Folder or file within what was sent.")
    reason: str


class ImportedRuns(Wire):
    runs: list[Run]
    refused: list[RefusedLog] = Field(description="What could not be taken, while other runs could.")
