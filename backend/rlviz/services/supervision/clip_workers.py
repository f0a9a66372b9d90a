"""Runs the workers that render clips: one for each run with requests, only a few at a time."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from rlviz.domain.errors import RlvizError
from rlviz.launchers.base import Launcher, Worker
from rlviz.launchers.job import MakeClips
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder

log = logging.getLogger(__name__)

AT_A_TIME = 2
"""Maximum number of workers. Each takes the memory of a worker, and a core while it renders."""


class ClipWorkers:
    """``request`` may be called from any thread; everything else from the supervisor's."""

    def __init__(self, runs_dir: Path, launcher: Launcher) -> None:
        self._runs_dir, self._launcher = runs_dir, launcher
        self._inbox: list[str] = []
        self._lock = Lock()
        self._waiting: list[str] = []
        self._workers: dict[str, Worker] = {}

    @property
    def is_busy(self) -> bool:
        return bool(self._workers or self._waiting or self._inbox)

    def workers(self) -> list[Worker]:
        """Those that have not been seen to end."""
        return list(self._workers.values())

    def request(self, run_id: str) -> None:
        """Start a worker for the requests in the run's folder."""
        with self._lock:
            self._inbox.append(run_id)

    def tick(self) -> None:
        """Note which workers have ended, and start those that are needed. Returns at once."""
        with self._lock:
            asked, self._inbox = self._inbox, []
        self._waiting += [run_id for run_id in dict.fromkeys(asked) if run_id not in self._waiting]
        self._follow()
        self._waiting = [run_id for run_id in self._waiting if run_id not in self._workers]
        while self._waiting and len(self._workers) < AT_A_TIME:
            self._launch(self._waiting.pop(0))
        if self._waiting:
            self._make_room()

    def end(self) -> None:
        """End all of them at once; clips can be requested again."""
        with self._lock:
            self._inbox = []
        self._waiting = []
        for worker in self._workers.values():
            worker.kill()
        self._follow()

    def _follow(self) -> None:
        for run_id, worker in list(self._workers.items()):
            if (gone := worker.poll()) is None:
                continue
            del self._workers[run_id]
            clips = self._clips(run_id)
            if not clips.requests.has_any():
                continue
            if gone.code == 0:  # the request came just when it ended
                self._waiting.append(run_id)
            else:
                clips.requests.refuse_all(gone.cause("the clip"))

    def _launch(self, run_id: str) -> None:
        try:
            self._workers[run_id] = self._launcher.launch(RunFolder(self._runs_dir, run_id), MakeClips())
        except RlvizError as error:
            log.warning("Clips of run %s cannot be made: %s", run_id, error)
            self._clips(run_id).requests.refuse_all(str(error))

    def _make_room(self) -> None:
        """If others wait, end a worker that has no request itself."""
        for run_id, worker in self._workers.items():
            if not self._clips(run_id).requests.has_any():
                worker.terminate()
                return

    def _clips(self, run_id: str) -> Clips:
        return Clips(RunFolder(self._runs_dir, run_id))
