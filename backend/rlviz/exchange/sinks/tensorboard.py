"""TensorBoardSink: event files in the run's folder; each delivery writes them from the first row on."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from rlviz.domain.naming import TENSORBOARD
from rlviz.exchange.export import EventFile
from rlviz.exchange.sinks.sink import DeliveryStart, Destination, Row, RunToDeliver


class TensorBoardSink:
    """Writes event files. Each delivery starts with the first row, so no value is duplicated after a failed one."""

    confirm_seconds = 0.0
    naming = TENSORBOARD

    @staticmethod
    def destination(runs_dir: Path) -> Destination:
        return Destination("event files in the folder of the run")

    def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
        self._run, self._folder = run, own_folder
        self._beside = own_folder.with_name(f".{own_folder.name}.old")
        self._file: EventFile | None = None

    def begin(self) -> DeliveryStart:
        shutil.rmtree(self._beside, ignore_errors=True)
        if self._folder.exists():
            self._folder.rename(self._beside)
        self._file = EventFile(self._folder / f"events.out.tfevents.{time.time():.0f}.rlviz", self._run.config_json)
        return DeliveryStart(self._run.id, str(self._folder), from_seq=0)

    def send(self, rows: Sequence[Row]) -> None:
        assert self._file is not None
        for row in rows:
            self._file.add(row.time, row.step, row.values)

    def confirm(self) -> None:
        assert self._file is not None
        self._file.flush()
        shutil.rmtree(self._beside, ignore_errors=True)

    def describe(self, run: RunToDeliver) -> None:
        """Do nothing: event files cannot store it."""
        self.confirm()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
