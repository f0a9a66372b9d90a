"""Runs that were imported."""

from __future__ import annotations

from pydantic import Field

from rlviz.api.schemas.runs import Run
from rlviz.api.schemas.wire import Wire


class RefusedLog(Wire):
    place: str = Field(description="Folder or file within what was sent.")
    reason: str


class KnownLog(Wire):
    place: str = Field(description="Folder or file within what was sent.")
    run: Run = Field(description="That has the same curves.")


class LogWarning(Wire):
    run_id: str
    message: str = Field(description="What could not be taken as it was: the file, the line, and why.")


class ImportedRuns(Wire):
    runs: list[Run]
    warnings: list[LogWarning] = Field(description="Of these runs, each of which has them as events too.")
    known: list[KnownLog] = Field(description="What was imported before, and was left out.")
    refused: list[RefusedLog] = Field(description="What could not be taken, while other runs could.")
