"""Decide which journals to seal and when. A separate process with the lowest priority seals them."""

from __future__ import annotations

import logging
import subprocess
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

from rlviz.child_environment import child_environment
from rlviz.domain.errors import RunFolderError
from rlviz.importing import module_command
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import journal_size
from rlviz.rundir.sealed import PIECE_BYTES, SealedMetrics
from rlviz.server.catalog.models import RunRow

log = logging.getLogger(__name__)

LEAST_BYTES = 1 << 20
"""Journals of ended runs below this size in bytes are not sealed, since parsing them takes about 15 ms."""

LOWEST_PRIORITY = 19


def sealed_metrics(folder: RunFolder) -> SealedMetrics:
    return SealedMetrics(folder.sealed, folder.metrics_path)


class Sealer:
    """Seals ended runs and long journals, one at a time. ``close`` ends the current one."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self._waiting: SimpleQueue[tuple[str, int] | None] = SimpleQueue()
        self._asked: dict[str, int] = {}  # length of a live run's journal when it was last queued
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._closed = False
        self._lock = Lock()
        self._thread = Thread(target=self._loop, name="sealing", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.terminate()
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def queue_if_due(self, row: RunRow) -> None:
        """Queue a run if enough of its journal is not sealed. Cheap and thread-safe."""
        folder = RunFolder(self._runs_dir, row.id)
        try:
            size = journal_size(folder.metrics_path)
        except (OSError, RunFolderError):
            return
        ended = row.state.is_final
        least = LEAST_BYTES if ended else PIECE_BYTES
        if size - self._asked.get(row.id, 0) >= least:
            self._asked[row.id] = size
            self._waiting.put((row.id, least))
        if ended:
            self._asked.pop(row.id, None)

    def queue(self, folder: RunFolder) -> None:
        """Queue a run whose curves were requested. Cheap; from any thread."""
        self._waiting.put((folder.run_id, LEAST_BYTES))

    def seal_now(self, folder: RunFolder) -> None:
        """Seal a run whose curves were requested. Returns when that is done or has failed."""
        self._run(folder, LEAST_BYTES, niceness=0)

    def _loop(self) -> None:
        while (job := self._waiting.get()) is not None:
            run_id, least = job
            folder = RunFolder(self._runs_dir, run_id)
            if sealed_metrics(folder).end() + least <= _size(folder):
                self._run(folder, least, niceness=LOWEST_PRIORITY)

    def _run(self, folder: RunFolder, least_bytes: int, niceness: int) -> None:
        with self._lock:
            if self._closed:
                return
            process = subprocess.Popen(
                [
                    *(*module_command("rlviz.sealer"), str(folder.metrics_path), str(folder.sealed)),
                    *(str(least_bytes), str(niceness)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=child_environment(OMP_NUM_THREADS="1"),
            )
            self._processes.add(process)
        _, errors = process.communicate()
        with self._lock:
            self._processes.discard(process)
        if process.returncode and not self._closed and folder.path.exists():
            log.warning("Cannot seal run %s: %s", folder.run_id, errors.decode(errors="replace").strip()[-300:])


def _size(folder: RunFolder) -> int:
    try:
        return journal_size(folder.metrics_path)
    except (OSError, RunFolderError):
        return 0
