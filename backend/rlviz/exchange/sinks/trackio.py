"""TrackioSink: sends a run to Trackio's local store (TRACKIO_DIR), which `trackio show` reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rlviz.domain.errors import ExtraMissing
from rlviz.domain.naming import TRACKIO
from rlviz.exchange.sinks.sink import PROJECT, DeliveryStart, Destination, Row, RunToDeliver


class TrackioSink:
    """Writes like Trackio's own importers: rows keep their times, and duplicates are stored once.

    Each delivery starts with the first row, because the store may have been moved or emptied.
    """

    confirm_seconds = 0.0
    naming = TRACKIO

    @staticmethod
    def destination(runs_dir: Path) -> Destination:
        store = os.environ.get("TRACKIO_DIR") or "Trackio's store on this machine"
        return Destination(f"{store}, project {_project()}")

    def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
        try:
            from trackio.sqlite_storage import SQLiteStorage
            from trackio.utils import TRACKIO_DIR
        except ImportError as error:
            raise ExtraMissing("trackio") from error
        self._store, self._run = SQLiteStorage, run
        self._project = _project()
        self._place = f"{TRACKIO_DIR}/{self._project}.db"
        self._last: Row | None = None

    def begin(self) -> DeliveryStart:
        return DeliveryStart(self._run.id, self._place, from_seq=0)

    def send(self, rows: Sequence[Row]) -> None:
        self._write(rows, self._run)
        self._last = rows[-1]

    def confirm(self) -> None:
        """Do nothing: every write was committed."""

    def describe(self, run: RunToDeliver) -> None:
        """Write summary and labels into the run's configuration with a row, because Trackio has no place for them and
        does not show a run without rows."""
        if self._last is not None:
            self._write([self._last], run)

    def close(self) -> None:
        """Do nothing: nothing stays open."""

    def _write(self, rows: Sequence[Row], run: RunToDeliver) -> None:
        self._store.bulk_log(
            project=self._project,
            run=self._run.name,
            run_id=self._run.id,
            metrics_list=[dict(row.values) for row in rows],
            steps=[row.step for row in rows],
            timestamps=[datetime.fromtimestamp(row.time, UTC).isoformat() for row in rows],
            log_ids=[f"{self._run.id}/{row.seq}" for row in rows],
            config={
                **run.settings,
                "tags": list(run.tags),
                "notes": run.notes,
                **{f"summary/{name}": value for name, value in run.summary.items()},
                "_Group": run.group,
            },
        )


def _project() -> str:
    return os.environ.get("TRACKIO_PROJECT") or PROJECT
